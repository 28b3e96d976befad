// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One decode of a span's payload for all that read attributes: stages, usage and whatever else comes along.
#pragma once

#include "core/model/packed.h"
#include "core/model/tracecolumns.h"

namespace chokepoint {

/// One event of a span, as it stands in the payload.
struct PackedEvent {
    Duration offset{}; // from the span's start; from the epoch when that is unknown
    PackedValue name;
    std::string_view attributes; // to walk with forEachAttribute(PackedCursor(attributes), ...)
};

/// One link of a span.
struct PackedLink {
    TraceId traceId;
    SpanId spanId;
    std::string_view attributes; // as in PackedEvent
};

/// Reads one link; damage shows in the cursor.
[[nodiscard]] inline PackedLink readLink(PackedCursor& cursor)
{
    const auto bigEndian = [&cursor] {
        std::uint64_t value = 0;
        for (const char byte : cursor.take(8))
            value = value << 8 | std::uint8_t(byte);
        return value;
    };
    PackedLink link;
    link.traceId.hi = bigEndian();
    link.traceId.lo = bigEndian();
    link.spanId.value = bigEndian();
    cursor.varint(); // flags
    cursor.skipValue(); // trace state
    cursor.varint(); // dropped attributes
    cursor.skipValue(); // trace id text
    cursor.skipValue(); // span id text
    link.attributes = cursor.rest();
    cursor.skipAttributes();
    return link;
}

/// Calls, for every reader: beginSpan(trace, i), attribute(StringId, const PackedValue&) for each attribute in order, event(const
/// PackedEvent&) for each event in order, link(const PackedLink&) for each link in order where a reader has that, endSpan(). Readers find
/// out by the interned key whether an attribute concerns them.
template <typename... Readers>
void readPayload(const TraceView& trace, std::size_t i, std::string_view payload, const StringPool& strings, Readers&... readers)
{
    (readers.beginSpan(trace, i), ...);
    PackedCursor cursor(payload);
    const std::uint64_t sections = cursor.varint();
    const auto has = [sections](PayloadSection section) { return (sections >> unsigned(section) & 1U) != 0; };
    if (has(PayloadSection::Attributes)) {
        forEachAttribute(cursor, strings, [&](StringId key, const PackedValue& value) {
            (readers.attribute(key, value), ...);
            return true;
        });
    }
    const std::uint64_t events = has(PayloadSection::Events) && cursor.ok() ? cursor.varint() : 0;
    for (std::uint64_t e = 0; e < events && cursor.ok(); ++e) {
        PackedEvent event;
        event.offset = Duration(unzigzag(cursor.varint()));
        event.name = readValue(cursor, strings);
        cursor.varint(); // dropped attributes
        event.attributes = cursor.rest();
        cursor.skipAttributes();
        if (cursor.ok())
            (readers.event(event), ...);
    }
    const std::uint64_t links = has(PayloadSection::Links) && cursor.ok() ? cursor.varint() : 0;
    for (std::uint64_t l = 0; l < links && cursor.ok(); ++l) {
        const PackedLink link = readLink(cursor);
        const auto pass = [&link](auto& reader) {
            if constexpr (requires { reader.link(link); })
                reader.link(link);
        };
        if (cursor.ok())
            (pass(readers), ...);
    }
    (readers.endSpan(), ...);
}

} // namespace chokepoint
