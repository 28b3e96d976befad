// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How each span hangs on the path's tree, and the stable warning codes that follow from it.
#pragma once

#include "core/analysis/criticalpath.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace chokepoint::path {

/// The relation of a span to its parent; the first that fits wins, in this order where both have intervals.
enum class EdgeClass : std::uint8_t {
    Root,
    Outside, // encloses a root that the user picked
    ProdCons, // a consumer of its parent's message
    Follows, // FOLLOWS_FROM
    DeclaredAsync, // an attribute says that the parent does not wait
    After, // starts when the parent has ended
    Before, // ended when the parent starts
    Abandoned, // outlives a parent that gave up waiting
    Outlives, // ends after its parent
    HedgeLoser, // cancelled because a sibling was faster
    Block, // the parent waits for it
    Orphan,
    CycleCut,
    SecondaryRoot,
    Count_
};

/// What a class does to the path. Detached spans may be adopted by an ancestor that contains them.
enum class EdgeEffect : std::uint8_t { None, Blocking, Background, Detached, Fragment };

/// Warnings of the path itself, in the order of their printed names.
enum class NoteCode : std::uint8_t {
    Abandoned,
    AfterAdopted,
    AfterBackground,
    BeforeAdopted,
    BeforeBackground,
    Cycle,
    CycleCutAdopted,
    CycleCutBackground,
    DeclaredAsyncBackground,
    DupSharedRpc,
    FollowsAdopted,
    FollowsBackground,
    HedgeLoser,
    MakespanLonger,
    MissingParent,
    MissingStart,
    NegativeDuration,
    NoFirstToken,
    OrphanAdopted,
    OrphanBackground,
    OutlivesAdopted,
    OutlivesBackground,
    OutlivesClipped,
    ProdConsBackground,
    SecondaryRoot,
    SecondaryRootAdopted,
    SecondaryRootBackground,
    SelfParent,
    SkewCorrected,
    SkewTooLarge,
    SpanIdConflict,
    UnfinishedSpan,
    Count_
};

struct EdgeRule {
    EdgeEffect effect;
    NoteCode adopted; // Count_: no note
    NoteCode background; // for Blocking: the note of every such edge
};
[[nodiscard]] EdgeRule edgeRule(EdgeClass edge, PathPolicy policy);

/// Counts of notes, without text until somebody asks.
class Notes {
public:
    void clear() { m_counts.fill({}); }
    void add(NoteCode code, std::uint32_t span)
    {
        Entry& entry = m_counts[std::size_t(code)];
        if (entry.count == 0 || span < entry.firstSpan)
            entry.firstSpan = span;
        ++entry.count;
    }
    /// By code; codes that did not occur are left out.
    [[nodiscard]] std::vector<PathNote> list() const;

private:
    struct Entry {
        std::uint32_t count = 0;
        std::uint32_t firstSpan = 0;
    };
    std::array<Entry, std::size_t(NoteCode::Count_)> m_counts{};
};

} // namespace chokepoint::path
