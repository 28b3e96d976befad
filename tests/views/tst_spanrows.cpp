// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the waterfall: the tree, what is collapsed, orphans and the ancestors that stay on top.
#include "tests/views/requestfixture.h"
#include "views/waterfall/spanrows.h"
#include "views/waterfall/waterfalllayout.h"

#include <QTest>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

QStringList rowNames(const TraceScene& scene, const SpanRows& rows)
{
    QStringList names;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string name(scene.trace->name(rows[i].span));
        names << QString::fromStdString(rows[i].isMarker ? "(missing parent of " + name + ")" : name);
    }
    return names;
}

} // namespace

class TestSpanRows : public QObject {
    Q_OBJECT

private slots:
    void rowsFollowTheTree();
    void collapsedRowsSkipTheirSubtree();
    void expandToOpensAncestors();
    void levels();
    void orphansStandBelowAMarker();
    void stickyAncestors();
};

void TestSpanRows::rowsFollowTheTree()
{
    const auto scene = sceneOf(request());
    const SpanRows rows(scene->view);
    QCOMPARE(rowNames(*scene, rows),
        QStringList({"ingress", "retrieve", "retrieve a", "retrieve b", "generate", "generate first", "generate second"}));
    for (std::uint32_t i = 0; i < rows.size(); ++i)
        QCOMPARE(*rows.rowOf(rows[i].span), std::size_t(i));
}

void TestSpanRows::collapsedRowsSkipTheirSubtree()
{
    const auto scene = sceneOf(request());
    SpanRows rows(scene->view);
    const std::uint32_t retrieve = named(*scene, "retrieve");
    rows.setCollapsed(retrieve, true);
    QCOMPARE(rowNames(*scene, rows), QStringList({"ingress", "retrieve", "generate", "generate first", "generate second"}));
    QVERIFY(!rows.rowOf(named(*scene, "retrieve b")));
    QCOMPARE(rows.visibleSpan(named(*scene, "retrieve b")), retrieve);
    QCOMPARE(rows.hiddenEnd(retrieve), retrieve + 3);
    rows.setCollapsed(named(*scene, "generate first"), true); // has no children
    QCOMPARE(rows.size(), std::size_t(5));
    rows.setCollapsed(named(*scene, "ingress"), true);
    QCOMPARE(rowNames(*scene, rows), QStringList({"ingress"}));
    QCOMPARE(rows.visibleSpan(named(*scene, "retrieve b")), named(*scene, "ingress"));
}

void TestSpanRows::expandToOpensAncestors()
{
    const auto scene = sceneOf(request());
    SpanRows rows(scene->view);
    rows.setCollapsed(named(*scene, "generate"), true);
    rows.setCollapsed(named(*scene, "retrieve"), true);
    rows.setCollapsed(named(*scene, "ingress"), true);
    QVERIFY(rows.expandTo(named(*scene, "retrieve b")));
    QCOMPARE(rowNames(*scene, rows), QStringList({"ingress", "retrieve", "retrieve a", "retrieve b", "generate"}));
    QVERIFY(!rows.expandTo(named(*scene, "retrieve b")));
}

void TestSpanRows::levels()
{
    const auto scene = sceneOf(request());
    SpanRows rows(scene->view);
    QCOMPARE(rows.openDepth(), 2U);
    rows.collapseFrom(1);
    QCOMPARE(rowNames(*scene, rows), QStringList({"ingress", "retrieve", "generate"}));
    rows.collapseFrom(0);
    QCOMPARE(rowNames(*scene, rows), QStringList({"ingress"}));
    rows.expandAll();
    QCOMPARE(rows.size(), std::size_t(7));
}

void TestSpanRows::orphansStandBelowAMarker()
{
    const auto scene = sceneOf(TraceBuilder()
                                   .span("root", 0, 100)
                                   .span("late", 50, 60, "gone")
                                   .span("other", 20, 30, "lost")
                                   .span("early", 10, 15, "gone")
                                   .span("child", 11, 12, "early"));
    const SpanRows rows(scene->view);
    QCOMPARE(rowNames(*scene, rows),
        QStringList({"root", "(missing parent of early)", "early", "child", "late", "(missing parent of other)", "other"}));
    QCOMPARE(rows.orphansBelow(named(*scene, "early")), 2U);
    QCOMPARE(rows.orphansBelow(named(*scene, "other")), 1U);
    QCOMPARE(scene->depth[named(*scene, "child")], 2U);
}

void TestSpanRows::stickyAncestors()
{
    const auto scene = sceneOf(request());
    const SpanRows rows(scene->view);
    const auto names = [&](std::size_t topRow, std::size_t most) {
        QStringList result;
        for (const std::uint32_t span : rows.stickyAncestors(topRow, most))
            result << QString::fromUtf8(scene->trace->name(span).data(), qsizetype(scene->trace->name(span).size()));
        return result;
    };
    QCOMPARE(names(0, 4), QStringList());
    QCOMPARE(names(1, 4), QStringList({"ingress", "retrieve"})); // the first free row is "retrieve b"
    QCOMPARE(names(5, 4), QStringList({"ingress", "generate"}));
    QCOMPARE(names(5, 1), QStringList({"generate"})); // the nearest
    QCOMPARE(names(5, 0), QStringList());
}

QTEST_GUILESS_MAIN(TestSpanRows)
#include "tst_spanrows.moc"
