// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of the comparison charts: bars that fill their width, contributions that add up, ranks that find their slots.
#include "views/charts/stageorder.h"
#include "views/compare/comparelayouts.h"

#include <QtTest>

#include <random>

using namespace chokepoint;
using namespace std::chrono_literals;

class TestCompareLayouts : public QObject {
    Q_OBJECT

    // The figures of a service that became 24 % faster: ms a request by stage, before and after.
    const std::vector<Duration> before{120ms, 240ms, 380ms, 310ms, 820ms, 90ms, 340ms};
    const std::vector<Duration> after{560ms, 220ms, 95ms, 300ms, 420ms, 85ms, 70ms};

private slots:
    void shareBarsAreProportional()
    {
        const std::vector<SharePair> shares{{0.25, 0.5}, {0.75, 0.5}};
        const auto segments = layoutShareBars(shares, 400);
        QCOMPARE(segments[0].beforeX, 0.0);
        QCOMPARE(segments[0].beforeWidth, 100.0);
        QCOMPARE(segments[1].beforeX, 100.0);
        QCOMPARE(segments[1].beforeWidth, 300.0);
        QCOMPARE(segments[0].afterWidth, 200.0);
        QCOMPARE(segments[1].afterX, 200.0);
    }

    void shareBarsMeetAndFillTheWidthExactly()
    {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> share(0, 1);
        for (int round = 0; round < 200; ++round) {
            std::vector<SharePair> shares(std::size_t(1 + round % 20));
            for (SharePair& pair : shares)
                pair = {share(random), share(random)};
            const double width = 100 + round * 3.7;
            const auto segments = layoutShareBars(shares, width);
            double beforeEnd = 0;
            double afterEnd = 0;
            for (const ShareSegment& s : segments) {
                QCOMPARE(s.beforeX, beforeEnd);
                QCOMPARE(s.afterX, afterEnd);
                QVERIFY(s.beforeWidth >= 0 && s.afterWidth >= 0);
                beforeEnd = s.beforeX + s.beforeWidth;
                afterEnd = s.afterX + s.afterWidth;
            }
            QCOMPARE(beforeEnd, width);
            QCOMPARE(afterEnd, width);
        }
    }

    void aSideWithoutTimeHasNoBar()
    {
        const std::vector<SharePair> shares{{0.5, 0}, {0.5, 0}};
        const auto segments = layoutShareBars(shares, 100);
        QCOMPARE(segments[1].beforeX + segments[1].beforeWidth, 100.0);
        QCOMPARE(segments[1].afterX + segments[1].afterWidth, 0.0);
        QVERIFY(layoutShareBars({}, 100).empty());
    }

    void contributionsRunFromBeforeToAfter()
    {
        std::vector<Duration> contributions;
        for (std::size_t i = 0; i < before.size(); ++i)
            contributions.push_back(after[i] - before[i]);
        const DeltaLayout layout = layoutDelta(2300ms, contributions, 20);
        QCOMPARE(layout.steps.size(), std::size_t(7));
        QCOMPARE(layout.after, Duration(1750ms));
        QCOMPARE(layout.steps[0].stage, std::size_t(0)); // queue, +440, is the largest
        QCOMPARE(layout.steps[0].from, Duration(2300ms));
        QCOMPARE(layout.steps[0].to, Duration(2740ms));
        QCOMPARE(layout.steps[1].contribution, Duration(-400ms));
        for (std::size_t i = 1; i < layout.steps.size(); ++i)
            QCOMPARE(layout.steps[i].from, layout.steps[i - 1].to);
        QCOMPARE(layout.steps.back().to, layout.after);
        QCOMPARE(layout.high, Duration(2740ms));
    }

    void smallContributionsAreFoldedAndStillAddUp()
    {
        const std::vector<Duration> contributions{5ms, -40ms, 1ms, 30ms, -2ms};
        const DeltaLayout layout = layoutDelta(100ms, contributions, 3);
        QCOMPARE(layout.steps.size(), std::size_t(3));
        QCOMPARE(layout.steps[0].stage, std::size_t(1));
        QCOMPARE(layout.steps[1].stage, std::size_t(3));
        QCOMPARE(layout.steps[2].stage, foldedStage);
        QCOMPARE(layout.steps[2].contribution, Duration(4ms));
        QCOMPARE(layout.folded, std::size_t(3));
        QCOMPARE(layout.after, Duration(94ms));
    }

    void theAxisIsBrokenOnlyForSmallChanges()
    {
        const DeltaLayout small = layoutDelta(1000ms, std::vector<Duration>{-10ms, 5ms}, 5);
        QVERIFY(small.broken);
        QVERIFY(small.low > Duration{0});
        QVERIFY(small.low < Duration(990ms));
        const DeltaLayout large = layoutDelta(1000ms, std::vector<Duration>{-500ms}, 5);
        QVERIFY(!large.broken);
        QCOMPARE(large.low, Duration{0});
        const DeltaLayout none = layoutDelta(1000ms, std::vector<Duration>{0ms}, 5);
        QVERIFY(!none.broken);
    }

    void ranksFindTheirSlots()
    {
        //                                    decode   queue   gone     new
        const std::vector<RankPair> ranks{{1, 2}, {3, 1}, {2, 0}, {0, 3}};
        const SlopeLayout layout = layoutSlope(ranks, 8);
        QCOMPARE(layout.rows, 3);
        QCOMPARE(layout.folded, std::size_t(0));
        QCOMPARE(layout.lines[0].stage, std::size_t(0));
        QCOMPARE(layout.lines[0].beforeSlot, 0);
        QCOMPARE(layout.lines[0].afterSlot, 1);
        QCOMPARE(layout.lines[1].stage, std::size_t(2));
        QCOMPARE(layout.lines[1].afterSlot, -1);
        QCOMPARE(layout.lines[2].afterSlot, 0);
        QCOMPARE(layout.lines[3].stage, std::size_t(3)); // without a place before: last
        QCOMPARE(layout.lines[3].beforeSlot, -1);
    }

    void ranksBeyondTheTopOfBothSidesAreFolded()
    {
        const std::vector<RankPair> ranks{{1, 5}, {2, 4}, {3, 3}, {4, 2}, {5, 1}};
        const SlopeLayout layout = layoutSlope(ranks, 2);
        QCOMPARE(layout.lines.size(), std::size_t(4));
        QCOMPARE(layout.folded, std::size_t(1));
        QCOMPARE(layout.rows, 4);
    }

    void theStaircaseHoldsEverySampleWhenThereIsRoom()
    {
        const std::vector<Duration> sorted{10ms, 20ms, 20ms, 40ms};
        const std::vector<QPointF> steps = ecdfSteps(sorted, 1000);
        QCOMPARE(steps, (std::vector<QPointF>{{10, 0}, {10, 0.25}, {20, 0.75}, {40, 1}}));
        QVERIFY(ecdfSteps({}, 100).empty());
        QCOMPARE(ecdfSteps(std::vector<Duration>{5ms}, 100).back(), QPointF(5, 1));
    }

    void theStaircaseIsThinnedAndStaysTrue()
    {
        std::mt19937 random(3);
        std::lognormal_distribution<double> time(14, 1);
        std::vector<Duration> sorted(200000);
        for (Duration& d : sorted)
            d = Duration{std::int64_t(time(random))};
        std::ranges::sort(sorted);
        const double pixels = 500;
        const std::vector<QPointF> steps = ecdfSteps(sorted, pixels);
        QVERIFY(steps.size() <= std::size_t(3 * pixels));
        QCOMPARE(steps.front().y(), 0.0);
        QCOMPARE(steps.back().y(), 1.0);
        for (std::size_t i = 1; i < steps.size(); ++i) {
            QVERIFY(steps[i].x() >= steps[i - 1].x());
            QVERIFY(steps[i].y() > steps[i - 1].y());
            const auto at = std::ranges::upper_bound(sorted, Duration{std::llround(steps[i].x() * 1e6)}) - sorted.begin();
            QVERIFY(std::abs(double(at) / double(sorted.size()) - steps[i].y()) < 1e-9);
        }
    }

    void pipelineOrderIsThatOfARequest()
    {
        QVERIFY(pipelineLess("queue", "retrieve"));
        QVERIFY(pipelineLess("retrieve", "generate"));
        QVERIFY(pipelineLess("other", "my-stage"));
        QVERIFY(pipelineLess("a-stage", "b-stage"));
        QVERIFY(!pipelineLess("queue", "queue"));
    }
};

QTEST_GUILESS_MAIN(TestCompareLayouts)
#include "tst_comparelayouts.moc"
