// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rectangles, hit test and level of detail of the waterfall and its minimap, as values.
#include "tests/testkit/randomtrace.h"
#include "tests/views/requestfixture.h"
#include "views/waterfall/minimaplayout.h"
#include "views/waterfall/waterfalllayout.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <set>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

WaterfallViewport viewportOf(const TraceScene& scene, double width = 100, int height = 1000)
{
    WaterfallViewport viewport;
    viewport.time = fittedView(scene.extent);
    viewport.timelineWidth = width;
    viewport.height = height;
    viewport.rowHeight = 20;
    return viewport;
}

/// Columns that a run touches.
std::vector<bool> columnsOf(const std::vector<PixelRun>& runs, int columns)
{
    std::vector<bool> touched(std::size_t(columns), false);
    for (const PixelRun& run : runs) {
        for (int c = int(run.x + 1e-9); c < columns && c < run.x + run.width - 1e-9; ++c)
            touched[std::size_t(c)] = true;
    }
    return touched;
}

} // namespace

class TestWaterfallLayout : public QObject {
    Q_OBJECT

private slots:
    void barsOfARequest();
    void oddSpans();
    void collapsedRowShowsWhatItHides();
    void pathOfARow();
    void linksFollowThePath();
    void linksAreNoBarCode();
    void hitTest();
    void scrolling();
    void hiddenRunsAgreeWithPlainPainting();
    void pathRunsAgreeWithPlainPainting();
    void framesStayInTheViewport();
    void minimap();
    void aMillionSpans();
};

void TestWaterfallLayout::barsOfARequest()
{
    const auto scene = sceneOf(request());
    const SpanRows rows(scene->view);
    const WaterfallFrame frame = layoutWaterfall(*scene, rows, viewportOf(*scene));
    QCOMPARE(frame.rows.size(), std::size_t(7));
    const std::vector<PixelRun> expected{{0, 100}, {10, 30}, {10, 30}, {10, 10}, {40, 50}, {40, 20}, {60, 30}};
    for (std::size_t i = 0; i < frame.rows.size(); ++i) {
        QCOMPARE(frame.rows[i].y, int(i) * 20);
        QVERIFY(frame.rows[i].shape == BarShape::Box);
        QCOMPARE(frame.rows[i].bar.x, expected[i].x);
        QCOMPARE(frame.rows[i].bar.width, expected[i].width);
        QCOMPARE(frame.rows[i].error, i == 5);
    }

    WaterfallViewport part = viewportOf(*scene);
    part.time = {timestampFromNs(50), timestampFromNs(70)};
    const WaterfallFrame zoomed = layoutWaterfall(*scene, rows, part);
    QVERIFY(zoomed.rows[1].shape == BarShape::None && zoomed.rows[1].before);
    QCOMPARE(zoomed.rows[5].bar.width, 50.0);
    QVERIFY(zoomed.rows[5].clippedLeft && !zoomed.rows[5].clippedRight);
    QVERIFY(zoomed.rows[6].clippedRight && !zoomed.rows[6].clippedLeft);
}

void TestWaterfallLayout::oddSpans()
{
    const auto scene = sceneOf(TraceBuilder()
                                   .span("root", 0, 100)
                                   .span("point", 50, 50, "root")
                                   .span("backwards", 60, 40, "root")
                                   .span("open", 70, 0, "root")
                                   .noEnd()
                                   .span("nowhere", 0, 80, "root")
                                   .noStart());
    const SpanRows rows(scene->view);
    const WaterfallFrame frame = layoutWaterfall(*scene, rows, viewportOf(*scene));
    const auto row = [&](std::string_view name) { return frame.rows[*rows.rowOf(named(*scene, name))]; };
    QVERIFY(row("point").shape == BarShape::Point);
    QVERIFY(row("backwards").shape == BarShape::Point);
    QVERIFY(row("open").shape == BarShape::Box && row("open").torn);
    QCOMPARE(row("open").bar.width, 30.0); // to the end of the trace
    QVERIFY(row("nowhere").shape == BarShape::NoStart);
    QVERIFY(!row("root").torn);
}

void TestWaterfallLayout::collapsedRowShowsWhatItHides()
{
    const auto scene = sceneOf(request());
    SpanRows rows(scene->view);
    rows.setCollapsed(named(*scene, "ingress"), true);
    const WaterfallFrame frame = layoutWaterfall(*scene, rows, viewportOf(*scene));
    QCOMPARE(frame.rows.size(), std::size_t(1));
    QCOMPARE(frame.rows[0].hiddenSpans, 6U);
    QCOMPARE(frame.rows[0].hiddenErrors, 1U);
    const StageId retrieve = scene->stages->find("retrieve");
    const StageId generate = scene->stages->find("generate");
    const std::vector<HiddenRun> expected{{10, 30, retrieve, false}, {40, 20, generate, true}, {60, 30, generate, false}};
    QVERIFY(frame.rows[0].hidden == expected);
    QCOMPARE(frame.rows[0].path.size(), std::size_t(1)); // all of the trace
    QCOMPARE(frame.rows[0].path[0].width, 100.0);
}

void TestWaterfallLayout::pathOfARow()
{
    const auto scene = sceneOf(request());
    const SpanRows rows(scene->view);
    const WaterfallFrame frame = layoutWaterfall(*scene, rows, viewportOf(*scene));
    const std::vector<PixelRun> root{{0, 10}, {90, 10}}; // before retrieval, after generation
    QVERIFY(frame.rows[0].path == root);
    const std::vector<PixelRun> shard{{10, 30}};
    QVERIFY(frame.rows[2].path == shard);
    QVERIFY(frame.rows[3].path.empty());
}

void TestWaterfallLayout::linksFollowThePath()
{
    const auto scene = sceneOf(request());
    const SpanRows rows(scene->view);
    const WaterfallFrame frame = layoutWaterfall(*scene, rows, viewportOf(*scene));
    QCOMPARE(frame.links.size(), std::size_t(4));
    QCOMPARE(frame.links[0].x, 10.0); // from the root to the first shard
    QCOMPARE(frame.links[0].fromY, 10);
    QCOMPARE(frame.links[0].toY, 50);
    QCOMPARE(frame.links[3].x, 90.0);
    QCOMPARE(frame.links[3].toY, 10);
}

void TestWaterfallLayout::linksAreNoBarCode()
{
    TraceBuilder builder;
    builder.span("root", 0, 1000);
    for (int i = 0; i < 1000; ++i)
        builder.span("step " + std::to_string(i), i, i + 1, "root");
    const auto scene = sceneOf(builder);
    const SpanRows rows(scene->view);
    WaterfallViewport viewport = viewportOf(*scene);
    QVERIFY(layoutWaterfall(*scene, rows, viewport).links.empty()); // ten steps a pixel
    viewport.time.end = viewport.time.begin + Duration{10};
    QCOMPARE(layoutWaterfall(*scene, rows, viewport).links.size(), std::size_t(10)); // ten pixels a step
}

void TestWaterfallLayout::hitTest()
{
    const auto scene = sceneOf(request());
    const SpanRows rows(scene->view);
    WaterfallViewport viewport = viewportOf(*scene, 100, 60);
    const auto hit = [&](int y) { return rowAt(layoutWaterfall(*scene, rows, viewport), viewport, rows.size(), y); };
    QCOMPARE(*hit(0), std::size_t(0));
    QCOMPARE(*hit(19), std::size_t(0));
    QCOMPARE(*hit(20), std::size_t(1));
    viewport.top = 90; // row 4 is half away
    viewport.stickyRows = 1;
    QCOMPARE(*hit(0), std::size_t(4)); // sticks above its children
    QCOMPARE(*hit(19), std::size_t(4));
    QCOMPARE(*hit(35), std::size_t(6));
    QVERIFY(!hit(55));
    QVERIFY(!hit(-1));
}

void TestWaterfallLayout::scrolling()
{
    const auto scene = sceneOf(request());
    const SpanRows rows(scene->view);
    WaterfallViewport viewport = viewportOf(*scene, 100, 60);
    viewport.stickyRows = 0;
    QCOMPARE(scrollToRow(rows, viewport, 1), std::int64_t(0)); // in view
    QCOMPARE(scrollToRow(rows, viewport, 6), std::int64_t(80)); // just in view at the bottom
    viewport.top = 100;
    QCOMPARE(scrollToRow(rows, viewport, 2), std::int64_t(40)); // just in view at the top
    viewport.stickyRows = 4;
    QVERIFY(scrollToRow(rows, viewport, 2) < 40); // below its sticky ancestors
}

void TestWaterfallLayout::hiddenRunsAgreeWithPlainPainting()
{
    Random random(5);
    for (int run = 0; run < 60; ++run) {
        RandomShape shape = hostileShape();
        shape.minSpans = 1;
        shape.maxSpans = 400; // enough for blocks
        shape.duration = 100'000;
        const auto scene = sceneOf(randomTraces(std::uint64_t(run), 1, shape));
        TimeNavigator time(scene->extent);
        time.zoom(int(random.below(10)), timestampFromNs(toNs(scene->extent.begin) + random.between(0, toNs(scene->extent.length()))));
        const TimeScale scale(time.view(), double(1 + random.below(300)));
        const auto first = std::uint32_t(random.below(scene->size()));
        const auto last = std::uint32_t(first + 1 + random.below(scene->size() - first));

        // Every span over every column, in order: later ones lie inside earlier ones.
        std::vector<bool> painted(std::size_t(scale.columns()), false);
        std::vector<bool> errors(std::size_t(scale.columns()), false);
        for (std::uint32_t span = first; span < last; ++span) {
            if (!scene->hasStart(span) || !scale.intersects(scene->view.start[span], scene->shownEnd(span)))
                continue;
            const int from = scale.firstColumn(scene->view.start[span]);
            const int to = std::max(from, scale.lastColumn(scene->shownEnd(span)));
            for (int column = from; column <= to; ++column) {
                painted[std::size_t(column)] = true;
                errors[std::size_t(column)] = errors[std::size_t(column)] || scene->view.flags[span].isError();
            }
        }
        std::vector<bool> shown(painted.size(), false);
        std::vector<bool> shownErrors(painted.size(), false);
        int right = 0;
        for (const HiddenRun& cell : hiddenRuns(*scene, first, last, scale)) {
            QVERIFY(cell.column >= right); // one bar a column
            right = cell.column + cell.columns;
            QVERIFY(right <= scale.columns());
            for (int column = cell.column; column < right; ++column) {
                shown[std::size_t(column)] = true;
                shownErrors[std::size_t(column)] = cell.error;
            }
        }
        QVERIFY2(shown == painted, qPrintable(QStringLiteral("seed %1").arg(run)));
        QVERIFY2(shownErrors == errors, qPrintable(QStringLiteral("seed %1").arg(run)));
    }
}

void TestWaterfallLayout::pathRunsAgreeWithPlainPainting()
{
    Random random(6);
    for (int run = 0; run < 300; ++run) {
        std::vector<PathPart> parts;
        std::int64_t at = 0;
        for (std::uint64_t i = 0, n = 1 + random.below(60); i < n; ++i) {
            at += random.between(0, 40);
            const std::int64_t end = at + random.between(1, 40);
            parts.push_back({0, StageId{}, SegmentType::Self, timestampFromNs(at), timestampFromNs(end)});
            at = end;
        }
        const std::int64_t from = random.between(0, at);
        const TimeScale scale({timestampFromNs(from), timestampFromNs(from + random.between(1, at))}, double(1 + random.below(200)));
        const std::vector<PixelRun> runs = pathRuns(parts, scale);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            QVERIFY(runs[i].width >= 1 - 1e-9 && runs[i].x >= 0 && runs[i].x + runs[i].width <= scale.width() + 1e-9);
            QVERIFY(i == 0 || runs[i].x >= runs[i - 1].x + runs[i - 1].width);
        }
        // No part is lost: each has a run over its middle.
        for (const PathPart& part : parts) {
            if (!scale.intersects(part.begin, part.end))
                continue;
            const double middle = (scale.xAt(part.begin) + scale.xAt(part.end)) / 2;
            constexpr double rounding = 0.5; // px: a run's end as a whole ns
            QVERIFY(std::any_of(runs.begin(), runs.end(),
                [&](const PixelRun& r) { return r.x - rounding <= middle && middle <= r.x + r.width + rounding; }));
        }
    }
}

void TestWaterfallLayout::framesStayInTheViewport()
{
    Random random(8);
    for (int run = 0; run < 100; ++run) {
        RandomShape shape = hostileShape();
        shape.maxSpans = 120;
        const auto scene = sceneOf(randomTraces(std::uint64_t(run) + 1000, 1, shape));
        SpanRows rows(scene->view);
        for (std::uint64_t i = 0; i < random.below(6); ++i)
            rows.setCollapsed(std::uint32_t(random.below(scene->size())), true);
        TimeNavigator time(scene->extent);
        time.zoom(int(random.below(12)), timestampFromNs(toNs(scene->extent.begin) + random.between(0, toNs(scene->extent.length()))));
        WaterfallViewport viewport = viewportOf(*scene, double(1 + random.below(500)), int(random.below(400)));
        viewport.time = time.view();
        viewport.top = random.between(0, std::int64_t(rows.size()) * viewport.rowHeight);
        const WaterfallFrame frame = layoutWaterfall(*scene, rows, viewport);
        QVERIFY(int(frame.rows.size()) <= viewport.height / viewport.rowHeight + 2);
        std::set<std::size_t> seen;
        for (const WaterfallRow& row : frame.rows) {
            QVERIFY(seen.insert(row.row).second);
            QVERIFY(row.y > -viewport.rowHeight && row.y < viewport.height);
            QVERIFY(row.bar.x >= 0 && row.bar.x + row.bar.width <= viewport.timelineWidth + 1e-9);
            if (row.shape == BarShape::Box || row.shape == BarShape::Point)
                QVERIFY(row.bar.width >= 1);
            const std::vector<bool> touched = columnsOf(row.path, int(viewport.timelineWidth));
            QVERIFY(row.path.empty() || std::count(touched.begin(), touched.end(), true) > 0);
        }
        QVERIFY(frame.sticky.size() <= viewport.stickyRows);
        for (const PathLink& link : frame.links)
            QVERIFY(link.x >= 0 && link.x <= viewport.timelineWidth);
    }
}

void TestWaterfallLayout::minimap()
{
    const auto scene = sceneOf(request());
    const MinimapLayout map = layoutMinimap(*scene, scene->extent, 100, 10);
    QCOMPARE(map.lines, 7); // not more lines than spans
    const StageId ingress = scene->stages->find("ingress");
    const StageId retrieve = scene->stages->find("retrieve");
    QVERIFY(map.cell(0, 50) == ingress);
    QVERIFY(map.cell(1, 9) == MinimapLayout::nothing);
    QVERIFY(map.cell(1, 10) == retrieve);
    QVERIFY(map.path[5] == ingress);
    QVERIFY(map.path[20] == retrieve);
    QVERIFY(!map.errors[39] && map.errors[40] && map.errors[59] && !map.errors[60]);
}

void TestWaterfallLayout::aMillionSpans()
{
    constexpr std::uint32_t children = 999'999;
    QElapsedTimer clock;
    TraceColumns columns = wideTrace(children);
    const auto trace = std::make_shared<const Trace>(
        std::move(columns), std::vector<std::uint64_t>(children + 1), std::vector<std::uint32_t>(children + 1), std::string());
    const StageMap stages = stagesByName(trace->columns());
    clock.start();
    CriticalPath path = criticalPath(trace->view(), trace->dictionary());
    const qint64 walked = clock.restart();
    const auto scene = makeTraceScene(trace, std::move(path), {stages.table, stages.stage, stages.rule, stages.ruleNames, {}, 0});
    SpanRows rows(scene->view);
    const qint64 opened = clock.restart();
    WaterfallViewport viewport = viewportOf(*scene, 1200, 900);
    viewport.top = 500'000LL * viewport.rowHeight;
    const WaterfallFrame frame = layoutWaterfall(*scene, rows, viewport);
    const qint64 framed = clock.restart();
    rows.setCollapsed(0, true);
    const WaterfallFrame folded = layoutWaterfall(*scene, rows, viewportOf(*scene, 1200, 900));
    const qint64 collapsed = clock.restart();
    const MinimapLayout map = layoutMinimap(*scene, scene->extent, 1200, 40);
    const qint64 mapped = clock.restart();
    qInfo("1M spans: path %lld ms, scene and rows %lld ms, frame %lld ms, collapse and frame %lld ms, minimap %lld ms", walked, opened,
        framed, collapsed, mapped);
    QCOMPARE(frame.rows.size(), std::size_t(45));
    QCOMPARE(folded.rows.size(), std::size_t(1));
    QCOMPARE(folded.rows[0].hiddenSpans, children);
    QCOMPARE(map.columns, 1200);
}

QTEST_GUILESS_MAIN(TestWaterfallLayout)
#include "tst_waterfalllayout.moc"
