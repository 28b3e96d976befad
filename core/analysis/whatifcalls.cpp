// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of single calls that chance decides: caches, failures, and policies of retrying (algorithms.md 5.3).
#include "core/analysis/cachelookups.h"
#include "core/analysis/formulas.h"
#include "core/analysis/whatifscenario.h"
#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace chokepoint {

namespace {

using Kind = WhatIfSetting::Kind;

constexpr std::uint64_t callSalts = 4096; // numbers that one call may draw
enum CallSalt : std::uint64_t { CacheSalt = 5, RetrySalt = 64, DurationSalt = 1024, FailureSalt = 2048 };

std::uint64_t saltOf(SpanId span, std::uint64_t what)
{
    return what + callSalts * span.value;
}

/// Calls that begin once a lookup is done, within the resolution of clocks.
constexpr Duration lookupSlack = std::chrono::milliseconds(1);

double meanOf(const std::vector<std::int64_t>& values)
{
    double sum = 0;
    for (const std::int64_t value : values)
        sum += double(value);
    return values.empty() ? 0 : sum / double(values.size());
}

/// Time that at least one of \a intervals covers, in ns.
std::int64_t covered(std::vector<std::pair<std::int64_t, std::int64_t>> intervals)
{
    std::sort(intervals.begin(), intervals.end());
    std::int64_t sum = 0;
    std::int64_t until = std::numeric_limits<std::int64_t>::min();
    for (const auto& [begin, end] : intervals) {
        sum += std::max<std::int64_t>(0, end - std::max(begin, until));
        until = std::max(until, end);
    }
    return sum;
}

} // namespace

// ---- caches ----

/// Which lookups were observed to hit, and what a miss takes.
Result<void> Scenario::setCache(const std::vector<WhatIfSetting>& settings)
{
    const WhatIfSetting* lookupSetting = nullptr;
    const WhatIfSetting* hitSetting = nullptr;
    for (const WhatIfSetting& setting : settings) {
        lookupSetting = setting.kind == Kind::CacheLookup ? &setting : lookupSetting;
        hitSetting = setting.kind == Kind::CacheHit ? &setting : hitSetting;
    }
    if (lookupSetting != nullptr && hitSetting == nullptr)
        return fail(ErrorCode::InvalidArgument,
            fmt::format("--set \"{}\": it says what a lookup takes; set cache_hit=SHARE too", lookupSetting->text));
    if (hitSetting == nullptr || m_facts == nullptr)
        return {};
    const CacheLookups lookups(*m_columns, *m_stages, *m_population, *m_facts);
    std::size_t known = 0;
    m_lookups.assign(m_columns->traceCount(), {});
    for (const std::uint32_t trace : m_population->included) {
        const std::optional<CacheLookup> lookup = lookups.of(trace);
        if (!lookup || !lookup->hit || !isKnown(m_columns->spans.end[lookup->row]))
            continue;
        ++known;
        m_lookups[trace] = {*lookup->hit ? Lookup::Hit : Lookup::Miss, m_columns->spans.end[lookup->row]};
        m_observedHits += *lookup->hit ? 1 : 0;
        if (*lookup->hit)
            continue;
        std::vector<std::pair<std::int64_t, std::int64_t>> calls;
        const TraceView view = m_columns->trace(trace);
        forEachCallAfter(trace, [&](std::uint32_t span) {
            if (isKnown(view.duration(span)))
                calls.emplace_back(toNs(view.start[span]), toNs(view.end[span]));
        });
        if (const std::int64_t generated = covered(std::move(calls)); generated > 0)
            m_missPool.push_back(generated);
    }
    if (known == 0) {
        m_lookups.clear();
        return {};
    }
    m_observedHits /= double(known);
    if (lookupSetting != nullptr)
        return fail(ErrorCode::InvalidArgument,
            fmt::format(
                "--set \"{}\": these traces look answers up already, and what that takes stays; leave it out", lookupSetting->text));
    if (*m_cacheHit < m_observedHits && m_missPool.empty())
        return fail(ErrorCode::InvalidArgument,
            fmt::format("--set \"{}\": {}, so what a miss takes is not known", hitSetting->text,
                m_observedHits < 1 ? "no model was called after a miss" : "every lookup was a hit"));
    m_notes.push_back(fmt::format("{} of {} lookups were hits; only the difference to {} changes, and an answer from the cache takes the "
                                  "lookup alone",
        formatShare(m_observedHits), formatCount(known), formatShare(*m_cacheHit)));
    m_models.push_back({"cache", "", {{"observed_hit_rate", m_observedHits}, {"hit_rate", *m_cacheHit}, {"lookups", double(known)}}});
    return {};
}

/// Generate calls that begin after the lookup of \a trace.
template <typename Visit> void Scenario::forEachCallAfter(std::size_t trace, Visit&& visit) const
{
    const TraceView view = m_columns->trace(trace);
    if (m_generate == StageTable::noStage)
        return;
    forEachCall(view, *m_stages, m_columns->firstSpan[trace], m_generate, [&](std::uint32_t span) {
        if (isKnown(view.start[span]) && view.start[span] >= m_lookups[trace].end - lookupSlack)
            visit(span);
    });
}

void Scenario::editCached(std::size_t trace)
{
    if (!m_cacheHit || m_generate == StageTable::noStage)
        return;
    const TraceView view = m_columns->trace(trace);
    if (m_lookups.empty()) { // a cache where there was none
        forEachCall(view, *m_stages, m_columns->firstSpan[trace], m_generate, [&](std::uint32_t span) {
            const bool hits = drawn(trace, saltOf(view.spanId[span], CacheSalt)) < *m_cacheHit;
            m_trace.spans.push_back(
                hits ? ReplayEdits::SpanEdit{span, m_cacheLookup, false, 0, true} : ReplayEdits::SpanEdit{span, -1, false, m_cacheLookup});
        });
        return;
    }
    const double u = drawn(trace, CacheSalt);
    const Lookup& lookup = m_lookups[trace];
    if (lookup.outcome == Lookup::Miss && u * (1 - m_observedHits) < *m_cacheHit - m_observedHits) {
        forEachCallAfter(trace, [&](std::uint32_t span) { m_trace.spans.push_back({span, 0, true, 0, true}); });
    } else if (lookup.outcome == Lookup::Hit && u * m_observedHits >= *m_cacheHit && *m_cacheHit < m_observedHits) {
        const double pick = drawn(trace, CacheSalt + 1);
        m_trace.tails.push_back({m_generate, m_missPool[std::size_t(pick * double(m_missPool.size()))]});
    }
}

// ---- failures ----

Result<void> Scenario::setFailures(const std::vector<WhatIfSetting>& settings)
{
    for (const WhatIfSetting& setting : settings) {
        if (setting.kind != Kind::Fallback && setting.kind != Kind::Timeout)
            continue;
        const StageId stage = m_stages->table->find(setting.stage);
        const auto failure =
            std::find_if(m_failures.begin(), m_failures.end(), [stage](const FailureEdit& each) { return each.stage == stage; });
        if (failure == m_failures.end())
            return fail(ErrorCode::InvalidArgument, fmt::format("--set \"{}\": set failure.{}=SHARE too", setting.text, setting.stage));
        (setting.kind == Kind::Fallback ? failure->fallback : failure->timeout) = std::llround(setting.number);
    }
    for (const FailureEdit& failure : m_failures)
        m_models.push_back({"failure", m_stages->table->name(failure.stage), {{"share", failure.share}}});
    return {};
}

void Scenario::editFailing(std::size_t trace)
{
    const TraceView view = m_columns->trace(trace);
    for (std::size_t f = 0; f < m_failures.size(); ++f) {
        const FailureEdit& failure = m_failures[f];
        forEachCall(view, *m_stages, m_columns->firstSpan[trace], failure.stage, [&](std::uint32_t span) {
            if (isLeftOut(span) || drawn(trace, saltOf(view.spanId[span], FailureSalt + f)) >= failure.share)
                return;
            const bool isFatal = failure.fallback && *failure.fallback < 0;
            const std::int64_t again = isFatal ? 0 : failure.fallback.value_or(toNs(std::max(view.duration(span), Duration{0})));
            m_trace.spans.push_back({span, failure.timeout.value_or(-1), false, again});
            if (isFatal)
                m_trace.fatal.push_back(span);
        });
    }
}

// ---- retries of a stage ----

Result<void> Scenario::setPolicies(const std::vector<WhatIfSetting>& settings)
{
    for (const WhatIfSetting& setting : settings) {
        if (setting.kind != Kind::Retry)
            continue;
        RetryPolicy policy;
        policy.stage = m_stages->table->find(setting.stage);
        policy.share = setting.number;
        for (const std::uint32_t trace : m_population->included) {
            const TraceView view = m_columns->trace(trace);
            forEachCall(view, *m_stages, m_columns->firstSpan[trace], policy.stage, [&](std::uint32_t span) {
                if (isKnown(view.duration(span)))
                    policy.pool.push_back(toNs(view.duration(span)));
            });
        }
        if (policy.pool.empty())
            return fail(ErrorCode::InvalidArgument, fmt::format("--set \"{}\": no complete trace calls {}", setting.text, setting.stage));
        m_policies.push_back(std::move(policy));
    }
    for (const WhatIfSetting& setting : settings) {
        if (setting.kind != Kind::RetryMost && setting.kind != Kind::RetryBackoff && setting.kind != Kind::RetryGrowth)
            continue;
        const StageId stage = m_stages->table->find(setting.stage);
        const auto policy =
            std::find_if(m_policies.begin(), m_policies.end(), [stage](const RetryPolicy& each) { return each.stage == stage; });
        if (policy == m_policies.end())
            return fail(ErrorCode::InvalidArgument, fmt::format("--set \"{}\": set retry.{}=SHARE too", setting.text, setting.stage));
        if (setting.kind == Kind::RetryMost)
            policy->most = unsigned(setting.number);
        else
            (setting.kind == Kind::RetryBackoff ? policy->backoff : policy->growth) = setting.number;
    }
    for (const RetryPolicy& policy : m_policies)
        describe(policy);
    return {};
}

void Scenario::describe(const RetryPolicy& policy)
{
    const double attempt = meanOf(policy.pool);
    const std::string& name = m_stages->table->name(policy.stage);
    m_models.push_back({"retry", name,
        {{"failure_share", policy.share}, {"retries_at_most", double(policy.most)}, {"backoff_ns", policy.backoff},
            {"backoff_growth", policy.growth}, {"attempt_ns", attempt},
            {"expected_attempts", formulas::expectedAttempts(policy.share, policy.most)},
            {"all_fail", formulas::allFail(policy.share, policy.most)},
            {"expected_ns", formulas::expectedRetryTime(policy.share, policy.most, attempt, policy.backoff, policy.growth)}}});
    m_notes.push_back(fmt::format("observed retries of {0} are taken out; each attempt fails by itself with {1}, {2} retries at most "
                                  "({3:.4g} attempts expected), and a repeated attempt takes as long as some observed one",
        name, formatShare(policy.share), policy.most, formulas::expectedAttempts(policy.share, policy.most)));
}

void Scenario::stripObserved(const RetryPolicy& policy, std::size_t trace)
{
    if (m_retries == nullptr)
        return;
    const StageTable& table = *m_stages->table;
    for (const AttemptGroup& group : m_retries->groupsOf(trace)) {
        const bool isOf =
            group.stage != StageTable::noStage && (group.stage == policy.stage || table.topLevel(group.stage) == policy.stage);
        if (isOf && counts(group, true))
            stripGroup(group, m_columns->trace(trace));
    }
}

void Scenario::editRetried(const RetryPolicy& policy, std::size_t trace)
{
    const TraceView view = m_columns->trace(trace);
    forEachCall(view, *m_stages, m_columns->firstSpan[trace], policy.stage, [&](std::uint32_t span) {
        if (isLeftOut(span))
            return;
        const auto fails = [&](unsigned attempt) { return drawn(trace, saltOf(view.spanId[span], RetrySalt + attempt)) < policy.share; };
        double wait = policy.backoff;
        double added = 0;
        unsigned attempt = 0;
        for (; attempt < policy.most && fails(attempt); ++attempt, wait *= policy.growth) {
            const double pick = drawn(trace, saltOf(view.spanId[span], DurationSalt + attempt));
            added += wait + double(policy.pool[std::size_t(pick * double(policy.pool.size()))]);
        }
        if (attempt > 0)
            m_trace.spans.push_back({span, -1, false, std::llround(std::min(added, 4e18))});
        if (attempt == policy.most && fails(attempt))
            m_trace.fatal.push_back(span);
    });
}

/// Whether an edit already decides how long \a span takes.
bool Scenario::isLeftOut(std::uint32_t span) const
{
    return std::binary_search(m_leftOut.begin(), m_leftOut.end(), span);
}

void Scenario::editCalls(std::size_t trace)
{
    for (const RetryPolicy& policy : m_policies)
        stripObserved(policy, trace);
    editCached(trace);
    m_leftOut.clear();
    for (const ReplayEdits::SpanEdit& edit : m_trace.spans)
        if (edit.length >= 0)
            m_leftOut.push_back(edit.span);
    std::sort(m_leftOut.begin(), m_leftOut.end());
    for (const RetryPolicy& policy : m_policies)
        editRetried(policy, trace);
    editFailing(trace);
}

} // namespace chokepoint
