// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison says beyond means: quantiles and bands by stage, the mix of requests, noise, equivalence.
#include "core/analysis/noisefloor.h"
#include "tests/core/analysis/tst_comparison_sides.h"

#include <QTest>

#include <algorithm>
#include <numeric>

using namespace chokepoint;

namespace {

const std::vector<std::string> stageNames{"retrieve", "generate", "validate"};

const QuantileSplit& splitOf(const Comparison& comparison, Statistic statistic)
{
    return *std::find_if(comparison.quantiles.begin(), comparison.quantiles.end(),
        [statistic](const QuantileSplit& split) { return split.statistic == statistic; });
}

Duration sumOf(const std::vector<Duration>& durations)
{
    return std::accumulate(durations.begin(), durations.end(), Duration{});
}

} // namespace

class TestComparisonSplits : public QObject {
    Q_OBJECT

private slots:
    void quantilesAddUpAndNegate()
    {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const Side before = side(stageNames, scattered(seed, 80 + 90 * seed, {100, 700, 20}));
            const Side after = side(stageNames, scattered(seed + 50, 400, {300, 250, 21}), {.firstId = 5000});
            const Comparison forward = compared(before, after);
            const Comparison back = compared(after, before);
            for (std::size_t k = 0; k < forward.quantiles.size(); ++k) {
                const QuantileSplit& split = forward.quantiles[k];
                Duration sum{};
                for (const QuantileStage& stage : split.stages) {
                    sum += stage.contribution;
                    const auto mirrored = std::find_if(back.quantiles[k].stages.begin(), back.quantiles[k].stages.end(),
                        [&](const QuantileStage& other) { return other.stage == stage.stage; });
                    QCOMPARE(mirrored->contribution, -stage.contribution);
                }
                if (split.shortfall.empty())
                    QCOMPARE(sum, split.delta);
                else
                    QVERIFY(split.stages.empty() && !isKnown(split.delta));
            }
            QCOMPARE(splitOf(forward, Statistic::P50).bottleneckBefore, std::string("generate"));
            QCOMPARE(splitOf(forward, Statistic::P50).bottleneckAfter, std::string("retrieve"));
        }
    }

    void quantileIsNearTheFamiliarOne()
    {
        const Side before = side(stageNames, scattered(3, 2000, {100, 700, 20}));
        const Comparison result = compared(before, side(stageNames, scattered(4, 2000, {100, 700, 20}), {.firstId = 9000}));
        for (std::size_t k = 0; k < result.quantiles.size(); ++k) {
            const double familiar = double(toNs(result.e2e[k + 1].before));
            QVERIFY(std::abs(double(toNs(result.quantiles[k].before)) - familiar) < 0.02 * familiar);
        }
    }

    void tooFewForAQuantile()
    {
        const Side few = side(stageNames, scattered(1, 71, {100, 700, 20}));
        const Comparison result = compared(few, side(stageNames, scattered(2, 500, {100, 700, 20}), {.firstId = 900}));
        QVERIFY(splitOf(result, Statistic::P50).shortfall.empty());
        QCOMPARE(splitOf(result, Statistic::P95).shortfall, std::string("needs 72 traces a side, have 71"));
    }

    /// Two opposite changes behind an unchanged P95 are found.
    void oppositeChangesShow()
    {
        std::vector<StageTimes> before;
        std::vector<StageTimes> after;
        for (std::int64_t i = 0; i < 200; ++i) {
            before.push_back({100 * ms, (500 + i) * ms, 10 * ms});
            after.push_back({400 * ms, (200 + i) * ms, 10 * ms});
        }
        const Comparison result = compared(side(stageNames, before), side(stageNames, after, {.firstId = 1000}));
        const QuantileSplit& split = splitOf(result, Statistic::P95);
        QCOMPARE(split.delta, Duration{0});
        for (const QuantileStage& stage : split.stages)
            QCOMPARE(toNs(stage.contribution), (stage.stage == "retrieve" ? 300 : stage.stage == "generate" ? -300 : 0) * ms);
    }

    void bandsAddUpAndNameATypicalTrace()
    {
        std::vector<StageTimes> traces;
        for (std::int64_t i = 0; i < 1000; ++i)
            traces.push_back({100 * ms, (i < 950 ? 500 : 2000) * ms + i, 10 * ms});
        traces[970][1] += 700 * ms; // not typical of the tail
        const Side before = side(stageNames, traces);
        const Comparison result = compared(before, side(stageNames, scattered(9, 40, {100, 500, 10}), {.firstId = 5000}));
        QCOMPARE(result.bands.size(), std::size_t(3));
        for (const BandRow& band : result.bands) {
            QCOMPARE(sumOf(band.before.stages), band.before.mean);
            QVERIFY(band.before.exemplar.has_value());
        }
        QCOMPARE(result.bands[0].before.traces, std::size_t(100)); // [45 %, 55 %)
        QCOMPARE(result.bands[1].before.traces, std::size_t(40)); // [95 %, 99 %)
        QCOMPARE(result.bands[2].before.traces, std::size_t(10));
        const std::uint32_t exemplar = *result.bands[1].before.exemplar;
        QVERIFY(exemplar >= 950 && exemplar != 970);
        // 40 traces: 4 in the middle, 2 in the tail; too few to speak of.
        QVERIFY(!isKnown(result.bands[1].after.mean) && result.bands[1].after.stages.empty() && !result.bands[1].after.exemplar);
    }

    void mixIsToldFromChange()
    {
        std::vector<StageTimes> before;
        std::vector<StageTimes> after;
        std::vector<std::string> beforeKinds;
        std::vector<std::string> afterKinds;
        const auto add = [](std::vector<StageTimes>& traces, std::vector<std::string>& kinds, std::size_t n, const char* kind,
                             std::int64_t time) {
            for (std::size_t i = 0; i < n; ++i) {
                traces.push_back({10 * ms, (time - 10) * ms, 0});
                kinds.emplace_back(kind);
            }
        };
        add(before, beforeKinds, 60, "short", 100);
        add(before, beforeKinds, 40, "long", 1000);
        add(after, afterKinds, 40, "short", 90);
        add(after, afterKinds, 60, "long", 990);
        const Side first = side(stageNames, before);
        const Side second = side(stageNames, after, {.firstId = 500});
        ComparisonSide a = first.view();
        ComparisonSide b = second.view();
        a.kinds = &beforeKinds;
        b.kinds = &afterKinds;
        const MixShift mix = *compare(a, b, {}, JobControl()).value().mix;
        // delta = 630 - 460 = 170; mix = -0.2 * 95 + 0.2 * 995 = 180; within = 0.5 * -10 + 0.5 * -10 = -10
        QCOMPARE(mix.mix, Duration{180 * ms});
        QCOMPARE(mix.within, Duration{-10 * ms});
        QCOMPARE(mix.traffic, Duration{0});
        QVERIFY(mix.simpson && mix.matters && !mix.isThin);
        QVERIFY(mix.p < 0.01);
        QCOMPARE(mix.reweighted[0], Duration{450 * ms}); // 60 % of 90 and 40 % of 990
        QCOMPARE(mix.reweighted[1], Duration{90 * ms});
        QVERIFY(std::abs(mix.effectiveRequests - 10000 / (40 * 2.25 + 60 * 4.0 / 9)) < 1e-9);
        QVERIFY(!isKnown(mix.reweighted[2])); // 85.7 requests are too few for a P95
        Duration stages{};
        for (const MixStage& stage : mix.stages)
            stages += stage.mix + stage.within + stage.traffic;
        QCOMPARE(stages, Duration{170 * ms});
    }

    /// The old stage would still be the bottleneck if as many requests were long as before.
    void bottleneckThatMovedWithTheMix()
    {
        const auto traces = [](std::size_t shortOnes, std::size_t longOnes) {
            std::vector<StageTimes> made(shortOnes, {100 * ms, 20 * ms});
            made.insert(made.end(), longOnes, {50 * ms, 500 * ms});
            return made;
        };
        const auto kinds = [](std::size_t shortOnes, std::size_t longOnes) {
            std::vector<std::string> made(shortOnes, "short");
            made.insert(made.end(), longOnes, "long");
            return made;
        };
        const Side before = side({"a", "b"}, traces(90, 10));
        const Side after = side({"a", "b"}, traces(40, 60), {.firstId = 500});
        const std::vector<std::string> kindsBefore = kinds(90, 10);
        const std::vector<std::string> kindsAfter = kinds(40, 60);
        ComparisonSide a = before.view();
        ComparisonSide b = after.view();
        QVERIFY(compare(a, b, {}, JobControl())->bottleneck.why != "the mix changed"); // not told apart
        a.kinds = &kindsBefore;
        b.kinds = &kindsAfter;
        const BottleneckVerdict verdict = compare(a, b, {}, JobControl())->bottleneck;
        QVERIFY(verdict.moved && verdict.before == "a" && verdict.after == "b");
        QCOMPARE(verdict.why, std::string("the mix changed"));
    }

    void requestsThatSucceeded()
    {
        std::vector<StageTimes> traces(100, {10 * ms, 90 * ms, 0});
        std::fill(traces.begin(), traces.begin() + 50, StageTimes{10 * ms, 0, 0}); // half of them fail at once
        const Side failing = side(stageNames, traces, {.errors = 50});
        const Side sound = side(stageNames, std::vector<StageTimes>(60, {10 * ms, 80 * ms, 0}), {.firstId = 500});
        const Comparison result = compared(failing, sound);
        QCOMPARE(result.e2e[0].before, Duration{55 * ms});
        QCOMPARE(result.successes.size(), std::size_t(4));
        QCOMPARE(result.successes[0].before, Duration{100 * ms});
        QCOMPARE(result.successes[0].after, Duration{90 * ms});
        QCOMPARE(result.successes[1].before, Duration{100 * ms});
        QVERIFY(!isKnown(result.successes[2].before)); // 50 are too few for a P95
        QVERIFY(compared(sound, sound).successes.empty());
    }

    /// For all stages together, and so wider than each alone.
    void simultaneousIntervals()
    {
        const Side before = side(pipeline, scattered(3, 300, {100, 200, 50, 30}));
        const Side after = side(pipeline, scattered(4, 250, {110, 180, 50, 30}), {.firstId = 5000});
        const Comparison forward = compared(before, after);
        const Comparison backward = compared(after, before);
        const auto width = [](const std::optional<Interval>& interval) { return interval->high - interval->low; };
        for (const StageRow& row : forward.stages) {
            QVERIFY(width(row.simultaneous) > 1.05 * width(row.interval) && width(row.simultaneous) < 1.6 * width(row.interval));
            const StageRow* mirrored = rowOf(backward, row.stage);
            QCOMPARE(mirrored->simultaneous->low, -row.simultaneous->high);
            QCOMPARE(mirrored->simultaneous->high, -row.simultaneous->low);
        }
        QVERIFY(forward.e2e[0].welch && !forward.e2e[1].welch);
        QVERIFY(std::abs(width(forward.e2e[0].welch) / width(forward.e2e[0].interval) - 1) < 0.1);
        QVERIFY(forward.unequalSpreads && std::abs(std::log(forward.unequalSpreads->p + 1e-3) - std::log(forward.test->rank.p + 1e-3)) < 1);
    }

    void newTrafficIsKeptApart()
    {
        std::vector<std::string> kinds(100, "old");
        std::fill(kinds.begin() + 80, kinds.end(), "new");
        const std::vector<std::string> before(100, "old");
        std::vector<StageTimes> times(100, StageTimes{0, 100 * ms, 0});
        const Side first = side(stageNames, times);
        std::fill(times.begin() + 80, times.end(), StageTimes{0, 600 * ms, 0});
        const Side second = side(stageNames, times, {.firstId = 500});
        ComparisonSide a = first.view();
        ComparisonSide b = second.view();
        a.kinds = &before;
        b.kinds = &kinds;
        const MixShift mix = *compare(a, b, {}, JobControl()).value().mix;
        QCOMPARE(mix.traffic, Duration{120 * ms}); // 20 % of 600
        QCOMPARE(mix.mix, Duration{-20 * ms}); // the old kind became rarer
        QCOMPARE(mix.within, Duration{0});
        QVERIFY(!compare(a, a, {}, JobControl()).value().mix); // one kind alone has no mix
    }

    void equalSidesAreEquivalent()
    {
        const Side before = side(stageNames, scattered(1, 3000, {100, 200, 20}));
        const Side alike = side(stageNames, scattered(2, 3000, {100, 200, 20}), {.firstId = 9000});
        const Side slower = side(stageNames, scattered(3, 3000, {100, 260, 20}), {.firstId = 19000});
        CompareOptions options;
        options.relevantShare = 0.05;
        QVERIFY(compared(before, alike, options).e2e.front().equivalent);
        QVERIFY(!compared(before, slower, options).e2e.front().equivalent);
        QVERIFY(!compared(side(stageNames, scattered(1, 40, {100, 200, 20})), alike, {.relevantShare = 0.001}).e2e.front().equivalent);
    }

    void noiseIsWhatHalvesDifferBy()
    {
        std::vector<Duration> constant(200, Duration{5 * ms});
        for (std::size_t k = 0; k < 2; ++k)
            QCOMPARE(noiseFloor(constant, 1)[k], Duration{0});
        QVERIFY(isKnown(noiseFloor(constant, 1)[2])); // P95 with halves of 100
        QVERIFY(!isKnown(noiseFloor(constant, 1)[3])); // P99 wants 500
        QVERIFY(!isKnown(noiseFloor(std::span(constant).first(59), 1)[0]));
        // Halves of n values with deviation s differ by about 2 s / sqrt(n); 95 % by less than 1.96 times that.
        RandomStream random(5, 5);
        std::vector<Duration> normal;
        for (int i = 0; i < 4000; ++i)
            normal.emplace_back(std::llround(1000.0 * double(ms) + 100.0 * double(ms) * random.normal()));
        std::sort(normal.begin(), normal.end());
        const double expected = 1.96 * 2 * 100 * double(ms) / std::sqrt(4000.0);
        const double floor = double(toNs(noiseFloor(normal, 1)[0]));
        QVERIFY(floor > 0.8 * expected && floor < 1.25 * expected);
        QCOMPARE(noiseFloor(normal, 1), noiseFloor(normal, 1));
    }

    void wholeTestGoesWithTheDelta()
    {
        const Side before = side(stageNames, scattered(1, 300, {100, 700, 20}));
        const Side after = side(stageNames, scattered(2, 300, {100, 350, 20}), {.firstId = 900});
        const WholeTest test = *compared(before, after).test;
        QVERIFY(test.rank.p < 1e-6 && test.rank.cliffsDelta < -0.9 && test.rank.probabilityFaster > 0.95);
        QVERIFY(test.shift < Duration{-300 * ms} && test.shift > Duration{-400 * ms});
        QCOMPARE(compared(before, before).test->rank.cliffsDelta, 0.0);
        QVERIFY(!compared(side(stageNames, {}), after).test);
    }
};

QTEST_GUILESS_MAIN(TestComparisonSplits)
#include "tst_comparison_splits.moc"
