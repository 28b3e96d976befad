// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/whatif.h"

#include "core/analysis/arena.h"
#include "core/analysis/bootstrap.h"
#include "core/analysis/comparestages.h"
#include "core/analysis/summaryintervals.h"
#include "core/analysis/whatifscenario.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>

namespace chokepoint {

namespace {

constexpr std::size_t tracesPerTask = 128;
constexpr int bisections = 30;

/// An edit that changes nothing, so that a trace is put together anew.
ReplayEdits neutralEdits(std::uint32_t span)
{
    ReplayEdits edits;
    edits.spans.push_back({span, -1, false, 0});
    return edits;
}

template <typename Body> void inParallel(std::size_t count, unsigned threads, Body&& body)
{
    arenaFor(threads).execute([&] {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, tracesPerTask),
            [&](const tbb::blocked_range<std::size_t>& range) { body(range.begin(), range.end()); });
    });
}

double meanOf(const std::vector<Duration>& values)
{
    double sum = 0;
    for (const Duration value : values)
        sum += double(toNs(value));
    return values.empty() ? 0 : sum / double(values.size());
}

/// The order of \a values, ascending.
std::vector<std::uint32_t> ascending(const std::vector<Duration>& values)
{
    std::vector<std::uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(
        order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return std::pair(values[a], a) < std::pair(values[b], b); });
    return order;
}

/// The lower p-quantile of a resample of \a size values in which trace i occurs counts[i] times.
double resampledQuantile(const std::vector<Duration>& values, const std::vector<std::uint32_t>& order,
    const std::vector<std::uint32_t>& counts, std::uint64_t size, double p)
{
    const auto rank = std::uint64_t(p * double(size - 1));
    std::uint64_t seen = 0;
    for (const std::uint32_t i : order) {
        seen += counts[i];
        if (seen > rank)
            return double(toNs(values[i]));
    }
    return double(toNs(values[order.back()]));
}

} // namespace

const char* waitReadingName(WaitReading reading)
{
    switch (reading) {
    case WaitReading::Pessimistic: return "pessimistic";
    case WaitReading::Learned: return "learned";
    case WaitReading::Declared: return "declared";
    }
    return "";
}

Result<WhatIf> WhatIf::create(const TraceColumns& columns, const StageMap& stages, const Population& population,
    const RetryAnalysis* retries, const PathOptions& options, unsigned threads, const JobControl& job, const DeclaredOrders& declared,
    const CheckFacts* facts)
{
    WhatIf whatIf;
    whatIf.m_columns = &columns;
    whatIf.m_stages = &stages;
    whatIf.m_population = &population;
    whatIf.m_retries = retries;
    whatIf.m_options = options;
    whatIf.m_threads = threads;
    whatIf.m_declared = declared;
    whatIf.m_facts = facts;
    if (population.included.empty())
        return fail(ErrorCode::InvalidArgument, "there is no complete trace to replay");
    if (options.window != PathWindow::Root)
        return fail(ErrorCode::InvalidArgument, "a what-if replays whole requests; it has no other window than the root's");
    if (Result<void> learned = whatIf.learn(job); !learned)
        return fail(std::move(learned).error());
    return whatIf;
}

/// Orders of operations, and how many traces a replay without a change gives back exactly.
Result<void> WhatIf::learn(const JobControl& job)
{
    job.report({.step = "Finding what waits for what"});
    tbb::enumerable_thread_specific<OrderVotes> votes;
    tbb::enumerable_thread_specific<Replayer> replayers([this] { return Replayer(*m_columns->dictionary, *m_stages, m_options, nullptr); });
    tbb::enumerable_thread_specific<std::size_t> exact(0);
    const std::vector<std::uint32_t>& included = m_population->included;
    inParallel(included.size(), m_threads, [&](std::size_t begin, std::size_t end) {
        Replayer& replayer = replayers.local();
        for (std::size_t i = begin; i < end && !job.stopRequested(); ++i) {
            const std::uint32_t trace = included[i];
            if (!replayer.prepare(m_columns->trace(trace), m_columns->firstSpan[trace]))
                continue;
            replayer.observeOrders(votes.local());
            const auto root = std::uint32_t(m_population->traces[trace].root);
            exact.local() += replayer.replay(neutralEdits(root)).e2e == m_population->traces[trace].e2e ? 1 : 0;
        }
    });
    if (job.stopRequested())
        return fail(ErrorCode::Cancelled, "cancelled");
    OrderVotes all;
    for (const OrderVotes& each : votes)
        all.merge(each);
    m_broken = all.broken();
    std::size_t exactTraces = 0;
    for (const std::size_t each : exact)
        exactTraces += each;
    m_fidelity = double(exactTraces) / double(included.size());
    return {};
}

WhatIf::Outcome WhatIf::observed() const
{
    Outcome outcome;
    outcome.e2e = m_population->e2e();
    outcome.onPath.assign(m_population->stageCount, Duration{0});
    for (const std::uint32_t trace : m_population->included)
        for (std::size_t stage = 0; stage < m_population->stageCount; ++stage)
            outcome.onPath[stage] += m_population->onPath[trace * m_population->stageCount + stage];
    return outcome;
}

Result<WhatIf::Outcome> WhatIf::replayAll(const Scenario* scenario, WaitReading reading, const JobControl& job) const
{
    if (scenario == nullptr || scenario->isNothing())
        return observed();
    struct Worker {
        Replayer replayer;
        Scenario scenario;
        std::vector<Duration> onPath;
        std::size_t failed = 0;
    };
    const std::vector<std::uint32_t>& included = m_population->included;
    Outcome outcome;
    outcome.e2e.assign(included.size(), unknownDuration);
    outcome.onPath.assign(m_stages->table->size(), Duration{0});
    const BrokenOrders* broken = reading == WaitReading::Pessimistic ? nullptr : &m_broken;
    const DeclaredOrders declared = reading == WaitReading::Declared ? m_declared : DeclaredOrders{};
    tbb::enumerable_thread_specific<Worker> workers([&] {
        return Worker{Replayer(*m_columns->dictionary, *m_stages, m_options, broken, declared), *scenario, outcome.onPath, 0};
    });
    inParallel(included.size(), m_threads, [&](std::size_t begin, std::size_t end) {
        Worker& worker = workers.local();
        for (std::size_t i = begin; i < end && !job.stopRequested(); ++i) {
            const std::uint32_t trace = included[i];
            if (!worker.replayer.prepare(m_columns->trace(trace), m_columns->firstSpan[trace]))
                continue;
            const Replayed& replayed = worker.replayer.replay(worker.scenario.editsOf(trace));
            outcome.e2e[i] = replayed.e2e;
            worker.failed += replayed.failed ? 1 : 0;
            for (std::size_t stage = 0; stage < replayed.onPath.size(); ++stage)
                worker.onPath[stage] += replayed.onPath[stage];
        }
    });
    if (job.stopRequested())
        return fail(ErrorCode::Cancelled, "cancelled");
    for (const Worker& worker : workers) {
        outcome.failed += worker.failed;
        for (std::size_t stage = 0; stage < outcome.onPath.size(); ++stage)
            outcome.onPath[stage] += worker.onPath[stage];
    }
    return outcome;
}

void WhatIf::setFigures(WhatIfFigures& figures, const std::vector<std::string>& stages, const Outcome& outcome) const
{
    figures.e2e = e2eFigures(outcome.e2e);
    Duration largest{-1};
    const auto n = WideSum(outcome.e2e.size());
    for (const std::string& name : stages) {
        const StageId top = m_stages->table->find(name);
        Duration sum{};
        for (std::size_t stage = 0; stage < outcome.onPath.size(); ++stage)
            if (m_stages->table->topLevel(StageId(stage)) == top)
                sum += outcome.onPath[stage];
        figures.stageMean.emplace_back(std::int64_t((2 * WideSum(toNs(sum)) + n) / (2 * n)));
        if (sum > largest) {
            largest = sum;
            figures.bottleneck = name;
        }
    }
}

/// The prediction under every reading that applies, from the most waits to the fewest.
Result<void> WhatIf::setReadings(
    WhatIfResult& result, const Scenario& scenario, const Outcome& predicted, WaitReading reading, const JobControl& job) const
{
    bool differ = false;
    for (const WaitReading each : {WaitReading::Pessimistic, WaitReading::Learned, WaitReading::Declared}) {
        const bool applies =
            each == reading || each == WaitReading::Pessimistic || (each == WaitReading::Learned ? !m_broken.empty() : !m_declared.empty());
        if (!applies || (each != reading && m_broken.empty() && m_declared.empty()))
            continue;
        const Result<Outcome> outcome = each == reading ? Result<Outcome>(predicted) : replayAll(&scenario, each, job);
        if (!outcome)
            return fail(outcome.error());
        differ = differ || outcome->e2e != predicted.e2e;
        result.readings.emplace_back(each, e2eFigures(outcome->e2e));
        if (each == WaitReading::Pessimistic && result.readings.back().second.mean != result.predicted.e2e.mean)
            result.pessimisticMean = result.readings.back().second.mean;
    }
    if (!differ)
        result.readings.clear();
    return {};
}

void WhatIf::setIntervals(WhatIfResult& result, const Outcome& base, const Outcome& predicted, const Options& options) const
{
    const std::size_t n = base.e2e.size();
    const RowClusters* const clusters = options.clusters;
    if (clusters != nullptr) {
        result.notes.push_back(fmt::format("intervals draw whole clusters by {}: {}", options.cluster, clusters->size()));
        const ResampledSide unit{clusters->size(), clusters->largest(), clusters->unnamed};
        for (const std::string& warning : clusterWarnings(unit, options.cluster))
            result.notes.push_back(warning);
    }
    if (n < minimumForMean || (clusters != nullptr && clusters->size() < clustersNeeded))
        return;
    const bool hasTail = n >= minimumForInterval(0.95);
    const std::vector<std::uint32_t> baseOrder = ascending(base.e2e);
    const std::vector<std::uint32_t> predictedOrder = ascending(predicted.e2e);
    std::vector<double> means;
    std::vector<double> tails;
    std::vector<std::uint32_t> drawn(clusters == nullptr ? n : clusters->size());
    std::vector<std::uint32_t> counts(n);
    for (unsigned r = 0; r < options.replicates; ++r) {
        RandomStream random(options.seed, r);
        std::fill(drawn.begin(), drawn.end(), 0U);
        for (std::size_t draw = 0; draw < drawn.size(); ++draw)
            ++drawn[std::min(drawn.size() - 1, std::size_t(random.uniform() * double(drawn.size())))];
        double sum = 0;
        std::uint64_t size = 0;
        for (std::size_t i = 0; i < n; ++i) {
            counts[i] = drawn[clusters == nullptr ? i : clusters->ofRow[i]];
            size += counts[i];
            sum += double(counts[i]) * double(toNs(predicted.e2e[i]) - toNs(base.e2e[i]));
        }
        means.push_back(sum / double(size));
        if (hasTail)
            tails.push_back(resampledQuantile(predicted.e2e, predictedOrder, counts, size, 0.95)
                - resampledQuantile(base.e2e, baseOrder, counts, size, 0.95));
    }
    result.meanInterval = percentileInterval(means);
    if (hasTail)
        result.p95Interval = percentileInterval(tails);
}

Result<void> WhatIf::setCeilings(WhatIfResult& result, const Outcome& base, const Options& options, const JobControl& job) const
{
    for (std::size_t s = 0; s < result.stages.size(); ++s) {
        if (result.base.stageMean[s] == Duration{0})
            continue;
        WhatIfSetting setting{WhatIfSetting::Kind::ScaleStage, result.stages[s], 0, "stage." + result.stages[s] + "=x0"};
        const Result<Scenario> scenario =
            Scenario::create({setting}, options.seed, *m_columns, *m_stages, *m_population, m_retries, m_facts);
        if (!scenario)
            return fail(scenario.error());
        const Result<Outcome> without = replayAll(&*scenario, options.reading, job);
        if (!without)
            return fail(without.error());
        const double mean = meanOf(without->e2e);
        result.ceilings.push_back(
            {result.stages[s], mean > 0 ? meanOf(base.e2e) / mean : std::numeric_limits<double>::infinity(), e2eFigures(without->e2e).p95});
    }
    std::stable_sort(
        result.ceilings.begin(), result.ceilings.end(), [](const StageCeiling& a, const StageCeiling& b) { return a.speedup > b.speedup; });
    return {};
}

Result<WhatIfResult> WhatIf::run(const std::vector<WhatIfSetting>& settings, const Options& options, const JobControl& job) const
{
    if (options.reading == WaitReading::Declared && m_declared.empty())
        return fail(ErrorCode::InvalidArgument,
            "nothing declares what waits for what: no span links to one before it in its trace, and no rule file has \"dependencies\" of "
            "stages that occur");
    Result<Scenario> scenario = Scenario::create(settings, options.seed, *m_columns, *m_stages, *m_population, m_retries, m_facts);
    if (!scenario)
        return fail(std::move(scenario).error());
    const Outcome base = observed();
    const Result<Outcome> predicted = replayAll(&*scenario, options.reading, job);
    if (!predicted)
        return fail(predicted.error());
    WhatIfResult result;
    result.traces = base.e2e.size();
    result.fidelity = m_fidelity;
    result.notes = scenario->notes();
    result.models = scenario->models();
    result.failedShare = double(predicted->failed) / double(base.e2e.size());
    for (std::size_t stage = 0; stage < m_stages->table->size(); ++stage) {
        const StageId id{StageId(stage)};
        const bool isTop = m_stages->table->topLevel(id) == id;
        const auto isOnPath = [&](std::size_t other) {
            return m_stages->table->topLevel(StageId(other)) == id
                && (base.onPath[other] != Duration{0} || predicted->onPath[other] != Duration{0});
        };
        bool occurs = false;
        for (std::size_t other = 0; isTop && other < m_stages->table->size(); ++other)
            occurs = occurs || isOnPath(other);
        if (occurs)
            result.stages.push_back(m_stages->table->name(id));
    }
    std::sort(result.stages.begin(), result.stages.end());
    setFigures(result.base, result.stages, base);
    setFigures(result.predicted, result.stages, *predicted);
    if (options.readings && !settings.empty())
        if (Result<void> set = setReadings(result, *scenario, *predicted, options.reading, job); !set)
            return fail(std::move(set).error());
    if (options.intervals)
        setIntervals(result, base, *predicted, options);
    if (options.ceilings)
        if (Result<void> set = setCeilings(result, base, options, job); !set)
            return fail(std::move(set).error());
    return result;
}

Result<std::optional<double>> WhatIf::factorNeeded(
    const std::string& stage, double p, Duration target, const Options& options, const JobControl& job) const
{
    const auto reached = [&](double factor) -> Result<bool> {
        const WhatIfSetting setting{WhatIfSetting::Kind::ScaleStage, stage, factor, "stage." + stage};
        const Result<Scenario> scenario =
            Scenario::create({setting}, options.seed, *m_columns, *m_stages, *m_population, m_retries, m_facts);
        if (!scenario)
            return fail(scenario.error());
        Result<Outcome> outcome = replayAll(factor == 1 ? nullptr : &*scenario, options.reading, job);
        if (!outcome)
            return fail(std::move(outcome).error());
        std::sort(outcome->e2e.begin(), outcome->e2e.end());
        return quantile(outcome->e2e, p) <= target;
    };
    for (const double factor : {1.0, 0.0}) {
        const Result<bool> isEnough = reached(factor);
        if (!isEnough)
            return fail(isEnough.error());
        if (*isEnough == (factor == 1))
            return factor == 1 ? std::optional(1.0) : std::nullopt;
    }
    double low = 0; // enough
    double high = 1; // not enough
    for (int step = 0; step < bisections; ++step) {
        const double middle = (low + high) / 2;
        const Result<bool> isEnough = reached(middle);
        if (!isEnough)
            return fail(isEnough.error());
        (*isEnough ? low : high) = middle;
    }
    return std::optional(low);
}

} // namespace chokepoint
