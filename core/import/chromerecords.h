// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept of a Chrome trace until its end, when parents can be told: about 100 bytes an event, attributes apart.
#pragma once

#include "core/import/bytespool.h"
#include "core/model/spancolumns.h"

#include <cstdint>
#include <string>
#include <vector>

namespace chokepoint {

enum class TrackId : std::uint32_t {}; // of ChromeTracks: a thread of a process

/// The group of slices that nest in a thread.
[[nodiscard]] constexpr std::uint64_t threadGroup(TrackId track)
{
    return mix64(toIndex(track) + 1);
}

/// A complete event, or a beginning whose end is looked for later. Times are those of the producer's clock.
struct ChromeSlice {
    enum Bit : std::uint8_t {
        Open = 1U << 0, // waits for its end
        Async = 1U << 1,
        OutOfRange = 1U << 2, // a time was clamped
        Slack = 1U << 3, // the producer began it 1 ns early and made it 2 ns longer
        Unfinished = 1U << 4, // it has no end of its own: that of what it lies in, or the last time of the file
    };
    std::uint64_t group = 0; // of nesting: the thread, or the asynchronous id
    Timestamp start = unknownTime;
    Timestamp end = unknownTime;
    std::uint32_t attributesSize = 0; // behind those of the slice before, in ChromeRecords::attributes
    std::uint32_t endArguments = 0; // 1 + index into ChromeRecords::ends; 0 for none
    TrackId track{};
    StringId name{};
    StringId category{};
    std::uint8_t bits = 0;
};

struct ChromeEnd {
    std::uint64_t group = 0;
    Timestamp time;
    SpoolRange arguments;
    StringId name{};
    bool hasName = false;
    std::uint32_t before = 0; // slices that stand before it in the file
};

struct ChromeInstant {
    std::uint64_t group = 0;
    Timestamp time;
    SpoolRange arguments;
    TrackId track{};
    StringId name{};
};

enum class FlowStep : std::uint8_t { Start, Step, Finish };

struct ChromeFlow {
    std::uint64_t key = 0;
    Timestamp time;
    TrackId track{};
    StringId name{};
    std::uint32_t slice = 0xffffffffU; // known when a slice itself declares the flow
    FlowStep step{};
    bool bindsNext = false;
};

/// A number that slices share: "correlation" or "External id".
struct ChromeReference {
    std::uint64_t id = 0;
    std::uint32_t slice = 0;
};

struct PythonFrame {
    std::uint64_t id = 0;
    std::uint64_t parentId = 0;
    std::uint32_t slice = 0;
};

struct ChromeRecords {
    std::vector<ChromeSlice> slices; // in the order of the file
    std::vector<ChromeEnd> ends;
    std::vector<ChromeInstant> instants;
    std::vector<ChromeFlow> flows;
    std::vector<ChromeReference> launches; // slices of a host that start device work, by correlation
    std::vector<ChromeReference> deviceWork; // by correlation
    std::vector<ChromeReference> operators; // by external id
    std::vector<ChromeReference> deviceOperators; // device work by external id
    std::vector<PythonFrame> frames;
    ByteSpool attributes; // of slices
    ByteSpool arguments; // of ends and instants
};

} // namespace chokepoint
