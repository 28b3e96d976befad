// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Resources and scopes of OTLP JSON: decoded once, however often the same text comes again.
#pragma once

#include "core/import/jsonvalues.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace chokepoint {

class OtlpJsonParts {
public:
    OtlpJsonParts(Dictionary& dictionary, Diagnostics& diagnostics, const RecordPlace& place);

    /// \a text is the JSON of a Resource ("" or null: none). Malformed text counts as none (BAD_ATTRIBUTES).
    [[nodiscard]] ResourceId resource(std::string_view text, std::string_view schemaUrl);
    /// \a text is the JSON of an InstrumentationScope or InstrumentationLibrary.
    [[nodiscard]] ScopeId scope(std::string_view text, std::string_view schemaUrl);

private:
    template <typename Id> struct Known {
        std::string text;
        std::string schemaUrl;
        Id id;
    };
    [[nodiscard]] bool readResource(Resource& resource);
    [[nodiscard]] bool readScope(Scope& scope);
    [[nodiscard]] bool readAttributes(json::value value, AttributeList& attributes);
    [[nodiscard]] AttributeValue decodedMap();
    void reportUnreadable(const char* what);

    Dictionary& m_dictionary;
    Diagnostics& m_diagnostics;
    const RecordPlace& m_place;
    PackedWriter m_writer;
    JsonValues m_values;
    JsonDocument m_document;
    std::string m_packed;
    std::string m_scratch;
    std::unordered_map<std::uint64_t, Known<ResourceId>> m_resources; // by hash of text and schema
    std::unordered_map<std::uint64_t, Known<ScopeId>> m_scopes;
};

} // namespace chokepoint
