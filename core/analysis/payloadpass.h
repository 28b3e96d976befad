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

/// Calls, for every reader: beginSpan(trace, i), attribute(StringId, const PackedValue&) for each attribute in order, event(const
/// PackedEvent&) for each event in order, endSpan(). Readers find out by the interned key whether an attribute concerns them.
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
    (readers.endSpan(), ...);
}

} // namespace chokepoint
