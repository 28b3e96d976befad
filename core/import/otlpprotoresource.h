// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// OTLP Resource and InstrumentationScope messages, interned; those seen lately are recognised by their bytes.
#pragma once

#include "core/import/otlpprotovalues.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace chokepoint {

class OtlpProtoResources {
public:
    explicit OtlpProtoResources(OtlpProtoValues& values) : m_values(values) { }

    /// A damaged message gives what comes before the damage (BAD_RECORD).
    [[nodiscard]] ResourceId resource(std::string_view bytes, std::string_view schemaUrl);
    [[nodiscard]] ScopeId scope(std::string_view bytes, std::string_view schemaUrl);

private:
    [[nodiscard]] Resource decodedResource(std::string_view bytes);
    [[nodiscard]] Scope decodedScope(std::string_view bytes);
    [[nodiscard]] AttributeValue decodedEntityRef(std::string_view bytes);
    [[nodiscard]] const std::string& cacheKey(std::string_view bytes, std::string_view schemaUrl);

    OtlpProtoValues& m_values;
    std::string m_key;
    std::unordered_map<std::string, ResourceId> m_resources;
    std::unordered_map<std::string, ScopeId> m_scopes;
};

} // namespace chokepoint
