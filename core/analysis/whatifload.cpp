// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Changes whose effect a formula tells: speculative decoding, and waits that follow the load.
#include "core/analysis/formulas.h"
#include "core/analysis/populationparts.h"
#include "core/analysis/whatifscenario.h"
#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

using Kind = WhatIfSetting::Kind;

constexpr double draftedAtOnce = 4; // when nothing says how many tokens are drafted
constexpr double draftStepCost = 0.1;
constexpr double nearlyFull = 0.95; // utilization above which queue formulas diverge
constexpr double trustedCalibration = 2; // measured over computed wait, and its inverse

std::optional<double> find(const std::vector<WhatIfSetting>& settings, Kind kind)
{
    std::optional<double> value;
    for (const WhatIfSetting& setting : settings)
        if (setting.kind == kind)
            value = setting.number;
    return value;
}

/// Squared coefficient of variation; 1 for fewer than two values.
double variation(const std::vector<double>& values)
{
    double sum = 0;
    double squares = 0;
    for (const double value : values) {
        sum += value;
        squares += value * value;
    }
    const auto n = double(values.size());
    const double average = n == 0 ? 0 : sum / n;
    if (n < 2 || average <= 0)
        return 1;
    constexpr double least = 1e-9; // below, the sums' rounding is all there is
    const double squared = (squares / n - average * average) / (average * average);
    return squared < least ? 0 : squared;
}

} // namespace

Result<void> Scenario::setSpeculation(const std::vector<WhatIfSetting>& settings)
{
    const auto acceptance = find(settings, Kind::SpeculativeAcceptance);
    if (!acceptance)
        return {};
    const StageId decode = m_stages->table->find("generate.decode");
    Duration time{};
    if (decode != StageTable::noStage)
        for (const std::uint32_t trace : m_population->included)
            time += m_population->onPathOf(trace, decode);
    if (time == Duration{0})
        return fail(ErrorCode::InvalidArgument,
            "spec_accept changes the time of decoding, which these traces do not tell apart; record time to first token or the engine's "
            "decode time");
    const auto draft = unsigned(find(settings, Kind::DraftLength).value_or(draftedAtOnce));
    const double cost = find(settings, Kind::DraftCost).value_or(draftStepCost);
    const double factor = formulas::speculativeFactor(*acceptance, draft, cost);
    scale(decode, factor);
    m_models.push_back({"speculation", m_stages->table->name(decode),
        {{"acceptance", *acceptance}, {"draft_tokens", double(draft)}, {"draft_cost", cost},
            {"tokens_per_verification", formulas::tokensPerVerification(*acceptance, draft)}, {"factor", factor},
            {"break_even_acceptance", formulas::speculativeBreakEven(draft, cost)}}});
    m_notes.push_back(
        fmt::format("decoding takes x{:.4g} of its time with {} drafted tokens, a draft step of {:g} and independent acceptance; the "
                    "traces are taken as decoded without speculation; break-even acceptance {:.3f}",
            factor, draft, cost, formulas::speculativeBreakEven(draft, cost)));
    return {};
}

Result<void> Scenario::setQueues(const std::vector<WhatIfSetting>& settings)
{
    const auto load = find(settings, Kind::Load);
    bool hasServers = false;
    for (const WhatIfSetting& setting : settings) {
        if (setting.kind != Kind::Servers)
            continue;
        hasServers = true;
        const Result<StageId> stage = stageOf(setting);
        if (!stage)
            return fail(stage.error());
        if (Result<void> set = setQueue(*stage, unsigned(setting.number), load.value_or(1)); !set)
            return set;
    }
    if (load && !hasServers)
        return fail(ErrorCode::InvalidArgument, "load changes waits only where the number of servers is known; set servers.STAGE=N too");
    return {};
}

/// What the calls of \a stage tell of their queue.
Scenario::ObservedQueue Scenario::observedQueue(StageId stage, StageId queue) const
{
    std::vector<double> starts;
    ObservedQueue observed;
    for (const std::uint32_t trace : m_population->included) {
        const TraceView view = m_columns->trace(trace);
        const std::uint64_t first = m_columns->firstSpan[trace];
        forEachCall(view, *m_stages, first, stage, [&](std::uint32_t span) {
            double wait = 0;
            for (const DerivedPart& part : derivedParts(*m_stages, first + span, 1))
                if (part.stage == queue)
                    wait += double(toNs(part.end) - toNs(part.begin));
            if (!isKnown(view.duration(span)))
                return;
            starts.push_back(double(toNs(view.start[span])));
            observed.services.push_back(std::max(0.0, double(toNs(view.duration(span))) - wait));
            observed.waited += wait;
        });
    }
    std::sort(starts.begin(), starts.end());
    for (std::size_t i = 1; i < starts.size(); ++i)
        observed.between.push_back(starts[i] - starts[i - 1]);
    observed.extent = starts.empty() ? 0 : starts.back() - starts.front();
    return observed;
}

/// Waits of \a stage follow the load: the formula is calibrated on what was measured and used for the ratio alone (5.4).
Result<void> Scenario::setQueue(StageId stage, unsigned servers, double load)
{
    const std::string& name = m_stages->table->name(stage);
    const StageId queue = m_stages->table->find(name + ".queue");
    const ObservedQueue observed = observedQueue(stage, queue);
    const auto& [between, services, waited, extent] = observed;
    if (queue == StageTable::noStage || waited <= 0)
        return fail(ErrorCode::InvalidArgument,
            fmt::format("servers.{}: these traces do not tell how long {} waited for a server; record its queue time", name, name));
    if (extent <= 0)
        return fail(ErrorCode::InvalidArgument, fmt::format("servers.{}: too few calls to tell how often they arrive", name));
    double service = 0;
    for (const double each : services)
        service += each / double(services.size());
    formulas::Station station{double(between.size()) / extent, service, servers, variation(between), variation(services)};
    const auto now = formulas::waitAllenCunneen(station);
    if (!now)
        return fail(ErrorCode::InvalidArgument,
            fmt::format("servers.{}: {} servers would have been busy {:.0f} % of the time; there must be more", name, servers,
                100 * station.utilization()));
    if (!(*now > 0))
        return fail(ErrorCode::InvalidArgument,
            fmt::format("servers.{}: by the formula nothing would wait, as calls {}, and yet {} was measured; what it waits for is no "
                        "queue of {} servers",
                name, service > 0 ? "arrive and are served at an even pace" : "take no time",
                formatDuration(Duration{std::llround(waited)}), servers));
    const double wait = waited / double(services.size());
    const double calibration = wait / *now;
    const formulas::Station before = station;
    const double repeated = (m_retry.isSet ? (1 + m_retry.wanted) / (1 + m_retry.observed) : 1) * repeatedBy(stage, services.size());
    station.arrivalRate *= load * repeated;
    station.serviceTime *= m_edits.factor[toIndex(stage)];
    const auto then = formulas::waitAllenCunneen(station);
    if (!then)
        return fail(ErrorCode::InvalidArgument,
            fmt::format(
                "unstable: {} would have to be busy {:.0f} % of the time; there is no steady state", name, 100 * station.utilization()));
    m_edits.factor[toIndex(queue)] = *then / *now; // in place of what was said of the whole stage
    m_models.push_back({"queue", name,
        {{"servers", double(servers)}, {"observed_arrivals_per_s", before.arrivalRate * 1e9}, {"arrivals_per_s", station.arrivalRate * 1e9},
            {"observed_service_ns", before.serviceTime}, {"service_ns", station.serviceTime},
            {"arrival_variation", station.arrivalVariation}, {"service_variation", station.serviceVariation},
            {"observed_utilization", before.utilization()}, {"utilization", station.utilization()}, {"observed_wait_ns", wait},
            {"calibration", calibration}, {"wait_ns", calibration * *then}, {"formula_wait_ns", *then},
            {"sakasegawa_wait_ns", formulas::waitSakasegawa(station).value_or(*then)}}});
    m_notes.push_back(
        fmt::format("waits of {} follow Allen and Cunneen's formula, calibrated by K = {:.2f}{}; utilization would be {:.0f} %{}", name,
            calibration, calibration > trustedCalibration || calibration < 1 / trustedCalibration ? " (far from 1: do not trust it)" : "",
            100 * station.utilization(), station.utilization() >= nearlyFull ? ", where the formula diverges" : ""));
    return {};
}

/// Calls of \a stage, once its observed retries are replaced by those of a policy, over the observed ones.
double Scenario::repeatedBy(StageId stage, std::size_t calls) const
{
    double factor = 1;
    for (const RetryPolicy& policy : m_policies) {
        if (policy.stage != stage)
            continue;
        std::size_t repeats = 0;
        for (const std::uint32_t trace : m_population->included)
            for (const AttemptGroup& group : m_retries == nullptr ? std::span<const AttemptGroup>() : m_retries->groupsOf(trace))
                repeats += group.stage == stage && counts(group, true) && group.attemptSpans > 0 ? group.attemptSpans - 1 : 0;
        factor *= double(calls - std::min(calls, repeats)) / double(calls) * formulas::expectedAttempts(policy.share, policy.most);
    }
    return factor;
}

} // namespace chokepoint
