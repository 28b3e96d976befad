// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Resampling of clusters: against plain draws, against all draws there are, and against traces when each is a cluster.
#include "core/analysis/clusters.h"
#include "core/analysis/comparesides.h"
#include "core/analysis/summaryintervals.h"
#include "tests/core/analysis/tst_comparison_sides.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

using namespace chokepoint;

namespace {

TraceTable columnOf(const std::vector<std::int64_t>& values)
{
    return {values.size(), 1, values};
}

/// All rows of the clusters that one replicate draws.
std::vector<Duration> drawnRows(
    const std::vector<std::int64_t>& values, const RowClusters& clusters, std::uint64_t seed, std::size_t replicate)
{
    std::vector<std::uint32_t> counts;
    drawRows(seed, replicate, clusters.size(), counts);
    std::vector<Duration> rows;
    for (std::size_t row = 0; row < values.size(); ++row)
        rows.insert(rows.end(), counts[clusters.ofRow[row]], Duration{values[row]});
    std::sort(rows.begin(), rows.end());
    return rows;
}

std::vector<std::string> named(std::initializer_list<const char*> names)
{
    return {names.begin(), names.end()};
}

/// Clusters of \a size rows one after another.
std::vector<std::string> blocks(std::size_t rows, std::size_t size)
{
    std::vector<std::string> names;
    for (std::size_t row = 0; row < rows; ++row)
        names.push_back("session " + std::to_string(row / size));
    return names;
}

/// Requests in clusters of \a size that all take the same time.
std::vector<StageTimes> alikeInClusters(std::uint64_t seed, std::size_t clusters, std::size_t size)
{
    std::vector<StageTimes> traces;
    for (const StageTimes& times : scattered(seed, clusters, {20, 30, 40, 10}))
        traces.insert(traces.end(), size, times);
    return traces;
}

double width(const std::optional<Interval>& interval)
{
    return interval->high - interval->low;
}

Comparison comparedInClusters(const Side& before, const std::vector<std::string>& namesBefore, const Side& after,
    const std::vector<std::string>& namesAfter, CompareOptions options = {})
{
    ComparisonSide first = before.view();
    ComparisonSide second = after.view();
    first.clusters = &namesBefore;
    second.clusters = &namesAfter;
    options.cluster = "session";
    return compare(first, second, options, JobControl()).value();
}

bool speaksOf(const std::vector<std::string>& reasons, const char* words)
{
    return std::any_of(
        reasons.begin(), reasons.end(), [words](const std::string& reason) { return reason.find(words) != std::string::npos; });
}

} // namespace

class TestClusters : public QObject {
    Q_OBJECT

private slots:
    void names();
    void agreesWithPlainDraws();
    void sumsBeyondSixtyFourBits();
    void allDrawsOfThreeClusters();
    void rowsWithoutClusters();
    void dealtGroupsAreEven();
    void groupsSpreadAsRowsDo();
    void threads();
    void likenessWithinClusters();
    void wholeSessionsWidenIntervals();
    void sidesChangePlaces();
    void tooFewClusters();
    void summaryOfOneSide();
};

void TestClusters::names()
{
    const RowClusters clusters = rowClusters(named({"b", "", "a", "b", "", "b"}));
    QCOMPARE(clusters.ofRow, (std::vector<std::uint32_t>{0, 1, 2, 0, 3, 0}));
    QCOMPARE(clusters.rows, (std::vector<std::uint32_t>{3, 1, 1, 1}));
    QCOMPARE(clusters.unnamed, std::size_t(2));
    QCOMPARE(clusters.largest(), std::size_t(3));
    QCOMPARE(rowClusters({}).size(), std::size_t(0));
    QCOMPARE(rowClusters({}).largest(), std::size_t(0));
}

void TestClusters::agreesWithPlainDraws()
{
    constexpr std::array<double, 6> levels{0.99, 0.5, 0.0, 0.95, 1.0, 0.123};
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        RandomStream random(seed, 3);
        const std::size_t rows = 1 + random.next() % 150;
        std::vector<std::int64_t> values;
        std::vector<std::string> names;
        for (std::size_t row = 0; row < rows; ++row) {
            values.push_back(std::int64_t(1'000'000'000'000 + random.next() % (seed % 2 == 0 ? 5 : 3'000'000'000)));
            names.push_back(random.next() % 4 == 0 ? "" : std::to_string(random.next() % 17));
        }
        const RowClusters clusters = rowClusters(names);
        const ReplicateMeans means = resampleClusterMeans(columnOf(values), clusters, seed, 40, 1);
        const std::vector<std::vector<double>> quantiles = resampleClusterQuantiles(values, clusters, levels, seed, 40, 1);
        for (std::size_t replicate = 0; replicate < 40; ++replicate) {
            const std::vector<Duration> drawn = drawnRows(values, clusters, seed, replicate);
            double sum = 0;
            for (const Duration each : drawn)
                sum += double(toNs(each) - 1'000'000'000'000);
            const double mean = 1e12 + sum / double(drawn.size());
            QVERIFY2(std::abs(means.at(replicate, 0) - mean) < 500, qPrintable(QString::number(means.at(replicate, 0) - mean)));
            for (std::size_t level = 0; level < levels.size(); ++level)
                QVERIFY(std::abs(quantiles[level][replicate] - double(toNs(quantile(drawn, levels[level])))) <= 1);
        }
    }
}

void TestClusters::sumsBeyondSixtyFourBits()
{
    // Eight clusters of five rows; a mean of all of them is as large as a value.
    constexpr std::int64_t large = 4'000'000'000'000'000'000;
    std::vector<std::int64_t> values;
    std::vector<std::string> names;
    for (int row = 0; row < 40; ++row) {
        values.push_back(row / 5 % 2 == 0 ? large : -large);
        names.push_back(std::to_string(row / 5));
    }
    const ReplicateMeans means = resampleClusterMeans(columnOf(values), rowClusters(names), 1, 200, 1);
    std::set<std::int64_t> seen; // in eighths of the range
    for (std::size_t r = 0; r < 200; ++r) {
        const double eighths = (means.at(r, 0) / double(large) + 1) * 4;
        QVERIFY2(std::abs(eighths - std::round(eighths)) < 1e-3, qPrintable(QString::number(eighths)));
        seen.insert(std::llround(eighths));
    }
    QVERIFY(*seen.begin() >= 0 && *seen.begin() <= 2 && *seen.rbegin() >= 6 && *seen.rbegin() <= 8);
}

void TestClusters::allDrawsOfThreeClusters()
{
    // {0, 4}, {10}, {20, 30, 40}: 27 draws, all as likely.
    const std::vector<std::int64_t> values{0, 4, 10, 20, 30, 40};
    const RowClusters clusters = rowClusters(named({"a", "a", "b", "c", "c", "c"}));
    std::map<std::int64_t, double> expectedMeans; // in thousandths, with the share of the draws
    std::map<std::int64_t, double> expectedMedians;
    for (int draw = 0; draw < 27; ++draw) {
        std::vector<Duration> rows;
        for (const std::uint32_t cluster : {std::uint32_t(draw % 3), std::uint32_t(draw / 3 % 3), std::uint32_t(draw / 9)})
            for (std::size_t row = 0; row < values.size(); ++row)
                if (clusters.ofRow[row] == cluster)
                    rows.emplace_back(values[row] * 1000);
        std::sort(rows.begin(), rows.end());
        expectedMeans[toNs(mean(rows))] += 1.0 / 27;
        expectedMedians[toNs(quantile(rows, 0.5))] += 1.0 / 27;
    }
    constexpr unsigned replicates = 20'000;
    const ReplicateMeans means = resampleClusterMeans(columnOf(values), clusters, 1, replicates, 1);
    const std::vector<std::vector<double>> medians = resampleClusterQuantiles(values, clusters, std::array{0.5}, 1, replicates, 1);
    std::map<std::int64_t, double> seenMeans;
    std::map<std::int64_t, double> seenMedians;
    for (std::size_t r = 0; r < replicates; ++r) {
        seenMeans[std::llround(means.at(r, 0) * 1000)] += 1.0 / replicates;
        seenMedians[std::llround(medians[0][r] * 1000)] += 1.0 / replicates;
    }
    for (const auto& [expected, seen] : {std::pair(&expectedMeans, &seenMeans), std::pair(&expectedMedians, &seenMedians)}) {
        QCOMPARE(seen->size(), expected->size());
        for (const auto& [value, share] : *expected)
            QVERIFY2(std::abs((*seen)[value] - share) < 0.01, qPrintable(QString("%1: %2").arg(value).arg((*seen)[value])));
    }
}

void TestClusters::rowsWithoutClusters()
{
    // A cluster a row: the same draws for means, the same distribution for quantiles.
    const Side before = side(pipeline, scattered(1, 240, {20, 30, 40, 10}));
    const Side after = side(pipeline, scattered(2, 200, {22, 30, 30, 10}), {.firstId = 1000});
    const Comparison traces = compared(before, after, {.replicates = 8000});
    const Comparison clusters =
        comparedInClusters(before, std::vector<std::string>(240), after, std::vector<std::string>(200), {.replicates = 8000});
    QVERIFY(!traces.unit);
    QCOMPARE(clusters.unit->before.clusters, std::size_t(240));
    QCOMPARE(clusters.unit->after.unnamed, std::size_t(200));
    QCOMPARE(clusters.stages.size(), traces.stages.size());
    for (std::size_t s = 0; s < traces.stages.size(); ++s) {
        QCOMPARE(clusters.stages[s].stage, traces.stages[s].stage);
        QCOMPARE(clusters.stages[s].contribution, traces.stages[s].contribution);
        QVERIFY(std::abs(clusters.stages[s].interval->low - traces.stages[s].interval->low) < 10);
        QVERIFY(std::abs(clusters.stages[s].interval->high - traces.stages[s].interval->high) < 10);
    }
    for (std::size_t i = 0; i < traces.e2e.size(); ++i) {
        QCOMPARE(clusters.e2e[i].delta, traces.e2e[i].delta);
        QCOMPARE(clusters.e2e[i].interval.has_value(), traces.e2e[i].interval.has_value());
        if (!traces.e2e[i].interval)
            continue;
        const double tolerance = i == 0 ? 10 : 0.06 * width(traces.e2e[i].interval); // quantiles: other draws
        QVERIFY(std::abs(clusters.e2e[i].interval->low - traces.e2e[i].interval->low) < tolerance);
        QVERIFY(std::abs(clusters.e2e[i].interval->high - traces.e2e[i].interval->high) < tolerance);
    }
}

void TestClusters::dealtGroupsAreEven()
{
    const RowClusters dealt = dealtGroups(1003, 10, 5);
    QCOMPARE(dealt.ofRow.size(), std::size_t(1003));
    std::vector<std::uint32_t> rows(10);
    for (const std::uint32_t group : dealt.ofRow)
        ++rows[group];
    QCOMPARE(dealt.rows, rows);
    QCOMPARE(*std::min_element(rows.begin(), rows.end()), 100U);
    QCOMPARE(*std::max_element(rows.begin(), rows.end()), 101U);
    QCOMPARE(dealtGroups(1003, 10, 5).ofRow, dealt.ofRow);
    QVERIFY(dealtGroups(1003, 10, 6).ofRow != dealt.ofRow);
}

/// The spread of resampled means, against that of rows and the one of theory, for values that depend on the order of the rows.
void TestClusters::groupsSpreadAsRowsDo()
{
    constexpr std::size_t rows = 3 * resampledUnits + 77;
    constexpr unsigned replicates = 2000;
    RandomStream random(9, 0);
    std::vector<std::int64_t> values;
    for (std::size_t row = 0; row < rows; ++row)
        values.push_back(std::llround(1e6 * std::exp(0.8 * random.normal())));
    std::sort(values.begin(), values.end());
    const auto spreadOf = [](const std::vector<double>& all) {
        const double middle = std::accumulate(all.begin(), all.end(), 0.0) / double(all.size());
        double squares = 0;
        for (const double value : all)
            squares += (value - middle) * (value - middle);
        return std::sqrt(squares / double(all.size()));
    };
    const double theory = spreadOf({values.begin(), values.end()}) / std::sqrt(double(rows));
    const TraceTable table = columnOf(values);
    const double ofRows = spreadOf(resampleMeans(table, 3, replicates, 0).means);
    const double ofGroups = spreadOf(resampleClusterMeans(table, dealtGroups(rows, resampledUnits, 3), 3, replicates, 0).means);
    QVERIFY2(std::abs(ofRows / theory - 1) < 0.05, qPrintable(QString::number(ofRows / theory)));
    QVERIFY2(std::abs(ofGroups / theory - 1) < 0.05, qPrintable(QString::number(ofGroups / theory)));
}

void TestClusters::threads()
{
    std::vector<std::int64_t> values;
    for (const StageTimes& times : scattered(5, 300, {10}))
        values.push_back(times[0]);
    const RowClusters clusters = rowClusters(blocks(300, 4));
    const auto quantiles = resampleClusterQuantiles(values, clusters, std::array{0.5, 0.95}, 7, 333, 1);
    QVERIFY(quantiles == resampleClusterQuantiles(values, clusters, std::array{0.5, 0.95}, 7, 333, 4));
    QVERIFY(quantiles != resampleClusterQuantiles(values, clusters, std::array{0.5, 0.95}, 8, 333, 1));
    const ReplicateMeans means = resampleClusterMeans(columnOf(values), clusters, 7, 333, 1);
    QVERIFY(means.means == resampleClusterMeans(columnOf(values), clusters, 7, 333, 4).means);
}

void TestClusters::likenessWithinClusters()
{
    // SciPy: f_oneway of rankdata; the design effect by hand, numbers of scipy 1.14.
    const std::vector<std::int64_t> values{100, 120, 90, 300, 310, 305, 200, 205, 150};
    const Clustering alike = clusteringOf(values, rowClusters(named({"a", "a", "a", "b", "b", "b", "c", "c", ""})));
    QVERIFY(std::abs(alike.p - 0.003052894607129602) < 1e-9);
    QVERIFY(std::abs(alike.designEffect - 2.9033230301104465) < 1e-9);
    QVERIFY(alike.matters());
    const Clustering different =
        clusteringOf(std::vector<std::int64_t>{5, 5, 7, 7, 9, 9, 5, 9}, rowClusters(named({"a", "b", "a", "b", "a", "b", "c", "c"})));
    QVERIFY(std::abs(different.p - 1) < 1e-9);
    QVERIFY(std::abs(different.designEffect) < 1e-9);
    QVERIFY(!different.matters());
    for (const auto& names : {named({"", "", ""}), named({"a", "a", "a"})}) {
        const Clustering nothing = clusteringOf(std::vector<std::int64_t>{1, 2, 3}, rowClusters(names));
        QCOMPARE(nothing.p, 1.0);
        QCOMPARE(nothing.designEffect, 1.0);
    }
    QCOMPARE(clusteringOf({}, {}).p, 1.0);
    const Clustering equal = clusteringOf(std::vector<std::int64_t>{1, 1, 2, 2, 3, 3}, rowClusters(named({"a", "a", "b", "b", "c", "c"})));
    QCOMPARE(equal.p, 0.0); // nothing varies within
    QCOMPARE(equal.designEffect, 2.0);
}

void TestClusters::wholeSessionsWidenIntervals()
{
    // Nine requests of a session that take the same time say as much as one: intervals three times as wide.
    const Side before = side(pipeline, alikeInClusters(1, 60, 9));
    const Side after = side(pipeline, alikeInClusters(2, 60, 9), {.firstId = 5000});
    const std::vector<std::string> names = blocks(540, 9);
    const Comparison traces = compared(before, after);
    const Comparison sessions = comparedInClusters(before, names, after, names);
    QCOMPARE(sessions.unit->before.clusters, std::size_t(60));
    QCOMPARE(sessions.unit->before.largest, std::size_t(9));
    QCOMPARE(sessions.unit->before.unnamed, std::size_t(0));
    const auto ratio = [](double a, double b) { return a / b > 2.6 && a / b < 3.4; };
    QVERIFY(ratio(width(sessions.e2e[0].interval), width(traces.e2e[0].interval)));
    QVERIFY(ratio(width(sessions.stages[0].interval), width(traces.stages[0].interval)));
    QVERIFY(width(sessions.e2e[1].interval) > 2 * width(traces.e2e[1].interval));
    QVERIFY(width(sessions.e2e[1].beforeInterval) > 2 * width(traces.e2e[1].beforeInterval));
    QVERIFY(sessions.e2e[0].noise > traces.e2e[0].noise * 2);
    QVERIFY(!speaksOf(sessions.reasons, "cluster"));
}

void TestClusters::sidesChangePlaces()
{
    const Side before = side(pipeline, alikeInClusters(1, 40, 3));
    const Side after = side(pipeline, alikeInClusters(2, 30, 5), {.firstId = 5000});
    const Comparison forward = comparedInClusters(before, blocks(120, 3), after, blocks(150, 5));
    const Comparison backward = comparedInClusters(after, blocks(150, 5), before, blocks(120, 3));
    for (std::size_t i = 0; i < forward.e2e.size(); ++i) {
        QCOMPARE(forward.e2e[i].interval.has_value(), backward.e2e[i].interval.has_value());
        if (!forward.e2e[i].interval)
            continue;
        QCOMPARE(forward.e2e[i].interval->low, -backward.e2e[i].interval->high);
        QCOMPARE(forward.e2e[i].interval->high, -backward.e2e[i].interval->low);
    }
    const Comparison same = comparedInClusters(before, blocks(120, 3), before, blocks(120, 3));
    QCOMPARE(same.verdict, VerdictKind::Identical);
    for (const E2eRow& row : same.e2e)
        QVERIFY(!row.significant);
}

void TestClusters::tooFewClusters()
{
    const Side before = side(pipeline, alikeInClusters(1, 10, 12));
    const Side after = side(pipeline, alikeInClusters(2, 40, 3), {.firstId = 5000});
    const Comparison few = comparedInClusters(before, blocks(120, 12), after, blocks(120, 3));
    QVERIFY(few.e2e[0].interval);
    QVERIFY(speaksOf(few.reasons, "few of them: 10 before, 40 after"));
    const Comparison none = comparedInClusters(before, blocks(120, 24), after, blocks(120, 3));
    QVERIFY(!none.e2e[0].interval && !none.e2e[1].interval);
    QCOMPARE(none.e2e[0].shortfall, std::string("needs 6 clusters a side, have 5"));
    QCOMPARE(none.verdict, VerdictKind::NotEnoughData);
    QVERIFY(!none.bottleneck.moved);
    for (const StageRow& row : none.stages)
        QVERIFY(!row.interval && !row.significant);
    std::vector<std::string> gaps = blocks(120, 3);
    gaps[7].clear();
    QVERIFY(speaksOf(comparedInClusters(after, gaps, after, gaps).reasons, "1 traces before and 1 after tell no session"));
}

void TestClusters::summaryOfOneSide()
{
    const Side one = side(pipeline, alikeInClusters(1, 60, 9));
    const SummaryIntervals traces = summaryIntervals(one.view(), {});
    QVERIFY(!traces.unit && traces.warnings.empty());
    QCOMPARE(traces.stages.size(), std::size_t(3));
    QCOMPARE(traces.stages[0].stage, std::string("generate"));
    const std::vector<std::string> names = blocks(540, 9);
    ComparisonSide view = one.view();
    view.clusters = &names;
    const SummaryIntervals sessions = summaryIntervals(view, {.cluster = "session"});
    QCOMPARE(sessions.unit->clusters, std::size_t(60));
    QVERIFY(width(sessions.mean) > 2.5 * width(traces.mean));
    QVERIFY(width(sessions.p50) > 2 * width(traces.p50));
    QVERIFY(sessions.p99 && traces.p99);
    const auto widthOf = [](const Interval& interval) { return interval.high - interval.low; };
    for (std::size_t s = 0; s < traces.stages.size(); ++s) {
        QVERIFY(widthOf(sessions.stages[s].mean) > 2.5 * widthOf(traces.stages[s].mean));
        QVERIFY(widthOf(sessions.stages[s].share) > 2.5 * widthOf(traces.stages[s].share));
        QVERIFY(traces.stages[s].share.low > 0 && traces.stages[s].share.high < 1);
    }
    const std::vector<std::string> few = blocks(540, 40);
    view.clusters = &few;
    QVERIFY(speaksOf(summaryIntervals(view, {.cluster = "session"}).warnings, "there are only 14"));
    const std::vector<std::string> fewer = blocks(540, 200);
    view.clusters = &fewer;
    const SummaryIntervals without = summaryIntervals(view, {.cluster = "session"});
    QVERIFY(!without.mean && !without.p50 && without.stages.empty());
    QVERIFY(speaksOf(without.warnings, "No intervals: 3 clusters by session"));
    QVERIFY(!summaryIntervals(side(pipeline, {}).view(), {}).mean);
}

QTEST_GUILESS_MAIN(TestClusters)
#include "tst_clusters.moc"
