// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Small words for decoding with protozero: case labels of typed fields, views, and merging of repeated messages.
#pragma once

#include <protozero/pbf_reader.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace chokepoint::wire {

// A field of the expected wire type, for `switch (reader.tag_and_type())`.
constexpr std::uint32_t message(std::uint32_t number)
{
    return protozero::tag_and_type(number, protozero::pbf_wire_type::length_delimited);
}
constexpr std::uint32_t varint(std::uint32_t number)
{
    return protozero::tag_and_type(number, protozero::pbf_wire_type::varint);
}
constexpr std::uint32_t fixed64(std::uint32_t number)
{
    return protozero::tag_and_type(number, protozero::pbf_wire_type::fixed64);
}
constexpr std::uint32_t fixed32(std::uint32_t number)
{
    return protozero::tag_and_type(number, protozero::pbf_wire_type::fixed32);
}

inline std::string_view viewOf(protozero::pbf_reader& reader)
{
    const protozero::data_view view = reader.get_view();
    return {view.data(), view.size()};
}

/// A message field that may occur more than once: protobuf merges the occurrences, which is what their bytes in a row mean.
class Merged {
public:
    void add(std::string_view bytes)
    {
        if (m_view.empty()) {
            m_view = bytes;
            return;
        }
        if (m_joined.empty())
            m_joined = m_view;
        m_joined += bytes;
        m_view = m_joined;
    }
    void restart(std::string_view bytes)
    {
        m_joined.clear();
        m_view = bytes;
    }
    [[nodiscard]] std::string_view bytes() const { return m_view; }

private:
    std::string_view m_view;
    std::string m_joined;
};

} // namespace chokepoint::wire
