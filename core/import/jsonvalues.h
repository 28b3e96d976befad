// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Attribute values from JSON to packed bytes: OTLP's AnyValue and plain JSON alike, nested without recursion.
#pragma once

#include "core/import/jsondocument.h"
#include "core/import/recordplace.h"
#include "core/model/packed.h"

#include <string>
#include <vector>

namespace chokepoint {

/// Writes to the output that the PackedWriter has at the time. Every function is false when the JSON is malformed.
class JsonValues {
public:
    JsonValues(PackedWriter& writer, Diagnostics& diagnostics, const RecordPlace& place)
        : m_writer(writer), m_diagnostics(diagnostics), m_place(place)
    {
    }

    /// OTLP attributes: a list of {key, value}, or a plain object. Null and other things write nothing. Without the terminator.
    [[nodiscard]] bool attributes(json::value value);
    /// The members of a plain object as attributes; nested values are plain JSON, too.
    [[nodiscard]] bool plainMembers(json::object object);
    /// One value under the key that was written last. An AnyValue object counts as what it holds.
    [[nodiscard]] bool anyValue(json::value value);
    /// One value of plain JSON.
    [[nodiscard]] bool plainValue(json::value value);

    /// A scalar by the type that its producer declared.
    void textScalar(const JsonToken& token);
    void boolScalar(const JsonToken& token);
    void intScalar(const JsonToken& token);
    void doubleScalar(const JsonToken& token);
    void bytesScalar(const JsonToken& token);
    /// A scalar by its JSON type.
    void plainScalar(const JsonToken& token);

private:
    struct Frame {
        enum class Kind { Array, KeyValues, Members } kind = Kind::Array;
        bool isPlain = false; // members are plain JSON
        bool started = false;
        json::array_iterator elements;
        json::object_iterator members;
    };

    [[nodiscard]] bool write(json::value value, bool isPlain);
    bool finish(bool isGood);
    [[nodiscard]] bool begin(json::value value, bool isPlain);
    [[nodiscard]] bool beginAny(json::object object);
    [[nodiscard]] bool beginMisplaced(json::value value);
    [[nodiscard]] bool beginList(json::value value, std::string_view name);
    [[nodiscard]] bool beginArray(json::value value, bool isPlain);
    [[nodiscard]] bool beginMembers(json::object object, bool isPlain);
    [[nodiscard]] bool step(bool& isDone);
    [[nodiscard]] bool keyValue(json::value value);
    [[nodiscard]] bool byteArray(json::value value);
    void numberScalar(const JsonToken& token);
    void unreadable(const JsonToken& token, const char* type);

    PackedWriter& m_writer;
    Diagnostics& m_diagnostics;
    const RecordPlace& m_place;
    std::vector<Frame> m_frames;
    std::string m_scratch;
};

} // namespace chokepoint
