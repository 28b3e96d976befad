// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The packed forms of spans in a workspace: a chunk (spans of one trace with payloads) and a segment (columns of many traces).
//
// Encoding, version 1. Integers are LEB128 varints, "zigzag" folds the sign into bit 0, fixed integers are little endian.
//   chunk   := 1 (version), checksum, n, columns, column(payload sizes), payloads (as in core/model/packed.h)
//   segment := 2 (version 1 of segments), checksum, n, run count, runs, columns
//   checksum := 4 bytes over everything after it: 32-byte steps, in each lane k of four
//              state = rotl((state ^ word) * 0x9e3779b97f4a7c15, 29), starting from {size, 1, 2, 3}; then sum = hash64(rest),
//              sum = mix64(sum ^ state) lane by lane, low half
//   run     := zigzag(trace key - trace key of the run before, 0 at first), number of spans; the spans of a run are of one trace
//   columns := column(span id), column(parent), raw parents, column(start), column(end), column(name), column(resource),
//              column(scope), column(flags), first tokens
//   column  := w (one byte, 0 to 8), base, n values of w bytes each; a value stands for base + value
//     parent: 0 none | 1 raw | 2 + zigzag(j - i): the id of span j, for span i, both in one run
//     raw parents: 8 bytes for each raw parent, in order
//     start: Unix ns + 2^63 (so that order is kept); that of the earliest known start (2^63 without any) where unknown
//     end: zigzag(end - start, wrapping), start counting as 0 where it is unknown; 0 where the end is unknown
//     flags: SpanFlags::stored() | 1 << 20 start unknown | 1 << 21 end unknown | 1 << 22 first token known
//     first tokens: zigzag(time - start, wrapping) for each span whose first token is known, in order
#pragma once

#include "core/model/spancolumns.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

inline constexpr std::size_t spansPerChunk = 4096;
inline constexpr std::size_t spansPerSegment = 65536;

/// Consecutive spans of one trace inside a segment.
struct SpanRun {
    std::int64_t traceKey = 0;
    std::uint32_t count = 0;
    friend bool operator==(const SpanRun&, const SpanRun&) = default;
};

/// Open-addressing map from span id to the first index that has it. Cleared in O(size of the last use).
class SpanIndexTable {
public:
    static constexpr std::uint32_t absent = 0xffffffffU;

    void reset(std::size_t expected);
    /// Index of the first insertion of \a id; \a index itself when this is the first.
    std::uint32_t insert(SpanId id, std::uint32_t index);
    [[nodiscard]] std::uint32_t find(SpanId id) const;

private:
    struct Slot {
        std::uint64_t id = 0;
        std::uint32_t index = absent;
    };
    [[nodiscard]] std::size_t slotOf(SpanId id) const;

    std::vector<Slot> m_slots;
};

/// Encodes with scratch memory that is reused. The view is valid until the next call.
class BlockEncoder {
public:
    /// \a rows: at most spansPerChunk. \a payloads: their payloads, one after the other.
    std::string_view chunk(std::span<const SpanRow> rows, std::span<const std::uint32_t> payloadSizes, std::string_view payloads);
    /// \a rows: at most spansPerSegment; the counts of \a runs add up to their number.
    std::string_view segment(std::span<const SpanRow> rows, std::span<const SpanRun> runs);

private:
    void begin(std::uint8_t version);
    std::string_view finish();
    void columns(std::span<const SpanRow> rows, std::span<const SpanRun> runs);
    void parents(std::span<const SpanRow> rows, std::span<const SpanRun> runs);
    template <typename ValueOf> void column(std::size_t n, ValueOf&& valueOf);

    std::string m_out;
    std::vector<std::uint64_t> m_values;
    std::string m_rawParents;
    SpanIndexTable m_table;
};

/// As described above, over everything after the checksum.
[[nodiscard]] std::uint32_t blockChecksum(std::string_view body);

/// Sizes of the dictionary that a block's ids refer to; ids beyond are damage.
struct DictionarySizes {
    std::size_t strings = 1;
    std::size_t resources = 1;
    std::size_t scopes = 1;
};

/// Appends the chunk's spans to \a rows and, when wanted, views of their payloads (into \a data) to \a payloads. False: damaged;
/// nothing was appended.
[[nodiscard]] bool decodeChunk(
    std::string_view data, const DictionarySizes& sizes, SpanColumns& rows, std::vector<std::string_view>* payloads = nullptr);
/// Replaces \a rows and \a runs. False: damaged.
[[nodiscard]] bool decodeSegment(std::string_view data, const DictionarySizes& sizes, SpanColumns& rows, std::vector<SpanRun>& runs);
/// The runs alone, without the columns. False: damaged.
[[nodiscard]] bool decodeSegmentRuns(std::string_view data, std::vector<SpanRun>& runs);

} // namespace chokepoint
