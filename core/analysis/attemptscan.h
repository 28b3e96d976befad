// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One trace as the search for retries sees it: repaired times, failures with their class, the role of each span's stage.
#pragma once

#include "core/analysis/attemptfacts.h"
#include "core/analysis/stages.h"

#include <vector>

namespace chokepoint::attempts {

/// Stages as far as retries tell them apart.
enum class StageRole : std::uint8_t {
    Container, // orchestrate, ingress and what has no stage
    Dropped, // storage, network and the like: no step of a walk
    Cache,
    Guardrail,
    Route,
    Preprocess,
    Embed,
    Retrieve,
    Rerank,
    Assemble,
    Generate,
    Tool,
    Validate,
    Evaluate,
    Other, // steps of a user's own
};
using RoleSet = std::uint32_t;
[[nodiscard]] constexpr RoleSet roleBit(StageRole role)
{
    return RoleSet(1) << unsigned(role);
}
inline constexpr RoleSet checkRoles = roleBit(StageRole::Guardrail) | roleBit(StageRole::Validate) | roleBit(StageRole::Evaluate);
/// Steps that belong to one attempt at an answer: between two tries of another call they tell that the pipeline started again.
inline constexpr RoleSet workRoles = roleBit(StageRole::Embed) | roleBit(StageRole::Retrieve) | roleBit(StageRole::Rerank)
    | roleBit(StageRole::Generate) | roleBit(StageRole::Tool);

/// What a span's name tells, by StringId.
struct NameTraits {
    enum Flag : std::uint8_t {
        RetryWrapper = 1U << 0, // repeats its children
        FallbackWrapper = 1U << 1, // tries its children one after the other
        Upkeep = 1U << 2, // tokens, health checks, warm-up
        Draft = 1U << 3, // speculative decoding
        Regrade = 1U << 4, // grades documents or rewrites the query: the walk before was too poor
    };
    std::uint64_t key = 0; // of the name without ids
    std::uint64_t firstWord = 0; // of the first word, where there is a second
    std::uint32_t rest = 0; // hash of what follows the first word, as AttemptFact::model
    std::uint8_t flags = 0;
    bool known = false;

    [[nodiscard]] bool has(Flag flag) const { return (flags & flag) != 0; }
};

/// What all traces of a population share. Immutable once made.
struct Context {
    const TraceColumns& columns;
    const StageMap& stages;
    const AttemptFacts& facts;
    std::vector<StageRole> roles; // by StageId
    std::vector<NameTraits> names; // by StringId, of names that occur

    Context(const TraceColumns& theColumns, const StageMap& theStages, const AttemptFacts& theFacts);
};

/// Reusable; scan() forgets the trace before.
class TraceScan {
public:
    void scan(const Context& context, std::size_t traceIndex);

    [[nodiscard]] std::size_t size() const { return view.size(); }
    /// Facts of a span; empty ones when it has none.
    [[nodiscard]] const AttemptFact& fact(std::size_t span) const { return *m_fact[span]; }
    [[nodiscard]] const NameTraits& name(std::size_t span) const { return m_context->names[toIndex(view.name[span])]; }
    [[nodiscard]] bool isWithin(std::size_t span, std::size_t ancestor) const
    {
        return span >= ancestor && span < ancestor + view.subtreeSize[ancestor];
    }
    /// A check that was not passed: of the span itself.
    [[nodiscard]] bool failsCheck(std::size_t span) const;

    TraceView view;
    std::size_t index = 0; // of the trace
    std::uint64_t firstSpan = 0; // of the trace, in the columns
    std::vector<Timestamp> begin; // unknownTime when not told
    std::vector<Timestamp> end; // not before begin; of an unfinished span the latest end below it, else its begin
    std::vector<std::uint8_t> failed;
    std::vector<RetryCause> cause; // of failed spans; from the failure below where a span does not say
    std::vector<StageRole> role;
    std::vector<RoleSet> below; // roles of descendants
    std::vector<std::uint8_t> checkFailedBelow; // in the subtree, itself included
    std::vector<std::uint32_t> kidCount;

private:
    const Context* m_context = nullptr;
    std::vector<const AttemptFact*> m_fact;
    AttemptFact m_none;

    void lookUp();
    void collectBelow();
};

} // namespace chokepoint::attempts
