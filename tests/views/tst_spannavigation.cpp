// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Steps from span to span of the waterfall and the search in a trace.
#include "tests/views/requestfixture.h"
#include "views/waterfall/spannavigation.h"
#include "views/waterfall/spanrows.h"
#include "views/waterfall/spansearch.h"

#include <QTest>

using namespace chokepoint;
using namespace chokepoint::testkit;

class TestSpanNavigation : public QObject {
    Q_OBJECT

private slots:
    void stepsInSortedSpans();
    void stepsAlongThePath();
    void siblings();
    void mostSelfTimeOnScreen();
    void search_data();
    void search();
};

void TestSpanNavigation::stepsInSortedSpans()
{
    const std::vector<std::uint32_t> spans{3, 7, 9};
    QCOMPARE(*steppedIn(spans, std::nullopt, Step::Next), 3U);
    QCOMPARE(*steppedIn(spans, std::nullopt, Step::Previous), 9U);
    QCOMPARE(*steppedIn(spans, 3U, Step::Next), 7U);
    QCOMPARE(*steppedIn(spans, 4U, Step::Next), 7U);
    QCOMPARE(*steppedIn(spans, 9U, Step::Next), 3U); // wraps
    QCOMPARE(*steppedIn(spans, 3U, Step::Previous), 9U);
    QVERIFY(!steppedIn({}, 3U, Step::Next));
}

void TestSpanNavigation::stepsAlongThePath()
{
    const auto scene = sceneOf(request());
    // ingress 0-10, retrieve a 10-40, generate first 40-60, generate second 60-90, ingress 90-100
    QStringList visited;
    std::optional<std::uint32_t> span;
    std::optional<std::size_t> part;
    for (int i = 0; i < 5; ++i) {
        part = steppedOnPath(*scene, span, part, Step::Next);
        span = scene->pathByTime[*part].span;
        visited << QString::fromStdString(std::string(scene->trace->name(*span)));
    }
    QCOMPARE(visited, QStringList({"ingress", "retrieve a", "generate first", "generate second", "ingress"}));
    part = steppedOnPath(*scene, span, part, Step::Previous);
    QCOMPARE(scene->pathByTime[*part].span, named(*scene, "generate second"));
    // From a span that is not on the path: to where the path is then.
    part = steppedOnPath(*scene, named(*scene, "retrieve b"), std::nullopt, Step::Next);
    QCOMPARE(scene->pathByTime[*part].span, named(*scene, "retrieve a"));
}

void TestSpanNavigation::siblings()
{
    const auto scene = sceneOf(request());
    QCOMPARE(*sibling(scene->view, named(*scene, "retrieve"), Step::Next), named(*scene, "generate"));
    QCOMPARE(*sibling(scene->view, named(*scene, "generate"), Step::Previous), named(*scene, "retrieve"));
    QVERIFY(!sibling(scene->view, named(*scene, "generate"), Step::Next));
    QVERIFY(!sibling(scene->view, named(*scene, "retrieve"), Step::Previous));
    QVERIFY(!sibling(scene->view, named(*scene, "ingress"), Step::Next));
}

void TestSpanNavigation::mostSelfTimeOnScreen()
{
    const auto scene = sceneOf(request());
    const SpanRows rows(scene->view);
    QCOMPARE(*mostSelfTime(*scene, rows, 0, 100), named(*scene, "retrieve a")); // 30 ns, before "generate second"
    QCOMPARE(*mostSelfTime(*scene, rows, 4, 6), named(*scene, "generate first"));
}

void TestSpanNavigation::search_data()
{
    QTest::addColumn<QString>("needle");
    QTest::addColumn<int>("found");
    QTest::newRow("name, any case") << "RETRIEVE" << 3;
    QTest::newRow("service") << "llm" << 1;
    QTest::newRow("text attribute") << "100%_sure" << 1;
    QTest::newRow("percent is literal") << "1%_" << 0;
    QTest::newRow("integer attribute") << "404" << 1;
    QTest::newRow("inside an array") << "needle" << 1;
    QTest::newRow("keys are not searched") << "http.status" << 0;
    QTest::newRow("nothing for nothing") << "" << 0;
}

void TestSpanNavigation::search()
{
    QFETCH(QString, needle);
    QFETCH(int, found);
    TraceBuilder builder = request();
    builder.span("attributes", 0, 1, "ingress")
        .attribute("http.status", {std::int64_t(404)})
        .attribute("note", {std::string("100%_sure")})
        .attribute("list", {AttributeValue::Array{{std::string("hay")}, {std::string("Needle")}}});
    const Trace trace = builder.buildTrace();
    QCOMPARE(int(matchingSpans(trace, needle.toStdString(), {}).size()), found);
}

QTEST_GUILESS_MAIN(TestSpanNavigation)
#include "tst_spannavigation.moc"
