// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Attempts: which spans are repeated tries of one unit of work, why each try was made, and what the tries that did not give
// the answer cost. From HTTP resends to walks of the whole pipeline and requests that a client sent again.
#pragma once

#include "core/analysis/attemptfacts.h"
#include "core/analysis/billing.h"
#include "core/analysis/population.h"
#include "core/analysis/stages.h"

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace chokepoint {

/// What the tries of a group have in common. Only Retry, ReAsk, Walk and ClientRetry count as retries.
enum class AttemptKind : std::uint8_t {
    Retry, // the same call again
    ReAsk, // the model is asked again, told what was wrong
    Walk, // several stages are walked again under one container
    ClientRetry, // a whole request sent again: attempts are traces
    Fallback, // another model, provider or server takes over
    Hedge, // sent twice at the same time, one is cancelled
    Redirect, // follows a 3xx answer
    Auth, // follows a 401 with new credentials
    Transparent, // the RPC library repeated what never reached the server
    Count_
};

/// How a group is known.
enum class RetryEvidence : std::uint8_t {
    Recorded, // spans say so: ordinals, totals, links, a shared activity id, a retry wrapper
    Inferred, // from names, order, failures and stages
    Hidden, // only a long span that may hold retries of an SDK; never counted
};

/// The rule that found a group (semantics of retries: R1 to R10).
enum class RetryRule : std::uint8_t {
    Ordinal = 1, // R1: a counter on the spans
    Total, // R2: a total on one span
    Wrapper, // R3: children of a span that repeats them
    Activity, // R4: the same activity, message or call id
    ErrorThenSame, // R5: a failure, then the same call
    Fallback, // R6
    ReAsk, // R7
    Walk, // R8
    CrossTrace, // R9
    Hint, // R10
    Overlap, // hedges
};

[[nodiscard]] const char* attemptKindName(AttemptKind kind); // "retry", "re-ask", "walk", "client-retry", "fallback", ...
[[nodiscard]] const char* retryEvidenceName(RetryEvidence evidence); // "recorded", "inferred", "hidden"
[[nodiscard]] constexpr bool isRetry(AttemptKind kind)
{
    return kind <= AttemptKind::ClientRetry;
}

/// One try. Tries that left no span of their own are in AttemptGroup::attempts only.
struct Attempt {
    std::uint32_t trace = 0; // differs within a group for ClientRetry alone
    std::uint32_t span = 0; // index in the trace; of a walk its container or else its first span
    std::uint32_t number = 1; // 1-based, as recorded where it is
    AttemptKind kind = AttemptKind::Retry; // how it follows the attempt before it; of the first: of the group
    bool failed = false; // it ended in a failure (cause says which); the last attempt of an exhausted group too
    bool incomplete = false; // a walk that broke off
    RetryCause cause = RetryCause::None;
    Timestamp begin = unknownTime; // of a walk: of its first span
    Timestamp end = unknownTime; // of a walk: of its last span
    TokenCount tokens; // of the generate calls in it, input and output; unknown where none tells
};

/// Tries of one unit of work, in order of time.
struct AttemptGroup {
    AttemptKind kind = AttemptKind::Retry;
    RetryRule rule = RetryRule::ErrorThenSame;
    RetryEvidence evidence = RetryEvidence::Inferred;
    RetryCause cause = RetryCause::None; // of its first failed attempt
    bool counted = false; // a retry of enough confidence: it is in retries, waste and rates
    bool succeeded = true; // the last attempt did not fail
    bool earlierMissing = false; // the first attempts are not in the trace (sampling)
    std::uint8_t level = 1; // 1 is the outermost; an HTTP retry inside a walk is on level 2
    std::uint8_t confidence = 0; // percent
    std::uint32_t trace = 0; // of the first attempt
    std::int32_t parent = -1; // index in the trace: whose children the attempts are, or the walks' container; -1: none
    StageId stage = StageTable::noStage; // of the attempts; noStage for walks and client retries
    std::uint32_t attempts = 0; // known number, with those without spans
    std::uint32_t retries = 0; // of them, repeats that count as retries: no fallback within the group, say
    std::uint32_t firstAttempt = 0; // in RetryAnalysis::attempts
    std::uint32_t attemptSpans = 0; // how many stand there
    Duration wasted{}; // union of all attempts but the last and the gaps between; unknownDuration when no times are known
    TokenCount wastedTokens; // of all attempts but the last
    std::optional<Money> wastedCost; // the same in money, embedding and reranking included
};

/// What retries mean for one trace. Sums are over counted groups; nested waste counts once.
struct TraceRetries {
    std::uint32_t firstGroup = 0; // in RetryAnalysis::groups
    std::uint32_t groupCount = 0;
    std::uint32_t retries = 0; // extra attempts
    Duration wasted{};
    TokenCount wastedTokens;
    std::optional<Money> wastedCost;
    std::uint32_t walks = 1; // of the pipeline; 1 without repetition
    Duration firstWalk = unknownDuration; // root start to the end of the first of several walks
    std::uint8_t depth = 0; // nested retry levels on one path from root to leaf
    std::uint32_t generates = 0; // leaf generate calls
    std::uint32_t logicalGenerates = 0; // after folding attempts and walks
    std::uint32_t bound = 1; // product of the attempts of each level on the deepest path
    bool cascade = false; // amplification >= 3, walks >= 3 or waste >= 30 % of the end-to-end time
    bool walksTruncated = false; // too long to look for walks in all of it
    bool repeatsRequest = false; // sent again by a client: an earlier trace is its first attempt

    /// Leaf generate calls a logical one; 1 when there are none.
    [[nodiscard]] double amplification() const { return logicalGenerates == 0 ? 1.0 : double(generates) / double(logicalGenerates); }
    [[nodiscard]] bool retried() const { return retries > 0; }
};

/// A generate call whose length suggests that an SDK repeated it inside one span.
struct HiddenRetryHint {
    std::uint32_t trace = 0;
    std::uint32_t span = 0;
    Duration excess{}; // over what is usual for its model and output length
};

struct CauseFigures {
    RetryCause cause = RetryCause::None;
    std::uint64_t count = 0; // failed attempts that were followed by another
    Duration wasted{}; // waste by the cause of the attempt; sums to RetrySummary::wasted, as do tokens and cost
    TokenCount wastedTokens;
    std::optional<Money> wastedCost;
    std::array<std::uint64_t, 3> byEvidence{}; // count, by RetryEvidence

    /// The one that most of them have.
    [[nodiscard]] RetryEvidence evidence() const;
};

struct RetrySummary {
    std::uint64_t requests = 0; // traces, those sent again by a client counted once
    std::uint64_t retriedRequests = 0; // with at least one counted group
    std::uint64_t extraAttempts = 0;
    Duration wasted{};
    TokenCount wastedTokens;
    std::optional<Money> wastedCost;
    std::uint64_t unknownTokenAttempts = 0; // wasted attempts whose tokens are unknown: wastedTokens is a lower bound
    std::uint64_t unknownTimeAttempts = 0; // wasted attempts whose time is unknown: wasted is a lower bound
    std::uint64_t cascades = 0; // traces
    std::uint64_t generateSpans = 0; // leaf generate calls
    std::uint64_t opaqueGenerateSpans = 0; // of these without HTTP spans or counters: retries in them would not show
    std::vector<CauseFigures> byCause; // largest count first, then by cause

    [[nodiscard]] double retryRate() const { return requests == 0 ? 0 : double(retriedRequests) / double(requests); }
};

/// Retries of a population. Immutable once made.
struct RetryAnalysis {
    std::vector<TraceRetries> traces; // by trace index
    std::vector<AttemptGroup> groups; // by trace; in a trace outer before inner, then by time
    std::vector<Attempt> attempts; // by group
    std::vector<HiddenRetryHint> hints; // by trace and span
    RetrySummary summary;

    [[nodiscard]] std::span<const AttemptGroup> groupsOf(std::size_t trace) const
    {
        return std::span(groups).subspan(traces[trace].firstGroup, traces[trace].groupCount);
    }
    [[nodiscard]] std::span<const Attempt> attemptsOf(const AttemptGroup& group) const
    {
        return std::span(attempts).subspan(group.firstAttempt, group.attemptSpans);
    }
};

/// Finds the attempts of all traces, parallel over traces with \a threads (0: all cores); results depend neither on the number of
/// threads nor on the order of the input. Linear in spans.
[[nodiscard]] Result<RetryAnalysis> analyseRetries(const TraceColumns& columns, const StageMap& stages, const AttemptFacts& facts,
    const Population& population, const Billing& billing, unsigned threads, const JobControl& job);

} // namespace chokepoint
