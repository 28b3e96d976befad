// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/mixshift.h"

#include "core/analysis/comparestages.h"

#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace chokepoint {

namespace {

constexpr std::size_t fewestInStratum = 10; // below it, a stratum's mean says little
constexpr double mixDiffersFor = 0.01; // p of the test of the mix
constexpr double mixShareWorthSaying = 0.2; // of the change

/// One kind of request on one side: how many, and the sums of all columns of the table.
struct StratumSide {
    std::size_t count = 0;
    std::vector<double> tops; // sums by top-level stage, ns
    double e2e = 0;
};

struct Stratum {
    StratumSide before;
    StratumSide after;
};

void collect(const StageAxis& axis, const SideFigures& side, StratumSide Stratum::*member, std::map<std::string, Stratum>& strata)
{
    std::vector<StratumSide*> byKind;
    for (const std::string& kind : side.kinds) {
        byKind.push_back(&(strata[kind].*member));
        byKind.back()->tops.resize(axis.tops.size());
    }
    for (std::size_t row = 0; row < side.size(); ++row) {
        StratumSide& stratum = *byKind[side.kind[row]];
        ++stratum.count;
        for (std::size_t c = 0; c < axis.columns.size(); ++c)
            stratum.tops[axis.topOfColumn[c]] += double(side.table.at(row, c));
        stratum.e2e += double(side.table.at(row, axis.columns.size()));
    }
}

/// One figure's change by stratum.
struct Split {
    double mix = 0;
    double within = 0;
    double traffic = 0;
};

void addStratum(Split& split, double share, double shareAfter, double mean, double meanAfter)
{
    if (share == 0 || shareAfter == 0) {
        split.traffic += shareAfter * meanAfter - share * mean;
        return;
    }
    split.mix += (shareAfter - share) * (mean + meanAfter) / 2;
    split.within += (share + shareAfter) / 2 * (meanAfter - mean);
}

/// Chi-squared test that both sides have the same mix.
double mixP(const std::map<std::string, Stratum>& strata, double n, double m)
{
    double statistic = 0;
    for (const auto& [name, stratum] : strata) {
        const double both = double(stratum.before.count + stratum.after.count);
        const double expectedBefore = both * n / (n + m);
        const double expectedAfter = both * m / (n + m);
        statistic += std::pow(double(stratum.before.count) - expectedBefore, 2) / expectedBefore
            + std::pow(double(stratum.after.count) - expectedAfter, 2) / expectedAfter;
    }
    return boost::math::gamma_q(double(strata.size() - 1) / 2, statistic / 2);
}

Duration rounded(double ns)
{
    return Duration{std::llround(ns)};
}

/// AFTER's requests, each weighing as much as its kind is more frequent in BEFORE. Kinds of one side alone weigh nothing.
void reweight(const StageAxis& axis, const SideFigures& before, const SideFigures& after, const std::map<std::string, Stratum>& strata,
    MixShift& shift)
{
    std::vector<std::pair<std::int64_t, double>> values; // end-to-end time and weight
    double sum = 0;
    double squares = 0;
    double weighted = 0;
    for (std::size_t row = 0; row < after.size(); ++row) {
        const Stratum& stratum = strata.at(after.kinds[after.kind[row]]);
        const double weight = double(stratum.before.count) / double(before.size()) / (double(stratum.after.count) / double(after.size()));
        const std::int64_t time = after.table.at(row, axis.columns.size());
        values.emplace_back(time, weight);
        sum += weight;
        squares += weight * weight;
        weighted += weight * double(time);
    }
    if (sum <= 0)
        return;
    shift.effectiveRequests = sum * sum / squares;
    std::sort(values.begin(), values.end());
    const auto quantileAt = [&](double p) {
        double seen = 0;
        for (const auto& [time, weight] : values) {
            seen += weight;
            if (seen >= p * sum)
                return Duration{time};
        }
        return Duration{values.back().first};
    };
    if (shift.effectiveRequests >= double(minimumForMean))
        shift.reweighted[0] = rounded(weighted / sum);
    for (const auto& [k, p] : {std::pair{1U, 0.5}, std::pair{2U, 0.95}, std::pair{3U, 0.99}})
        if (shift.effectiveRequests >= double(minimumForInterval(p)))
            shift.reweighted[k] = quantileAt(p);
}

double meanOf(double sum, std::size_t count)
{
    return count == 0 ? 0 : sum / double(count);
}

} // namespace

std::optional<MixShift> splitMix(const StageAxis& axis, const SideFigures& before, const SideFigures& after)
{
    std::map<std::string, Stratum> strata;
    collect(axis, before, &Stratum::before, strata);
    collect(axis, after, &Stratum::after, strata);
    if (strata.size() < 2 || before.size() == 0 || after.size() == 0)
        return std::nullopt;
    const auto n = double(before.size());
    const auto m = double(after.size());
    Split whole;
    std::vector<Split> byStage(axis.tops.size());
    MixShift shift;
    for (auto& [name, stratum] : strata) {
        stratum.before.tops.resize(axis.tops.size());
        stratum.after.tops.resize(axis.tops.size());
        const double share = double(stratum.before.count) / n;
        const double shareAfter = double(stratum.after.count) / m;
        const double mean = meanOf(stratum.before.e2e, stratum.before.count);
        const double meanAfter = meanOf(stratum.after.e2e, stratum.after.count);
        addStratum(whole, share, shareAfter, mean, meanAfter);
        for (std::size_t t = 0; t < axis.tops.size(); ++t)
            addStratum(byStage[t], share, shareAfter, meanOf(stratum.before.tops[t], stratum.before.count),
                meanOf(stratum.after.tops[t], stratum.after.count));
        MixStratum row{name, stratum.before.count, stratum.after.count, unknownDuration, unknownDuration};
        if (stratum.before.count > 0)
            row.beforeMean = rounded(mean);
        if (stratum.after.count > 0)
            row.afterMean = rounded(meanAfter);
        shift.isThin = shift.isThin || std::min(stratum.before.count, stratum.after.count) < fewestInStratum;
        shift.strata.push_back(std::move(row));
    }
    shift.mix = rounded(whole.mix);
    shift.within = rounded(whole.within);
    shift.traffic = rounded(whole.traffic);
    for (std::size_t t = 0; t < axis.tops.size(); ++t)
        shift.stages.push_back({axis.tops[t], rounded(byStage[t].mix), rounded(byStage[t].within), rounded(byStage[t].traffic)});
    shift.p = mixP(strata, n, m);
    const double delta = whole.mix + whole.within + whole.traffic;
    shift.matters = shift.p < mixDiffersFor || std::abs(whole.mix + whole.traffic) > mixShareWorthSaying * std::abs(delta);
    shift.simpson = whole.within * delta < 0;
    reweight(axis, before, after, strata, shift);
    return shift;
}

} // namespace chokepoint
