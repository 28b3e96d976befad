// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Endpoints by the bytes that they were read from: services repeat theirs letter by letter, so that each is decoded once.
#pragma once

#include "core/import/zipkinspan.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace chokepoint {

/// An endpoint and what it is as a resource.
struct ZipkinPlace {
    ZipkinEndpoint endpoint;
    ResourceId resource{};
};

class ZipkinPlaces {
public:
    explicit ZipkinPlaces(Dictionary& dictionary) : m_dictionary(dictionary) { }

    /// The place that \a bytes stand for; \a decode(endpoint) is called when they are new. Good until the next call.
    template <typename Decode> [[nodiscard]] const ZipkinPlace& of(std::string_view bytes, Decode&& decode)
    {
        if (m_last != nullptr && m_lastBytes == bytes)
            return *m_last;
        m_lastBytes = bytes;
        if (const auto known = m_places.find(m_lastBytes); known != m_places.end())
            return *(m_last = &known->second);
        ZipkinPlace place;
        decode(place.endpoint);
        place.resource = internEndpoint(m_dictionary, place.endpoint);
        if (m_places.size() >= mostPlaces)
            m_places.clear();
        return *(m_last = &m_places.emplace(m_lastBytes, std::move(place)).first->second);
    }

private:
    static constexpr std::size_t mostPlaces = 16384; // then the cache starts anew; ids stay, the dictionary knows them

    Dictionary& m_dictionary;
    std::unordered_map<std::string, ZipkinPlace> m_places;
    std::string m_lastBytes; // of m_last
    const ZipkinPlace* m_last = nullptr;
};

} // namespace chokepoint
