// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/amdahl.h"

#include "core/analysis/formulas.h"
#include "core/analysis/replaysample.h"
#include "core/analysis/stageaccounts.h"
#include "core/analysis/whatif.h"

#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace chokepoint {

namespace {

/// Sorts the terms, rounds them to whole ns, and lets "rest" take what is missing.
std::vector<AmdahlTerm> settled(std::vector<std::pair<std::string, double>> shares, Duration gap)
{
    std::vector<AmdahlTerm> terms;
    Duration rest = gap;
    for (const auto& [what, ns] : shares) {
        const Duration time{std::llround(ns)};
        if (time == Duration{0})
            continue;
        terms.push_back({what, time});
        rest -= time;
    }
    std::stable_sort(terms.begin(), terms.end(),
        [](const AmdahlTerm& a, const AmdahlTerm& b) { return std::abs(toNs(a.time)) > std::abs(toNs(b.time)); });
    if (rest != Duration{0})
        terms.push_back({"rest", rest});
    return terms;
}

/// The largest factor below 1: it changes no whole ns, but the trace is put together anew.
const double almostOne = std::nextafter(1.0, 0.0);

const WhatIf::Options oneReading{.readings = false};

bool isOverhead(const std::string& stage)
{
    return stage == "queue" || stage == "backoff";
}

using StageMeans = std::map<std::string, double>; // on path, ns, by stage

/// BEFORE put together anew: as it was, which leaves time between spans with the spans that own it, and with one stage faster.
struct StageReplay {
    StageMeans same;
    StageMeans faster;
};

class AmdahlRun {
public:
    AmdahlRun(const AmdahlSide& before, const AmdahlSide& after, const Comparison& comparison, const JobControl& job)
        : m_before(before), m_after(after), m_comparison(comparison), m_job(job)
    {
    }

    [[nodiscard]] Result<AmdahlAnalysis> run()
    {
        const StageAxis axis; // none: usefulTimes() has the times of the stages
        SideFigures first;
        SideFigures second;
        tbb::parallel_invoke([&] { first = sideFigures(m_before.side, axis); }, [&] { second = sideFigures(m_after.side, axis); });
        if (first.size() == 0 || second.size() == 0)
            return AmdahlAnalysis{{}, std::nullopt, "one side has no complete trace"};
        if (Result<void> set = setAccounts(first, second); !set)
            return fail(std::move(set).error());
        m_meanBefore = double(first.e2eSum) / m_accounts.n;
        m_meanAfter = double(second.e2eSum) / m_accounts.m;
        if (m_comparison.verdict == VerdictKind::Identical)
            return AmdahlAnalysis{};
        m_population = replaySample(m_before.side.columns, m_before.side.population, replayedAtMost);
        AmdahlAnalysis result;
        Result<WhatIf> whatIf = WhatIf::create(m_before.side.columns, m_before.side.stages, m_population, m_before.retries, m_before.path,
            m_comparison.options.threads, m_job);
        if (!whatIf && whatIf.error().code == ErrorCode::Cancelled)
            return fail(std::move(whatIf).error());
        if (!whatIf)
            result.shortfall = whatIf.error().detail;
        if (Result<void> set = setRows(whatIf ? &*whatIf : nullptr, result); !set)
            return fail(std::move(set).error());
        if (whatIf)
            if (Result<void> set = setBacktest(*whatIf, second, result); !set)
                return fail(std::move(set).error());
        return result;
    }

private:
    Result<void> setAccounts(const SideFigures& first, const SideFigures& second)
    {
        const auto timesOf = [this](const AmdahlSide& of, const SideFigures& figures) {
            return usefulTimes(of.side.columns, of.side.stages, of.side.population, of.retries, of.path, figures.trace,
                m_comparison.options.threads, m_job);
        };
        const Result<UsefulTimes> before = timesOf(m_before, first);
        if (!before)
            return fail(before.error());
        const Result<UsefulTimes> after = timesOf(m_after, second);
        if (!after)
            return fail(after.error());
        m_accounts = accountsOf(*before, first, *after, second);
        return {};
    }

    [[nodiscard]] const StageRow* rowOf(const std::string& stage) const
    {
        for (const StageRow& row : m_comparison.stages)
            if (row.stage == stage)
                return &row;
        return nullptr;
    }

    [[nodiscard]] Result<void> setRows(const WhatIf* whatIf, AmdahlAnalysis& result) const
    {
        const CompareOptions& options = m_comparison.options;
        const double relevant = std::max(options.relevantShare * m_meanBefore, double(toNs(options.relevantTime)));
        for (std::size_t s = 0; s < m_accounts.stages.size(); ++s) {
            const StageRow* row = rowOf(m_accounts.stages[s]);
            const double factor = m_accounts.factor(s);
            if (row == nullptr || isOverhead(row->stage) || m_accounts.onPath[s] * (1 - factor) < relevant)
                continue;
            std::optional<StageReplay> replay;
            if (whatIf != nullptr) {
                Result<WhatIfResult> same = scaled(*whatIf, row->stage, almostOne);
                if (!same)
                    return fail(std::move(same).error());
                Result<WhatIfResult> faster = scaled(*whatIf, row->stage, factor);
                if (!faster)
                    return fail(std::move(faster).error());
                replay = StageReplay{meansOf(*same), meansOf(*faster)};
            }
            result.stages.push_back(rowFor(s, *row, factor, replay));
        }
        std::stable_sort(result.stages.begin(), result.stages.end(),
            [](const AmdahlRow& a, const AmdahlRow& b) { return a.predictedSpeedup > b.predictedSpeedup; });
        return {};
    }

    [[nodiscard]] AmdahlRow rowFor(std::size_t stage, const StageRow& of, double factor, const std::optional<StageReplay>& replay) const
    {
        AmdahlRow row;
        row.stage = of.stage;
        row.label = of.label;
        row.significant = of.significant;
        row.factor = factor;
        row.stageSpeedup = 1 / factor;
        row.shareBefore = of.beforeShare;
        row.predictedSpeedup = formulas::amdahlSpeedup(of.beforeShare, factor);
        row.ceilingSpeedup = formulas::amdahlCeiling(of.beforeShare);
        row.actualSpeedup = m_meanBefore / m_meanAfter;
        const double predicted = m_meanBefore - (1 - factor) * m_accounts.onPath[stage];
        row.predicted = Duration{std::llround(predicted)};
        row.gap = Duration{std::llround(m_meanAfter)} - row.predicted;
        row.terms = settled(termsOf(stage, factor, replay), row.gap);
        return row;
    }

    [[nodiscard]] Result<WhatIfResult> scaled(const WhatIf& whatIf, const std::string& stage, double factor) const
    {
        return whatIf.run({{WhatIfSetting::Kind::ScaleStage, stage, factor, "stage." + stage}}, oneReading, m_job);
    }

    [[nodiscard]] static StageMeans meansOf(const WhatIfResult& replay)
    {
        StageMeans means;
        for (std::size_t s = 0; s < replay.stages.size(); ++s)
            means[replay.stages[s]] = double(toNs(replay.predicted.stageMean[s]));
        return means;
    }

    [[nodiscard]] std::vector<std::pair<std::string, double>> termsOf(
        std::size_t target, double factor, const std::optional<StageReplay>& replay) const
    {
        StageMeans moved; // what the replay alone does to the stages, against the line of Amdahl
        if (replay) {
            moved = replay->faster;
            for (const auto& [stage, ns] : replay->same)
                moved[stage] -= ns;
            const auto itself = replay->same.find(m_accounts.stages[target]);
            moved[m_accounts.stages[target]] += itself == replay->same.end() ? 0 : (1 - factor) * itself->second;
        }
        std::vector<std::pair<std::string, double>> terms;
        double hidden = 0;
        for (const auto& [stage, ns] : moved)
            hidden += ns;
        terms.emplace_back("critical-path", hidden);
        const StageOverhead& overhead = m_accounts.overhead[target];
        terms.emplace_back(
            "retries", m_accounts.change([](const KindSums& sums) { return sums.retry; }).within + (1 - factor) * overhead.retry);
        terms.emplace_back(
            "queue", m_accounts.change([](const KindSums& sums) { return sums.queue; }).within + (1 - factor) * overhead.queue);
        double mix = 0;
        for (std::size_t s = 0; s < m_accounts.stages.size(); ++s) {
            const MeanChange change = m_accounts.change([s](const KindSums& sums) { return sums.useful[s]; });
            const double useful = m_accounts.onPath[s] - m_accounts.overhead[s].retry - m_accounts.overhead[s].queue;
            const double taken = s == target ? (1 - factor) * useful : 0;
            terms.emplace_back("stage:" + m_accounts.stages[s], change.within + taken - moved[m_accounts.stages[s]]);
            mix += change.mix;
        }
        mix += m_accounts.change([](const KindSums& sums) { return sums.retry + sums.queue; }).mix;
        terms.emplace_back("mix", mix);
        return terms;
    }

    [[nodiscard]] Result<void> setBacktest(const WhatIf& whatIf, const SideFigures& second, AmdahlAnalysis& result) const
    {
        Backtest backtest;
        std::vector<WhatIfSetting> settings;
        for (std::size_t s = 0; s < m_accounts.stages.size(); ++s) {
            const StageRow* row = rowOf(m_accounts.stages[s]);
            if (row == nullptr)
                continue;
            if (m_accounts.onPath[s] == 0) {
                backtest.unpredicted.push_back(row->stage);
                continue;
            }
            const double factor = isOverhead(row->stage) ? 1 : m_accounts.factor(s);
            if (factor == 1)
                continue;
            settings.push_back({WhatIfSetting::Kind::ScaleStage, row->stage, factor, "stage." + row->stage});
            backtest.factors.push_back({row->stage, factor, Duration{0}, row->afterMean});
        }
        if (settings.empty())
            return {};
        const Result<WhatIfResult> replay = whatIf.run(settings, oneReading, m_job);
        if (!replay)
            return fail(replay.error());
        for (BacktestFactor& factor : backtest.factors)
            for (std::size_t s = 0; s < replay->stages.size(); ++s)
                if (replay->stages[s] == factor.stage)
                    factor.predicted = replay->predicted.stageMean[s];
        backtest.traces = replay->traces;
        const E2eFigures& base = replay->base.e2e;
        const E2eFigures& predicted = replay->predicted.e2e;
        const E2eFigures retried = withRetries(whatIf, settings);
        const auto add = [&](Statistic statistic, Duration E2eFigures::*member, Duration actual) {
            BacktestRow row{statistic, base.*member, predicted.*member, actual, std::nullopt, retried.*member};
            if (toNs(actual) > 0)
                row.error = double(toNs(row.predicted)) / double(toNs(actual)) - 1;
            backtest.rows.push_back(row);
        };
        add(Statistic::Mean, &E2eFigures::mean, mean(second.e2e));
        add(Statistic::P50, &E2eFigures::p50, quantile(second.e2e, 0.5));
        add(Statistic::P95, &E2eFigures::p95, quantile(second.e2e, 0.95));
        result.backtest = std::move(backtest);
        return {};
    }

    /// The same with AFTER's share of retried requests; unknown where BEFORE has nothing to draw retries from.
    [[nodiscard]] E2eFigures withRetries(const WhatIf& whatIf, std::vector<WhatIfSetting> settings) const
    {
        if (m_before.retries == nullptr || m_after.retries == nullptr || m_after.retries->summary.requests == 0)
            return {};
        settings.push_back({WhatIfSetting::Kind::RetryRate, {}, m_after.retries->summary.retryRate(), "retry_rate"});
        const Result<WhatIfResult> replay = whatIf.run(settings, oneReading, m_job);
        return replay ? replay->predicted.e2e : E2eFigures{};
    }

    const AmdahlSide& m_before;
    const AmdahlSide& m_after;
    const Comparison& m_comparison;
    const JobControl& m_job;
    StageAccounts m_accounts;
    Population m_population; // of BEFORE, what is replayed
    double m_meanBefore = 0; // ns
    double m_meanAfter = 0;
};

} // namespace

Result<AmdahlAnalysis> analyseAmdahl(const AmdahlSide& before, const AmdahlSide& after, const Comparison& comparison, const JobControl& job)
{
    job.report({.step = "Comparing with Amdahl's law"});
    return AmdahlRun(before, after, comparison, job).run();
}

} // namespace chokepoint
