// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of the two sides against each other: sizes, exclusions, failures, what was asked, and shared traces.
#include "core/analysis/comparability.h"

#include "core/analysis/comparestages.h"
#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace chokepoint {

namespace {

constexpr double differsFor = 0.01; // p-value below which two rates are called different
constexpr double sharedOperations = 0.9; // share of requests that both sides should have in common
constexpr double lopsided = 10; // ratio of sizes worth a remark

double rate(std::uint64_t part, std::uint64_t whole)
{
    return whole == 0 ? 0 : double(part) / double(whole);
}

struct Operations {
    std::map<std::string, double> shareOfName; // root span names of the included traces
    std::set<std::string> services;
};

Operations operationsOf(const ComparisonSide& side)
{
    Operations operations;
    const Dictionary& dictionary = *side.columns.dictionary;
    for (const std::uint32_t trace : side.population.included) {
        const std::int32_t root = side.population.traces[trace].root;
        if (root < 0)
            continue;
        const std::size_t span = side.columns.firstSpan[trace] + std::size_t(root);
        operations.shareOfName[std::string(dictionary.text(side.columns.spans.name[span]))] +=
            1.0 / double(side.population.included.size());
        operations.services.emplace(dictionary.text(dictionary.service(side.columns.spans.resource[span])));
    }
    return operations;
}

std::string mostFrequent(const Operations& operations)
{
    const auto most = std::max_element(
        operations.shareOfName.begin(), operations.shareOfName.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == operations.shareOfName.end() ? std::string() : most->first;
}

void checkOperations(const ComparisonSide& before, const ComparisonSide& after, Comparability& result)
{
    const Operations first = operationsOf(before);
    const Operations second = operationsOf(after);
    double shared = 0;
    for (const auto& [name, share] : first.shareOfName) {
        const auto other = second.shareOfName.find(name);
        shared += other == second.shareOfName.end() ? 0 : std::min(share, other->second);
    }
    if (shared == 0) {
        result.comparable = false;
        result.reasons.push_back(
            fmt::format("No root operation occurs on both sides (before mostly \"{}\", after mostly \"{}\"); compare runs of one operation",
                mostFrequent(first), mostFrequent(second)));
    } else if (shared < sharedOperations) {
        result.reasons.push_back(
            fmt::format("The mix of root operations differs: only {} of the requests are alike on both sides", formatShare(shared)));
    }
    if (first.services != second.services)
        result.reasons.push_back("The services of the root spans differ between the sides");
}

void checkSizes(const SideFigures& before, const SideFigures& after, Comparability& result)
{
    const std::size_t fewest = std::min(before.size(), after.size());
    if (fewest < minimumForMean)
        result.reasons.push_back(fmt::format("Too few complete traces for a verdict: {} before and {} after, {} a side are needed",
            formatCount(before.size()), formatCount(after.size()), minimumForMean));
    else if (double(std::max(before.size(), after.size())) > lopsided * double(fewest))
        result.reasons.push_back(
            fmt::format("The sides differ much in size ({} and {} traces); the smaller one decides how wide the intervals are",
                formatCount(before.size()), formatCount(after.size())));
}

void checkExclusions(const ComparisonSide& before, const ComparisonSide& after, Comparability& result)
{
    const auto excluded = [](const Population& population) { return population.excludedNoRoot + population.excludedOpen; };
    const std::uint64_t first = excluded(before.population);
    const std::uint64_t second = excluded(after.population);
    const std::uint64_t firstAll = first + before.population.included.size();
    const std::uint64_t secondAll = second + after.population.included.size();
    if (fisherExact(first, firstAll, second, secondAll) >= differsFor)
        return;
    result.comparable = false;
    result.reasons.push_back(
        fmt::format("Incomplete traces were left out, and not alike: {} before, {} after (p < 0.01); what is left may be a selection",
            formatShare(rate(first, firstAll)), formatShare(rate(second, secondAll))));
}

void checkFailures(const SideFigures& before, const SideFigures& after, Comparability& result)
{
    if (fisherExact(before.errorRoots, before.size(), after.errorRoots, after.size()) >= differsFor)
        return;
    const double first = rate(before.errorRoots, before.size());
    const double second = rate(after.errorRoots, after.size());
    result.failsMore = second > first;
    result.reasons.push_back(
        fmt::format("The sides fail at different rates: {} of the requests before, {} after (p < 0.01); failed requests are often short",
            formatShare(first), formatShare(second)));
}

void checkSharedTraces(const SideFigures& before, const SideFigures& after, Comparability& result)
{
    std::vector<TraceId> shared;
    std::set_intersection(before.ids.begin(), before.ids.end(), after.ids.begin(), after.ids.end(), std::back_inserter(shared));
    if (!shared.empty())
        result.reasons.push_back(
            fmt::format("{} trace ids occur on both sides; intervals take the sides as independent", formatCount(shared.size())));
}

} // namespace

double fisherExact(std::uint64_t a, std::uint64_t n1, std::uint64_t b, std::uint64_t n2)
{
    const std::uint64_t hits = a + b;
    if (n1 == 0 || n2 == 0 || hits == 0 || hits == n1 + n2)
        return 1;
    const auto logChoose = [](std::uint64_t n, std::uint64_t k) {
        return std::lgamma(double(n) + 1) - std::lgamma(double(k) + 1) - std::lgamma(double(n - k) + 1);
    };
    const auto logProbability = [&](std::uint64_t x) { return logChoose(n1, x) + logChoose(n2, hits - x) - logChoose(n1 + n2, hits); };
    const std::uint64_t lowest = hits > n2 ? hits - n2 : 0;
    const std::uint64_t highest = std::min(hits, n1);
    const double observed = logProbability(a);
    double p = 0;
    for (std::uint64_t x = lowest; x <= highest; ++x) {
        const double each = logProbability(x);
        if (each <= observed + 1e-7) // as likely as what was seen, or less
            p += std::exp(each);
    }
    return std::min(1.0, p);
}

Comparability assessComparability(
    const ComparisonSide& before, const ComparisonSide& after, const SideFigures& beforeFigures, const SideFigures& afterFigures)
{
    Comparability result;
    checkExclusions(before, after, result);
    checkSizes(beforeFigures, afterFigures, result);
    if (beforeFigures.size() == 0 || afterFigures.size() == 0) {
        result.comparable = false;
        return result;
    }
    checkOperations(before, after, result);
    checkFailures(beforeFigures, afterFigures, result);
    checkSharedTraces(beforeFigures, afterFigures, result);
    return result;
}

} // namespace chokepoint
