// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One trace run again with other durations. Who waited for whom is read from the times of the trace, and every wait is kept
// (algorithms.md 5.1, 5.2): a barrier reading, in which a span waits for all that had ended before it began.
#pragma once

#include "core/analysis/brokenorders.h"
#include "core/analysis/declaredorders.h"
#include "core/analysis/pathwalk.h"
#include "core/analysis/stages.h"

#include <cstdint>
#include <span>
#include <vector>

namespace chokepoint {

/// What is different in a replay. Stages are ids of the population's table; times are ns.
struct ReplayEdits {
    /// One span of one trace.
    struct SpanEdit {
        std::uint32_t span = 0; // index in the trace
        std::int64_t length = -1; // takes this long, whatever is below it; -1: as it comes out
        bool dropGap = false; // follows at once what it waited for
        std::int64_t added = 0; // and then this much longer
        bool isLeftOut = false; // is not made at all, or answered by a cache: nothing that happens to a call adds to it
    };
    /// A step behind everything else.
    struct Tail {
        StageId stage{};
        std::int64_t length = 0;
    };
    std::vector<double> factor; // by stage: of all own time with that stage; empty: 1 everywhere
    std::vector<std::int64_t> added; // by stage: to each outermost span of the stage; empty: nothing
    std::vector<SpanEdit> spans; // of this trace, by span
    std::vector<Tail> tails; // one after the other
    std::vector<std::uint32_t> fatal; // spans with which the request fails: it ends where the first of them does
};

/// What a replay came to.
struct Replayed {
    Duration e2e{};
    std::vector<Duration> onPath; // by stage; adds up to e2e exactly
    bool failed = false; // a span of ReplayEdits::fatal took place
};

/// Replays trace after trace; one a thread. Results do not depend on what was replayed before.
class Replayer {
public:
    /// \a broken may be null: then every earlier span is waited for, but by those for which \a declared says what they wait for. All must
    /// outlive it. The window is always the root's.
    Replayer(const Dictionary& dictionary, const StageMap& stages, const PathOptions& options, const BrokenOrders* broken,
        const DeclaredOrders& declared = {});

    /// Takes up the trace whose first span is \a firstSpan of the population. False when it has no complete path from a true root.
    [[nodiscard]] bool prepare(const TraceView& trace, std::uint64_t firstSpan);
    /// The trace prepared last, with \a edits. Without any that concerns it: the path as it was observed.
    [[nodiscard]] const Replayed& replay(const ReplayEdits& edits);
    /// Tells \a orders which of its sibling operations the trace prepared last keeps and breaks.
    void observeOrders(OrderVotes& orders) const;

private:
    using Ns = path::Ns;
    static constexpr std::uint32_t none = path::noSpan;
    static constexpr std::size_t kindsAtMost = 16; // sibling operations told apart; with more, every earlier one is waited for

    /// A span that the root waits for. Times in ns of the trace's clock; those of the replay count from the begin of the span
    /// itself or, where it says so, of its parent.
    struct Node {
        Ns begin = 0; // not before its parent's
        Ns end = 0; // its own; behind its parent's when the parent gave up or closed early
        Ns shown = 0; // its end for its parent
        std::uint32_t kidBegin = 0; // in m_byBegin and m_byEnd
        std::uint32_t kidEnd = 0;
        std::uint32_t pieceBegin = 0; // in m_pieces
        std::uint32_t pieceEnd = 0;
        std::uint16_t kind = 0; // of operation among its siblings
        bool isTimedOut = false; // its parent waited until `shown` and no longer
        bool isByStage = false; // kinds of its children are stages, whatever their names
        std::uint32_t atBegin = none; // the innermost span that works when this one begins: itself or one below it
        std::uint32_t atEnd = none; // and when it ends
        Ns newBegin = 0; // from the parent's begin
        Ns newEnd = 0; // for its parent, from the parent's begin
        Ns newLength = 0;
        Ns newToken = path::noTime;
    };
    /// A piece of a span's own time in the replay.
    struct Piece {
        StageId stage{};
        Ns begin = 0;
        Ns end = 0;
    };
    /// What is known of earlier siblings when a child begins: what it may have waited for, before and in the replay.
    struct Gate {
        Ns observed = path::noTime;
        Ns replayed = path::noTime;
        std::uint32_t last = none; // the sibling that was waited for last, as observed

        void add(Ns wasAt, Ns isAt, std::uint32_t sibling)
        {
            last = wasAt > observed ? sibling : last;
            observed = std::max(observed, wasAt);
            replayed = std::max(replayed, isAt);
        }
    };

    /// Own time [begin, end) of a span in the trace's clock, between two of its children.
    struct OwnTime {
        std::uint32_t span = 0;
        SegmentType type = SegmentType::Self;
        Ns begin = 0;
        Ns end = 0;
        std::uint32_t before = none; // the child that was waited for, if any
        std::uint32_t behind = none; // the child that follows, if any
    };

    void listDeclared();
    void listNodes();
    void listKids(std::uint32_t span);
    void listInnermost(std::uint32_t span);
    void nameKinds(std::uint32_t span);
    [[nodiscard]] bool numberKinds(const Node& node, bool byName);
    [[nodiscard]] bool concerns(const ReplayEdits& edits) const;
    [[nodiscard]] const ReplayEdits::SpanEdit* editOf(std::uint32_t span) const;
    void observe();
    void replaySpan(std::uint32_t span);
    void replayKids(std::uint32_t span, Gate& last);
    void listStreams(std::uint32_t span);
    void listBroken(std::uint32_t span);
    void openGates(std::uint32_t span, std::uint32_t kid, std::size_t& byEnd);
    void openStreams(std::uint32_t kid, std::size_t& byToken);
    /// Whether the rules say what \a span waits for.
    [[nodiscard]] bool isDeclared(std::uint32_t span) const
    {
        return !m_after.empty() && !m_after[toIndex(m_stages.stage[m_firstSpan + span])].empty();
    }
    void addLinked(std::uint32_t span, std::uint32_t kid, Gate& ended, Gate& streaming) const;
    /// Whether \a kid waits for operations of \a kind.
    [[nodiscard]] bool waits(const std::vector<std::uint8_t>& broken, std::size_t kind, std::uint32_t kid) const
    {
        return broken.empty() || broken[kind * m_gates.size() + m_nodes[kid].kind] == 0;
    }
    void placeKid(std::uint32_t span, std::uint32_t kid);
    void lengthen(std::uint32_t span, Ns added, Ns least);
    void setFirstToken(std::uint32_t span);
    [[nodiscard]] Ns addOwnTime(const OwnTime& own, Ns at);
    template <typename Visit> void visitOwnTime(const OwnTime& own, Visit&& visit);
    [[nodiscard]] Ns scaled(StageId stage, Ns length) const;
    [[nodiscard]] Ns addedTo(std::uint32_t span) const;
    void placeSpans();
    void endWhereFatal();
    void attribute();

    const Dictionary& m_dictionary;
    const StageMap& m_stages;
    PathOptions m_options;
    const BrokenOrders* m_broken;
    DeclaredOrders m_declared;
    std::vector<std::vector<bool>> m_after; // by stage, by stage: what calls of the first wait for; empty: not declared
    std::span<const DeclaredLink> m_links; // of the trace
    std::span<const DerivedPart> m_derived; // of the trace
    const ReplayEdits* m_edits = nullptr;
    TraceView m_trace;
    std::uint64_t m_firstSpan = 0;
    path::Tree m_tree; // as observed
    path::Tree m_replayed; // with the times of the replay
    path::Walk m_walk;
    CriticalPath m_path; // what a walk came to, and scratch for pieces of own time
    std::vector<Node> m_nodes; // by span; those that the root does not wait for are unused
    std::vector<std::uint32_t> m_order; // spans that the root waits for, parents before children
    std::vector<std::uint32_t> m_byBegin; // children of each node
    std::vector<std::uint32_t> m_byEnd;
    std::vector<Piece> m_pieces;
    std::vector<Gate> m_gates; // by kind of operation; of the parent being replayed, as all below
    std::vector<std::uint32_t> m_streams; // its streaming children, by first token
    std::vector<Gate> m_streamGates; // first tokens that had come, by kind of operation
    std::vector<std::uint32_t> m_pending; // children that ended within the tolerance of an earlier begin
    std::vector<std::uint8_t> m_isBroken; // kind x kind: the second does not wait for the first; empty: none
    std::vector<std::uint8_t> m_isApart; // the same, for streams too, because it is declared so
    std::vector<Ns> m_absolute; // begin of each span in the replay
    std::vector<std::uint8_t> m_takesPlace; // by span: the root waits for it, and no edit takes the place of what is around it
    Replayed m_result;
};

} // namespace chokepoint
