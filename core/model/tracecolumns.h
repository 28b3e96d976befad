// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Many traces as columns: what analysis needs of a whole population, about 60 bytes a span. Immutable once built.
#pragma once

#include "core/base/diagnostics.h"
#include "core/model/dictionary.h"
#include "core/model/spancolumns.h"

#include <memory>
#include <span>
#include <string>
#include <unordered_map>

namespace chokepoint {

/// One trace of a population (or a single one): borrowed columns of n spans in display order, that is pre-order: a
/// parent stands before its children and a subtree is contiguous; siblings by start, longer first, then span id. Spans
/// without a parent come first to last: true roots by start, then orphans by start.
struct TraceView {
    TraceId traceId;
    std::span<const SpanId> spanId;
    std::span<const SpanId> parentId;
    std::span<const std::int32_t> parent; // index in this view, -1 for roots and orphans
    std::span<const std::uint32_t> subtreeSize; // spans of the subtree, itself included
    std::span<const Timestamp> start; // unknownTime when missing (also when the source wrote 0)
    std::span<const Timestamp> end; // as stored; may lie before start
    std::span<const StringId> name;
    std::span<const ResourceId> resource;
    std::span<const ScopeId> scope;
    std::span<const SpanFlags> flags;
    std::span<const Timestamp> firstToken;

    [[nodiscard]] std::size_t size() const { return spanId.size(); }
    [[nodiscard]] Duration duration(std::size_t i) const { return spanDuration(start[i], end[i], flags[i]); }
    /// Children of i in order: for (c = i + 1; c < i + subtreeSize[i]; c += subtreeSize[c]).
    [[nodiscard]] bool isTrueRoot(std::size_t i) const { return parent[i] < 0 && !flags[i].has(SpanFlags::Orphan); }
};

/// The primary root: the true root with the longest duration (ties: start, then id; spans whose cycle was cut come last); -1 when
/// the trace has none.
/// With \a orOrphan the best orphan stands in.
[[nodiscard]] std::int32_t primaryRoot(const TraceView& trace, bool orOrphan = false);
/// Earliest known start to latest known start or end; unknown ends do not count. Empty trace: [0, 0).
[[nodiscard]] TimeRange traceExtent(const TraceView& trace);
/// Some span has no end, or a time that is unknown: left out of populations.
[[nodiscard]] bool isPartial(const TraceView& trace);

class TraceColumns {
public:
    std::shared_ptr<const Dictionary> dictionary;

    std::vector<TraceId> traceId;
    std::vector<std::uint64_t> firstSpan{0}; // traceCount() + 1 offsets into the span columns
    std::unordered_map<std::uint32_t, std::string> traceIdText; // by trace index, where the source's id was no hex
    std::vector<std::int64_t> storeKey; // the store's row of each trace, to load it whole
    SpanColumns spans;
    std::vector<std::int32_t> parent;
    std::vector<std::uint32_t> subtreeSize;
    Diagnostics diagnostics; // of the trees: MISSING_PARENT, CYCLE, ...

    [[nodiscard]] std::size_t traceCount() const { return traceId.size(); }
    [[nodiscard]] std::size_t spanCount() const { return spans.size(); }
    [[nodiscard]] TraceView trace(std::size_t index) const;
    /// The id as people know it: the source's own text, or 32 hex digits.
    [[nodiscard]] std::string traceIdName(std::size_t index) const;
};

} // namespace chokepoint
