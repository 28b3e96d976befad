// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What an input was read as, span by span, and a text of it that leaves out what a format cannot say.
#pragma once

#include "core/model/packed.h"
#include "core/model/spancolumns.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint::testing {

/// One span with everything that hangs on it; ids as hex, or the source's text where that was kept.
struct ReadSpan {
    std::string traceId;
    std::string spanId;
    std::string parentId; // empty for a root
    std::string name;
    SpanKind kind{};
    SpanStatus status{};
    Timestamp start = unknownTime;
    Timestamp end = unknownTime;
    SpanPayload payload;
    Resource resource;
    Scope scope;
};

/// In the order of delivery. A failure to read is a single span whose name is the error's message.
[[nodiscard]] std::vector<ReadSpan> readSpans(std::string_view bytes, std::size_t blockSize = 0);

/// What a format loses of a span, or says otherwise.
enum Loss : std::uint32_t {
    NoLoss = 0,
    BelowMicrosecond = 1U << 0, // times are cut
    BelowMillisecond = 1U << 1,
    ValueTypes = 1U << 2, // values are texts
    ContainersAsText = 1U << 23, // arrays and maps are their JSON text
    EmptyValues = 1U << 3, // keys without a value are gone
    Attributes = 1U << 4,
    MoreAttributes = 1U << 5, // attributes of the format's own are there as well
    ResourceAttributes = 1U << 6, // but service.name
    Services = 1U << 7,
    Scopes = 1U << 8,
    Kinds = 1U << 9,
    Statuses = 1U << 10,
    StatusOk = 1U << 11, // Ok and Unset are the same
    StatusMessages = 1U << 12,
    Events = 1U << 13,
    EventNames = 1U << 14,
    EventAttributes = 1U << 15,
    Links = 1U << 16,
    LinkAttributes = 1U << 17, // of links, the ids are left
    TraceStates = 1U << 18,
    Flags = 1U << 19,
    DroppedCounts = 1U << 20,
    TraceIds = 1U << 21, // made up
    SpanIds = 1U << 22, // made up: a span is known by its name
};

/// Keys of all attributes of spans, resources, events and links.
[[nodiscard]] std::set<std::string> attributeKeys(const std::vector<ReadSpan>& spans);

/// One line a span, ordered; equal texts mean equal traces but for \a losses. \a keys are those of the original.
[[nodiscard]] std::string textOf(const std::vector<ReadSpan>& spans, std::uint32_t losses, const std::set<std::string>& keys);

} // namespace chokepoint::testing
