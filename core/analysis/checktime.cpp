// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Time that nobody recorded: gaps on the critical path, and retries inside an SDK.
#include "core/analysis/checkdraft.h"
#include "core/analysis/checkviews.h"
#include "core/analysis/proportions.h"

#include <algorithm>

namespace chokepoint::checks {

namespace {

/// The longest gap on the path of one trace.
struct Gap {
    Duration length{};
    std::string after; // the step that ended before it, or ""
};

Gap longestGap(const CheckSide& side, std::size_t trace)
{
    const TraceView view = side.columns.trace(trace);
    const CriticalPath path = criticalPath(view, *side.columns.dictionary, side.path);
    Gap longest;
    std::string before;
    forEachStagePart(path, view, side.stages, side.columns.firstSpan[trace], [&](StageId stage, const PathSegment& part) {
        if (stage != side.stages.gaps.uninstrumented) {
            before = side.columns.dictionary->text(view.name[part.span]);
        } else if (part.end - part.begin > longest.length) {
            longest = {part.end - part.begin, before};
        }
    });
    return longest;
}

/// Included traces with the most uninstrumented time first.
std::vector<std::uint32_t> byUninstrumented(const CheckSide& side)
{
    const auto timeOf = [&](std::uint32_t trace) { return side.population.onPathOf(trace, side.stages.gaps.uninstrumented); };
    std::vector<std::uint32_t> traces = side.population.included;
    std::erase_if(traces, [&](std::uint32_t trace) { return timeOf(trace) <= Duration{0}; });
    const auto end = traces.begin() + std::ptrdiff_t(std::min(mostTraces, traces.size()));
    std::partial_sort(traces.begin(), end, traces.end(),
        [&](std::uint32_t a, std::uint32_t b) { return timeOf(a) != timeOf(b) ? timeOf(a) > timeOf(b) : a < b; });
    traces.erase(end, traces.end());
    return traces;
}

std::optional<double> uninstrumentedShare(const CheckSide& side)
{
    std::vector<Part> parts;
    for (const std::uint32_t trace : side.population.included) {
        const StageId stage = side.stages.gaps.uninstrumented;
        const Duration gaps = stage == StageTable::noStage ? Duration{0} : side.population.onPathOf(trace, stage);
        parts.push_back({double(toNs(gaps)), double(toNs(side.population.traces[trace].e2e)), trace});
    }
    return ratioOf(parts);
}

} // namespace

void uninstrumentedTime(const Sides& sides, Draft& draft)
{
    const CheckSide& after = sides.after;
    const std::optional<double> share = uninstrumentedShare(after);
    if (!share)
        return draft.missing("No complete trace has a critical path.", {"complete traces with a root span"});
    draft.measure(share);
    draft.share("uninstrumented_share", share);
    draft.share("uninstrumented_limit", uninstrumentedLimit);
    draft.count("requests", after.population.included.size());
    if (sides.before != nullptr)
        draft.share("uninstrumented_share_before", uninstrumentedShare(*sides.before));
    if (*share == 0)
        return draft.conclude(CheckStatus::Ok, "All of the critical paths is covered by spans.");
    const std::vector<std::uint32_t> worst = byUninstrumented(after);
    for (const std::uint32_t trace : worst)
        draft.trace(trace);
    const Gap gap = longestGap(after, worst.front());
    draft.time("largest_gap", gap.length);
    draft.text("largest_gap_after", gap.after.empty() ? "the start of the request" : gap.after);
    if (*share > uninstrumentedLimit) {
        draft.need("spans for the work after the step that largest_gap_after names");
        return draft.conclude(CheckStatus::Suspect,
            "{uninstrumented_share} of the time on the critical paths has no spans, above {uninstrumented_limit}; a gap of {largest_gap} "
            "follows {largest_gap_after}.");
    }
    draft.conclude(
        CheckStatus::Ok, "{uninstrumented_share} of the time on the critical paths has no spans, not above {uninstrumented_limit}.");
}

void hiddenRetries(const Sides& sides, Draft& draft)
{
    constexpr std::uint64_t fewest = 20; // calls: as many as a hint needs for what is usual
    const RetryAnalysis& retries = sides.after.retries;
    const std::uint64_t opaque = retries.summary.opaqueGenerateSpans;
    draft.count("model_calls", retries.summary.generateSpans);
    draft.count("opaque_calls", opaque);
    if (retries.summary.generateSpans == 0)
        return draft.conclude(CheckStatus::NotApplicable, "No span calls a model that generates.");
    if (opaque == 0) {
        draft.measure(0);
        return draft.conclude(CheckStatus::Ok, "All {model_calls} calls of models would show a retry.");
    }
    const Proportion hinted{std::min<std::uint64_t>(retries.hints.size(), opaque), opaque};
    draft.count("hinted_calls", retries.hints.size());
    draft.share("hinted_share", hinted.rate(), wilsonInterval(hinted));
    draft.share("hinted_limit", hiddenLimit);
    if (sides.before != nullptr && sides.before->retries.summary.opaqueGenerateSpans > 0)
        draft.share("hinted_share_before",
            Proportion{sides.before->retries.hints.size(), sides.before->retries.summary.opaqueGenerateSpans}.rate());
    std::vector<HiddenRetryHint> longest = retries.hints;
    std::stable_sort(longest.begin(), longest.end(), [](const auto& a, const auto& b) { return a.excess > b.excess; });
    for (const HiddenRetryHint& hint : longest)
        draft.trace(hint.trace);
    if (!longest.empty())
        draft.time("largest_excess", longest.front().excess);
    constexpr std::string_view clientSpans = "HTTP client spans under the calls of models";
    if (wilsonInterval(hinted)->low > hiddenLimit) {
        draft.measure(hinted.rate());
        draft.need(clientSpans);
        return draft.conclude(CheckStatus::Suspect,
            "{hinted_calls} of {opaque_calls} calls of models take longer than usual by what an SDK waits between tries: they may hold "
            "retries that the traces do not show.");
    }
    if (opaque < fewest) {
        draft.count("calls_needed", fewest);
        return draft.missing(
            "{opaque_calls} of {model_calls} calls of models would not show a retry; to tell by their length, {calls_needed} are needed.",
            {clientSpans});
    }
    if (hinted.successes > 0)
        draft.measure(hinted.rate());
    draft.missing("{opaque_calls} of {model_calls} calls of models would not show a retry, and their length does not tell.", {clientSpans});
}

} // namespace chokepoint::checks
