// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/whatifscenario.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

using Kind = WhatIfSetting::Kind;

} // namespace

Result<Scenario> Scenario::create(const std::vector<WhatIfSetting>& settings, std::uint64_t seed, const TraceColumns& columns,
    const StageMap& stages, const Population& population, const RetryAnalysis* retries, const CheckFacts* facts)
{
    Scenario scenario;
    scenario.m_columns = &columns;
    scenario.m_stages = &stages;
    scenario.m_population = &population;
    scenario.m_retries = retries;
    scenario.m_facts = facts;
    scenario.m_seed = seed;
    scenario.m_isNothing = settings.empty();
    scenario.m_generate = stages.table->find("generate");
    scenario.m_edits.factor.assign(stages.table->size(), 1.0);
    scenario.m_edits.added.assign(stages.table->size(), 0);
    for (const WhatIfSetting& setting : settings)
        if (Result<void> applied = scenario.apply(setting); !applied)
            return fail(std::move(applied).error());
    for (const auto step :
        {&Scenario::setCache, &Scenario::setFailures, &Scenario::setPolicies, &Scenario::setSpeculation, &Scenario::setQueues})
        if (Result<void> set = (scenario.*step)(settings); !set)
            return fail(std::move(set).error());
    return scenario;
}

Result<StageId> Scenario::stageOf(const WhatIfSetting& setting) const
{
    const StageId stage = m_stages->table->find(setting.stage);
    if (stage != StageTable::noStage)
        return stage;
    std::string known;
    for (std::size_t i = 0; i < m_stages->table->size(); ++i)
        if (m_stages->table->topLevel(StageId(i)) == StageId(i))
            known += (known.empty() ? "" : ", ") + m_stages->table->name(StageId(i));
    return fail(
        ErrorCode::InvalidArgument, fmt::format("--set \"{}\": there is no stage {}; stages are {}", setting.text, setting.stage, known));
}

void Scenario::scale(StageId stage, double factor)
{
    for (std::size_t i = 0; i < m_edits.factor.size(); ++i)
        if (StageId(i) == stage || m_stages->table->topLevel(StageId(i)) == stage)
            m_edits.factor[i] *= factor;
}

Result<void> Scenario::apply(const WhatIfSetting& setting)
{
    Result<StageId> stage = StageTable::noStage;
    if (!setting.stage.empty()) {
        stage = stageOf(setting);
        if (!stage)
            return fail(std::move(stage).error());
    }
    switch (setting.kind) {
    case Kind::ScaleStage: scale(*stage, setting.number); return {};
    case Kind::AddToStage:
        m_edits.added[toIndex(*stage)] += std::llround(setting.number);
        m_addedStages.push_back(*stage);
        return {};
    case Kind::RetryRate: return setRepeats(setting, true);
    case Kind::RouterAccuracy: return setRepeats(setting, false);
    case Kind::CacheHit: {
        m_cacheHit = setting.number;
        return {};
    }
    case Kind::CacheLookup: m_cacheLookup = std::llround(setting.number); return {};
    case Kind::Failure: m_failures.push_back({*stage, setting.number, std::nullopt, std::nullopt}); return {};
    case Kind::Fallback:
    case Kind::Timeout:
    case Kind::Retry:
    case Kind::RetryMost:
    case Kind::RetryBackoff:
    case Kind::RetryGrowth:
    case Kind::SpeculativeAcceptance:
    case Kind::DraftLength:
    case Kind::DraftCost:
    case Kind::Load:
    case Kind::Servers: return {}; // these work together: below
    }
    return {};
}

// ---- retries and routing ----

bool Scenario::counts(const AttemptGroup& group, bool areRetries) const
{
    if (group.kind == AttemptKind::ClientRetry) // its attempts are whole traces
        return false;
    return areRetries ? group.counted : group.kind == AttemptKind::Fallback;
}

Result<void> Scenario::setRepeats(const WhatIfSetting& setting, bool areRetries)
{
    if (m_retries == nullptr)
        return fail(ErrorCode::InvalidArgument, fmt::format("--set \"{}\": retries were not analysed", setting.text));
    Repeats& repeats = areRetries ? m_retry : m_route;
    repeats.isSet = true;
    repeats.areRetries = areRetries;
    repeats.wanted = areRetries ? setting.number : 1 - setting.number;
    repeats.has.assign(m_columns->traceCount(), 0);
    std::size_t count = 0;
    for (const std::uint32_t trace : m_population->included) {
        Duration wasted{};
        StageId stage = StageTable::noStage;
        for (const AttemptGroup& group : m_retries->groupsOf(trace)) {
            if (!counts(group, areRetries))
                continue;
            repeats.has[trace] = 1;
            stage = stage == StageTable::noStage ? group.stage : stage;
            if (group.level == 1 && isKnown(group.wasted))
                wasted += group.wasted;
        }
        if (repeats.has[trace] == 0)
            continue;
        ++count;
        const std::uint64_t root = m_columns->firstSpan[trace] + std::uint64_t(m_population->traces[trace].root);
        if (wasted > Duration{0})
            repeats.pool.push_back({stage == StageTable::noStage ? m_stages->stage[root] : stage, toNs(wasted)});
    }
    const std::size_t all = m_population->included.size();
    repeats.observed = all == 0 ? 0 : double(count) / double(all);
    const char* what = areRetries ? "retried" : "sent on to another model";
    if (repeats.wanted > repeats.observed && repeats.pool.empty())
        return fail(ErrorCode::InvalidArgument,
            fmt::format("--set \"{}\": no request of these was {}, so what that takes is not known", setting.text, what));
    if (!areRetries && count == 0)
        return fail(ErrorCode::InvalidArgument, fmt::format("--set \"{}\": no request of these was {}", setting.text, what));
    m_models.push_back({areRetries ? "retry_rate" : "router", "",
        {{areRetries ? "observed_retry_rate" : "observed_accuracy", areRetries ? repeats.observed : 1 - repeats.observed},
            {areRetries ? "retry_rate" : "accuracy", setting.number}}});
    m_notes.push_back(fmt::format(
        "{} of the requests were {}; repeats that are put in take what the observed ones took", formatShare(repeats.observed), what));
    return {};
}

/// A number in [0, 1) that the trace, the seed and \a what decide.
double Scenario::drawn(std::size_t trace, std::uint64_t what) const
{
    const TraceId id = m_columns->traceId[trace];
    return double(mix64(mix64(id.hi ^ mix64(id.lo)) ^ mix64(m_seed ^ mix64(what))) >> 11) * 0x1.0p-53;
}

void Scenario::editRepeats(const Repeats& repeats, std::size_t trace)
{
    if (!repeats.isSet)
        return;
    const double u = drawn(trace, repeats.areRetries ? 1 : 2);
    const bool has = repeats.has[trace] != 0;
    if (repeats.wanted < repeats.observed) {
        if (has && u * repeats.observed >= repeats.wanted)
            for (const AttemptGroup& group : m_retries->groupsOf(trace))
                if (counts(group, repeats.areRetries))
                    stripGroup(group, m_columns->trace(trace));
    } else if (!has && u * (1 - repeats.observed) < repeats.wanted - repeats.observed) {
        const double pick = drawn(trace, repeats.areRetries ? 3 : 4);
        m_trace.tails.push_back(repeats.pool[std::size_t(pick * double(repeats.pool.size()))]);
    }
}

/// Leaves the last attempt alone.
void Scenario::stripGroup(const AttemptGroup& group, const TraceView& view)
{
    const std::span<const Attempt> attempts = m_retries->attemptsOf(group);
    for (std::size_t a = 0; a + 1 < attempts.size(); ++a) {
        const Attempt& attempt = attempts[a];
        if (group.kind != AttemptKind::Walk) {
            m_trace.spans.push_back({attempt.span, 0, true, 0, true});
        } else {
            for (std::uint32_t i = 0; i < view.size(); ++i)
                if (view.parent[i] == group.parent && view.start[i] >= attempt.begin && view.start[i] < attempts[a + 1].begin)
                    m_trace.spans.push_back({i, 0, true, 0, true});
        }
        m_trace.spans.push_back({attempts[a + 1].span, -1, true, 0});
    }
}

void Scenario::addMissingStages(std::size_t trace)
{
    for (const StageId stage : m_addedStages) {
        const std::int64_t added = m_edits.added[toIndex(stage)];
        bool occurs = added <= 0;
        forEachCall(m_columns->trace(trace), *m_stages, m_columns->firstSpan[trace], stage, [&occurs](std::uint32_t) { occurs = true; });
        if (!occurs)
            m_trace.tails.push_back({stage, added});
    }
}

/// By span, with what several settings say of one put together.
void Scenario::sortSpans()
{
    std::vector<ReplayEdits::SpanEdit>& spans = m_trace.spans;
    std::stable_sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.span < b.span; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (kept == 0 || spans[kept - 1].span != spans[i].span) {
            spans[kept++] = spans[i];
            continue;
        }
        ReplayEdits::SpanEdit& merged = spans[kept - 1];
        merged.length = merged.length < 0 ? spans[i].length
            : spans[i].length < 0         ? merged.length
                                          : std::min(merged.length, spans[i].length);
        merged.dropGap = merged.dropGap || spans[i].dropGap;
        merged.isLeftOut = merged.isLeftOut || spans[i].isLeftOut;
        merged.added += spans[i].added;
    }
    spans.resize(kept);
    for (ReplayEdits::SpanEdit& edit : spans)
        edit.added = edit.isLeftOut ? 0 : edit.added; // an attempt that is not made does not fail
}

const ReplayEdits& Scenario::editsOf(std::size_t trace)
{
    m_trace.factor = m_edits.factor;
    m_trace.added = m_edits.added;
    m_trace.spans.clear();
    m_trace.tails.clear();
    m_trace.fatal.clear();
    editRepeats(m_retry, trace);
    editRepeats(m_route, trace);
    editCalls(trace);
    addMissingStages(trace);
    sortSpans();
    return m_trace;
}

} // namespace chokepoint
