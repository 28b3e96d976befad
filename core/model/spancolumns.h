// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of spans: one vector a field, all of the same length. The common shape of a batch, a trace and a population.
#pragma once

#include "core/base/ids.h"
#include "core/base/time.h"

#include <cstdint>
#include <vector>

namespace chokepoint {

/// OTLP's numbers.
enum class SpanKind : std::uint8_t { Unspecified, Internal, Server, Client, Producer, Consumer };
enum class SpanStatus : std::uint8_t { Unset, Ok, Error };

[[nodiscard]] const char* spanKindName(SpanKind kind); // "INTERNAL"
[[nodiscard]] const char* spanStatusName(SpanStatus status); // "ERROR"

/// Kind, status and the facts about a span that analysis needs, in 32 bits.
struct SpanFlags {
    enum Bit : std::uint32_t {
        // set by readers, stored
        Follows = 1U << 5, // the parent reference is FOLLOWS_FROM
        Async = 1U << 6, // an attribute declares that the parent does not wait
        Cancelled = 1U << 7, // cancelled before it was done
        TimedOut = 1U << 8, // ended by its own deadline
        Streaming = 1U << 9, // output arrives in parts
        TimeOutOfRange = 1U << 10, // a time beyond int64 was clamped: unknown to statistics
        FloatRounded = 1U << 11, // times went through a double before they reached us
        RelativeClock = 1U << 12, // times count from the trace's own zero
        TimeRepaired = 1U << 13, // unit or text form was repaired
        // set by assembleTrace(), not stored
        Orphan = 1U << 20, // has a parent id that is not in the trace
        SelfParent = 1U << 21, // named itself as parent; treated as a root
        CycleCut = 1U << 22, // lost its parent so that a cycle ends
        IdConflict = 1U << 23, // its id occurs earlier in the trace
        SharedServer = 1U << 24, // server half of a client span with the same id
        MissingStart = 1U << 25, // start absent, or 0 in a trace of our time
    };
    std::uint32_t bits = 0;

    [[nodiscard]] constexpr SpanKind kind() const { return SpanKind(bits & 7U); }
    [[nodiscard]] constexpr SpanStatus status() const { return SpanStatus(bits >> 3 & 3U); }
    constexpr void setKind(SpanKind kind) { bits = (bits & ~7U) | std::uint32_t(kind); }
    constexpr void setStatus(SpanStatus status) { bits = (bits & ~(3U << 3)) | std::uint32_t(status) << 3; }
    [[nodiscard]] constexpr bool has(Bit bit) const { return (bits & bit) != 0; }
    constexpr void set(Bit bit) { bits |= bit; }
    [[nodiscard]] constexpr bool isError() const { return status() == SpanStatus::Error; }
    /// The bits that a workspace stores.
    [[nodiscard]] constexpr std::uint32_t stored() const { return bits & 0xfffffU; }

    friend constexpr bool operator==(const SpanFlags&, const SpanFlags&) = default;
};

/// One span without its payload. Times are as the source gave them: end may lie before start; unknownTime is absent.
struct SpanRow {
    SpanId spanId;
    SpanId parentId; // null for a root
    Timestamp start = unknownTime;
    Timestamp end = unknownTime;
    StringId name{};
    ResourceId resource{};
    ScopeId scope{};
    SpanFlags flags;
    Timestamp firstToken = unknownTime; // first token or chunk of a streamed answer
};

struct SpanColumns {
    std::vector<SpanId> spanId;
    std::vector<SpanId> parentId;
    std::vector<Timestamp> start;
    std::vector<Timestamp> end;
    std::vector<StringId> name;
    std::vector<ResourceId> resource;
    std::vector<ScopeId> scope;
    std::vector<SpanFlags> flags;
    std::vector<Timestamp> firstToken;

    [[nodiscard]] std::size_t size() const { return spanId.size(); }
    [[nodiscard]] bool empty() const { return spanId.empty(); }
    void reserve(std::size_t n);
    void clear(); // keeps capacity
    void push_back(const SpanRow& row);
    [[nodiscard]] SpanRow row(std::size_t i) const;
    void setRow(std::size_t i, const SpanRow& row);
    void resize(std::size_t n);
};

/// end - start; 0 when end lies before start; unknownDuration when either is unknown or out of range.
[[nodiscard]] constexpr Duration spanDuration(Timestamp start, Timestamp end, SpanFlags flags = {})
{
    if (!isKnown(start) || !isKnown(end) || flags.has(SpanFlags::TimeOutOfRange))
        return unknownDuration;
    return end <= start ? Duration{0} : saturatingDifference(end, start);
}

} // namespace chokepoint
