// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Units by vote, then queue, prefill and decode laid out from the start of the span.
#include "core/analysis/stagederive.h"

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

constexpr std::array<double, 4> unitFactors{1e9, 1e6, 1e3, 1};
constexpr std::array<std::string_view, 4> unitNames{"s", "ms", "us", "ns"};
constexpr double slackShare = 1.05; // a latency may pass its span by 5 % and 5 ms
constexpr double slackNs = 5e6;
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
    : m_rules(rules), m_queue(rules.table.find("generate.queue")), m_prefill(rules.table.find("generate.prefill")),
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
        if (unit)
            m_votes[{std::uint32_t(row.resource), std::uint32_t(row.scope), std::uint32_t(reading->key)}][*unit]++;
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
        const auto most = std::max_element(votes->second.begin(), votes->second.end()) - votes->second.begin();
        std::uint32_t voters = 0;
        for (const std::uint32_t count : votes->second)
            voters += count;
        const std::optional<std::size_t> own = voters < quorum ? unitAlone(reading->value, durationNs) : std::nullopt;
        factor = unitFactors[own.value_or(std::size_t(most))];
    }
    const double ns = reading->value * factor;
    return fitsSpan(ns, durationNs) ? std::optional(std::int64_t(std::llround(ns))) : std::nullopt;
}

void DerivedStages::appendParts(const Row& row, std::vector<DerivedPart>& parts) const
{
    const std::optional<std::int64_t> queue = nanoseconds(row, Latency::Queue);
    std::optional<std::int64_t> prefill = nanoseconds(row, Latency::Prefill);
    std::optional<std::int64_t> decode = nanoseconds(row, Latency::Decode);
    const std::optional<std::int64_t> firstToken = nanoseconds(row, Latency::TimeToFirstToken);
    const std::optional<std::int64_t> total = nanoseconds(row, Latency::Total);
    // What comes before the queue (tokenising, hand-over) is known only where all three are.
    std::int64_t at = firstToken && queue && prefill ? std::max<std::int64_t>(0, *firstToken - *queue - *prefill) : 0;
    if (!prefill && firstToken && queue)
        prefill = std::max<std::int64_t>(0, *firstToken - *queue);
    if (!decode && firstToken && total)
        decode = std::max<std::int64_t>(0, *total - *firstToken);
    if (!prefill && firstToken && decode && !queue)
        at = *firstToken; // queue and prefill cannot be told apart; the answer begins here
    const std::int64_t end = toNs(row.duration);
    const std::array<std::pair<StageId, std::optional<std::int64_t>>, 3> lengths{
        {{m_queue, queue}, {m_prefill, prefill}, {m_decode, decode}}};
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
    return parts;
}

} // namespace chokepoint
