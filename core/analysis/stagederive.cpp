// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Units by vote, then queue, prefill and decode laid out from the start of the span.
#include "core/analysis/stagederive.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

constexpr std::array<double, 4> unitFactors{1e9, 1e6, 1e3, 1};
constexpr std::array<std::string_view, 4> unitNames{"s", "ms", "us", "ns"};
constexpr double slackShare = 1.05; // a latency may pass its span by 5 % and 5 ms
constexpr double slackNs = 5e6;
constexpr std::int64_t overlapNs = 5'000'000; // rounding of latencies that should add up
constexpr std::uint32_t quorum = 5; // spans that must have voted before they decide for others

bool fitsSpan(double ns, double durationNs)
{
    return ns <= slackShare * durationNs + slackNs;
}

/// The unit for one value alone: the first in which it is neither longer than the span nor below a thousandth of it.
std::optional<std::size_t> unitAlone(double value, double durationNs)
{
    for (std::size_t u = 0; u < unitFactors.size(); ++u) {
        if (fitsSpan(value * unitFactors[u], durationNs) && value * unitFactors[u] >= durationNs / 1000)
            return u;
    }
    return std::nullopt;
}

/// The unit in which all \a values fit the span, or in which \a total comes nearest to it.
std::optional<std::size_t> commonUnit(const std::vector<double>& values, std::optional<double> total, double durationNs)
{
    if (total && *total > 0) {
        std::size_t best = 0;
        for (std::size_t u = 1; u < unitFactors.size(); ++u) {
            if (std::abs(std::log(*total * unitFactors[u] / durationNs)) < std::abs(std::log(*total * unitFactors[best] / durationNs)))
                best = u;
        }
        const double ratio = *total * unitFactors[best] / durationNs;
        if (ratio >= 0.5 && ratio <= 1.1)
            return best;
    }
    const double largest = *std::max_element(values.begin(), values.end());
    return unitAlone(largest, durationNs);
}

} // namespace

DerivedStages::DerivedStages(const StageRules& rules)
    : m_rules(rules), m_generate(rules.table.find("generate")), m_preprocess(rules.table.find("preprocess")),
      m_wait(rules.table.find("queue")), m_queue(rules.table.find("generate.queue")), m_prefill(rules.table.find("generate.prefill")),
      m_decode(rules.table.find("generate.decode"))
{
}

void DerivedStages::add(std::uint64_t span, Duration duration, ResourceId resource, ScopeId scope, const LatencyReadings& readings,
    const Dictionary& dictionary)
{
    const bool any = std::any_of(readings.begin(), readings.end(), [](const auto& reading) { return reading.has_value(); });
    if (!any || !isKnown(duration) || duration <= Duration(0) || m_queue == StageTable::noStage || m_prefill == StageTable::noStage
        || m_decode == StageTable::noStage)
        return;
    for (const std::optional<LatencyReading>& reading : readings) {
        const auto unit = reading ? m_rules.units.find(dictionary.text(reading->key)) : m_rules.units.end();
        if (unit != m_rules.units.end()) {
            const auto index = std::find(unitNames.begin(), unitNames.end(), unit->second) - unitNames.begin();
            m_stated[std::uint32_t(toIndex(reading->key))] = unitFactors[std::size_t(index)];
        }
    }
    m_rows.push_back({span, duration, resource, scope, readings});
    vote(m_rows.back());
}

void DerivedStages::vote(const Row& row)
{
    const auto durationNs = double(toNs(row.duration));
    std::vector<double> values;
    for (const std::optional<LatencyReading>& reading : row.readings) {
        if (reading && !reading->isNs)
            values.push_back(reading->value);
    }
    if (values.empty())
        return;
    const std::optional<LatencyReading>& total = row.readings[std::size_t(Latency::Total)];
    const std::optional<std::size_t> common =
        commonUnit(values, total && !total->isNs ? std::optional(total->value) : std::nullopt, durationNs);
    for (const std::optional<LatencyReading>& reading : row.readings) {
        if (!reading || reading->isNs || reading->value == 0)
            continue;
        // Programs that mix units in one span (seconds of queue, nanoseconds of prefill) are settled key by key.
        const bool fits = common && fitsSpan(reading->value * unitFactors[*common], durationNs);
        const std::optional<std::size_t> unit = fits ? common : unitAlone(reading->value, durationNs);
        if (!unit)
            continue;
        Votes& votes = m_votes[{std::uint32_t(row.resource), std::uint32_t(row.scope), std::uint32_t(reading->key)}];
        if (votes.count[*unit]++ == 0)
            votes.firstSpan[*unit] = row.span;
    }
}

std::optional<std::int64_t> DerivedStages::nanoseconds(const Row& row, Latency latency) const
{
    const std::optional<LatencyReading>& reading = row.readings[std::size_t(latency)];
    if (!reading)
        return std::nullopt;
    const auto durationNs = double(toNs(row.duration));
    double factor = 1;
    if (const auto stated = m_stated.find(std::uint32_t(reading->key)); !reading->isNs && stated != m_stated.end()) {
        factor = stated->second;
    } else if (!reading->isNs && reading->value > 0) {
        const auto votes = m_votes.find({std::uint32_t(row.resource), std::uint32_t(row.scope), std::uint32_t(reading->key)});
        if (votes == m_votes.end())
            return std::nullopt;
        const std::optional<std::size_t> own = votes->second.total() < quorum ? unitAlone(reading->value, durationNs) : std::nullopt;
        factor = unitFactors[own.value_or(votes->second.winner())];
    }
    const double ns = reading->value * factor;
    return fitsSpan(ns, durationNs) ? std::optional(std::int64_t(std::llround(ns))) : std::nullopt;
}

/// Triton: a request waits from QUEUE_START on, then its input is copied to the device.
void DerivedStages::addEvents(std::uint64_t span, Duration duration, StageId stage, const EngineEvents& events)
{
    if (!isKnown(duration))
        return;
    const auto at = [&](EngineEvent event) { return events[std::size_t(event)]; };
    const auto addPart = [&](StageId part, Duration begin, Duration end) {
        if (!isKnown(begin) || !isKnown(end) || part == StageTable::noStage)
            return;
        const Duration from = std::clamp(begin, Duration(0), duration);
        const Duration until = std::clamp(end, Duration(0), duration);
        if (until > from)
            m_fromEvents.push_back({span, part, from, until});
    };
    addPart(stage == m_generate ? m_queue : m_wait, at(EngineEvent::QueueStart), at(EngineEvent::ComputeStart));
    addPart(m_preprocess, at(EngineEvent::ComputeStart), at(EngineEvent::ComputeInputEnd));
}

void DerivedStages::appendParts(const Row& row, std::vector<DerivedPart>& parts) const
{
    const std::optional<std::int64_t> preprocess = nanoseconds(row, Latency::Preprocess);
    const std::optional<std::int64_t> queue = nanoseconds(row, Latency::Queue);
    std::optional<std::int64_t> prefill = nanoseconds(row, Latency::Prefill);
    std::optional<std::int64_t> decode = nanoseconds(row, Latency::Decode);
    const std::optional<std::int64_t> firstToken = nanoseconds(row, Latency::TimeToFirstToken);
    const std::optional<std::int64_t> total = nanoseconds(row, Latency::Total);
    // An engine that starts to count at the hand-over counts its queue as a part of the prefill.
    if (firstToken && queue && prefill && *queue + *prefill > *firstToken + overlapNs && *prefill <= *firstToken + overlapNs)
        prefill = std::max<std::int64_t>(0, *prefill - *queue);
    // What comes before the queue (tokenising, hand-over) is known where it is told, or where all three are.
    const std::int64_t before = preprocess ? *preprocess
        : firstToken && queue && prefill   ? std::max<std::int64_t>(0, *firstToken - *queue - *prefill)
                                           : 0;
    std::int64_t at = 0;
    if (!prefill && firstToken && queue)
        prefill = std::max<std::int64_t>(0, *firstToken - *queue);
    if (!decode && firstToken && total)
        decode = std::max<std::int64_t>(0, *total - *firstToken);
    if (!prefill && firstToken && decode && !queue)
        at = *firstToken; // queue and prefill cannot be told apart; the answer begins here
    const std::int64_t end = toNs(row.duration);
    const std::array<std::pair<StageId, std::optional<std::int64_t>>, 4> lengths{
        {{m_preprocess, before}, {m_queue, queue}, {m_prefill, prefill}, {m_decode, decode}}};
    for (const auto& [stage, length] : lengths) {
        const std::int64_t until = std::min(end, at + length.value_or(0));
        if (until > at)
            parts.push_back({row.span, stage, Duration(at), Duration(until)});
        at = std::max(at, until);
    }
}

std::vector<DerivedPart> DerivedStages::parts() const
{
    std::vector<DerivedPart> parts;
    for (const Row& row : m_rows)
        appendParts(row, parts);
    const auto middle = std::ptrdiff_t(parts.size());
    parts.insert(parts.end(), m_fromEvents.begin(), m_fromEvents.end());
    std::inplace_merge(
        parts.begin(), parts.begin() + middle, parts.end(), [](const DerivedPart& a, const DerivedPart& b) { return a.span < b.span; });
    return parts;
}

std::vector<StageDoubt> DerivedStages::doubts(const Dictionary& dictionary) const
{
    StageDoubt unknown{DiagnosticCode::UnitUnknown, 0, 0, {}};
    for (const Row& row : m_rows) {
        const auto misfit = std::find_if(row.readings.begin(), row.readings.end(), [&](const std::optional<LatencyReading>& reading) {
            return reading && !nanoseconds(row, Latency(&reading - row.readings.data()));
        });
        if (misfit != row.readings.end() && unknown.count++ == 0) {
            unknown.span = row.span;
            unknown.what = fmt::format("{} is {}, which fits a span of {} in no unit that the others agree on; left out",
                dictionary.text((*misfit)->key), (*misfit)->value, formatDuration(row.duration));
        }
    }
    std::vector<StageDoubt> doubts;
    if (unknown.count > 0)
        doubts.push_back(std::move(unknown));
    for (const auto& [emitter, votes] : m_votes) {
        const std::size_t winner = votes.winner();
        const std::uint32_t others = votes.total() - votes.count[winner];
        if (votes.total() < quorum || others * 10 <= votes.total())
            continue;
        std::size_t other = winner == 0 ? 1 : 0;
        for (std::size_t u = 0; u < unitFactors.size(); ++u)
            other = u != winner && votes.count[u] > votes.count[other] ? u : other;
        doubts.push_back({DiagnosticCode::UnitMixed, others, votes.firstSpan[other],
            fmt::format("{} is in {} on {} spans and in {} on {} of one program; two producers may share a service name",
                dictionary.text(StringId(std::get<2>(emitter))), unitNames[winner], votes.count[winner], unitNames[other],
                votes.count[other])});
    }
    return doubts;
}

} // namespace chokepoint
