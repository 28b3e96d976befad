// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Jaeger's tags (typed key-value pairs) as packed attributes.
#pragma once

#include "core/import/jsonvalues.h"

#include <functional>
#include <string>
#include <string_view>

namespace chokepoint {

class JaegerTags {
public:
    /// Sees each tag with a scalar value first; true takes it, and it becomes no attribute.
    using Take = std::function<bool(std::string_view key, const JsonToken& value)>;

    JaegerTags(PackedWriter& writer, Diagnostics& diagnostics, const RecordPlace& place)
        : m_writer(writer), m_place(place), m_diagnostics(diagnostics), m_values(writer, diagnostics, place)
    {
    }

    /// Elasticsearch's documents hold binary values as hex, the query service's answers as base64.
    void setBinaryIsHex(bool isHex) { m_binaryIsHex = isHex; }
    /// A list of {key, type, value}, or of {key, vType, vStr, ...} as protobuf's JSON mapping writes it, to the writer's output.
    /// False when the JSON is malformed.
    [[nodiscard]] bool readList(json::value value, const Take& take);
    /// The object of Elasticsearch's tags-as-fields: names have @ for dots.
    [[nodiscard]] bool readFields(json::value value, const Take& take);

private:
    [[nodiscard]] bool readTag(json::object object, const Take& take);
    void write(std::string_view type, const JsonToken& token);
    [[nodiscard]] bool writeHex(const JsonToken& token);

    PackedWriter& m_writer;
    const RecordPlace& m_place;
    Diagnostics& m_diagnostics;
    JsonValues m_values;
    std::string m_key;
    std::string m_scratch;
    bool m_binaryIsHex = false;
};

} // namespace chokepoint
