// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The table of edge classes and the names of notes.
#include "core/analysis/pathnotes.h"

namespace chokepoint::path {

namespace {

constexpr auto none = NoteCode::Count_;

constexpr std::array<EdgeRule, std::size_t(EdgeClass::Count_)> edgeRules{{
    {EdgeEffect::None, none, none}, // Root
    {EdgeEffect::None, none, none}, // Outside
    {EdgeEffect::Background, none, NoteCode::ProdConsBackground}, // ProdCons
    {EdgeEffect::Detached, NoteCode::FollowsAdopted, NoteCode::FollowsBackground}, // Follows
    {EdgeEffect::Background, none, NoteCode::DeclaredAsyncBackground}, // DeclaredAsync
    {EdgeEffect::Detached, NoteCode::AfterAdopted, NoteCode::AfterBackground}, // After
    {EdgeEffect::Detached, NoteCode::BeforeAdopted, NoteCode::BeforeBackground}, // Before
    {EdgeEffect::Blocking, none, NoteCode::Abandoned}, // Abandoned
    {EdgeEffect::Blocking, none, NoteCode::OutlivesClipped}, // Outlives
    {EdgeEffect::Background, none, NoteCode::HedgeLoser}, // HedgeLoser
    {EdgeEffect::Blocking, none, none}, // Block
    {EdgeEffect::Fragment, NoteCode::OrphanAdopted, NoteCode::OrphanBackground}, // Orphan
    {EdgeEffect::Fragment, NoteCode::CycleCutAdopted, NoteCode::CycleCutBackground}, // CycleCut
    {EdgeEffect::Fragment, NoteCode::SecondaryRootAdopted, NoteCode::SecondaryRootBackground}, // SecondaryRoot
}};
constexpr EdgeRule detachedOutlives{EdgeEffect::Detached, NoteCode::OutlivesAdopted, NoteCode::OutlivesBackground};

constexpr std::array<const char*, std::size_t(NoteCode::Count_)> noteNames{
    "ABANDONED",
    "AFTER_ADOPTED",
    "AFTER_BACKGROUND",
    "BEFORE_ADOPTED",
    "BEFORE_BACKGROUND",
    "CYCLE",
    "CYCLE_CUT_ADOPTED",
    "CYCLE_CUT_BACKGROUND",
    "DECLARED_ASYNC_BACKGROUND",
    "DUP_SHARED_RPC",
    "FOLLOWS_ADOPTED",
    "FOLLOWS_BACKGROUND",
    "HEDGE_LOSER",
    "MAKESPAN_LONGER",
    "MISSING_PARENT",
    "MISSING_START",
    "NEGATIVE_DURATION",
    "NO_FIRST_TOKEN",
    "ORPHAN_ADOPTED",
    "ORPHAN_BACKGROUND",
    "OUTLIVES_ADOPTED",
    "OUTLIVES_BACKGROUND",
    "OUTLIVES_CLIPPED",
    "PRODCONS_BACKGROUND",
    "SECONDARY_ROOT",
    "SECONDARY_ROOT_ADOPTED",
    "SECONDARY_ROOT_BACKGROUND",
    "SELF_PARENT",
    "SKEW_CORRECTED",
    "SKEW_TOO_LARGE",
    "SPAN_ID_CONFLICT",
    "UNFINISHED_SPAN",
};

} // namespace

EdgeRule edgeRule(EdgeClass edge, PathPolicy policy)
{
    if (edge == EdgeClass::Outlives && policy == PathPolicy::Detach)
        return detachedOutlives;
    return edgeRules[std::size_t(edge)];
}

std::vector<PathNote> Notes::list() const
{
    std::vector<PathNote> result;
    for (std::size_t code = 0; code < m_counts.size(); ++code) {
        if (m_counts[code].count != 0)
            result.push_back({noteNames[code], m_counts[code].count, m_counts[code].firstSpan});
    }
    return result;
}

} // namespace chokepoint::path
