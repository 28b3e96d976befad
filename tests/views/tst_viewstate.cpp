// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Selection, filter and history of the ViewState, and which signals tell of them.
#include "views/state/viewstate.h"

#include <QSignalSpy>
#include <QtTest>

using namespace chokepoint;

namespace {

TraceScope stageScope(const QString& stage)
{
    TraceScope scope;
    scope.stage = stage;
    return scope;
}

std::shared_ptr<const Dataset> emptyDataset()
{
    return std::make_shared<const Dataset>();
}

} // namespace

class TestViewState : public QObject {
    Q_OBJECT
private slots:
    void aFigureLeadsToItsTracesAndBack()
    {
        ViewState state;
        state.goTo(Page::Compare);
        state.showTraces(stageScope("retrieve"));
        QCOMPARE(state.page(), Page::Traces);
        QCOMPARE(state.filter().stage, QString("retrieve"));
        state.openTrace({Side::After, 7}, 3);
        QCOMPARE(state.page(), Page::Waterfall);
        QCOMPARE(state.trace(), (TraceRef{Side::After, 7}));
        QCOMPARE(state.span(), std::size_t(3));

        state.goBack();
        QCOMPARE(state.page(), Page::Traces);
        QCOMPARE(state.filter().stage, QString("retrieve"));
        QVERIFY(!state.trace());
        state.goBack();
        QCOMPARE(state.page(), Page::Compare);
        QVERIFY(state.filter().isEmpty());
        state.goForward();
        state.goForward();
        QCOMPARE(state.page(), Page::Waterfall);
        QCOMPARE(state.span(), std::size_t(3));
        QVERIFY(!state.canGoForward());
    }

    void aNewStepForgetsTheFuture()
    {
        ViewState state;
        state.goTo(Page::Compare);
        state.goTo(Page::Traces);
        state.goBack();
        QVERIFY(state.canGoForward());
        state.goTo(Page::Waterfall);
        QVERIFY(!state.canGoForward());
        state.goBack();
        QCOMPARE(state.page(), Page::Compare);
    }

    void goingWhereOneIsMakesNoStep()
    {
        ViewState state;
        state.goTo(Page::Start);
        QVERIFY(!state.canGoBack());
    }

    void historyIsBounded()
    {
        ViewState state;
        for (int i = 0; i < 500; ++i)
            state.goTo(i % 2 == 0 ? Page::Traces : Page::Compare);
        int steps = 0;
        for (; state.canGoBack(); ++steps)
            state.goBack();
        QCOMPARE(steps, 100);
    }

    void signalsTellOnlyWhatDiffers()
    {
        ViewState state;
        QSignalSpy stage(&state, &ViewState::stageChanged);
        QSignalSpy trace(&state, &ViewState::traceChanged);
        QSignalSpy span(&state, &ViewState::spanChanged);
        QSignalSpy filter(&state, &ViewState::filterChanged);
        QSignalSpy page(&state, &ViewState::pageChanged);
        state.selectStage("queue");
        state.selectStage("queue");
        QCOMPARE(stage.size(), 1);
        state.selectTrace(TraceRef{Side::Before, 1});
        state.selectSpan(4);
        QCOMPARE(trace.size(), 1);
        QCOMPARE(span.size(), 1);
        state.selectTrace(TraceRef{Side::Before, 2});
        QVERIFY(!state.span()); // another trace, other spans
        QCOMPARE(span.size(), 2);
        state.setFilter(stageScope("queue"));
        QCOMPARE(filter.size(), 1);
        QCOMPARE(page.size(), 0);
    }

    void hoveringIsNoStep()
    {
        ViewState state;
        QSignalSpy hovered(&state, &ViewState::hoveredStageChanged);
        state.hoverStage("generate");
        state.hoverStage("generate");
        state.hoverStage("");
        QCOMPARE(hovered.size(), 2);
        QVERIFY(!state.canGoBack());
    }

    void swappingTakesSelectionAndFilterAlong()
    {
        ViewState state;
        const auto before = emptyDataset();
        const auto after = emptyDataset();
        state.setDataset(Side::Before, before);
        state.setDataset(Side::After, after);
        state.selectTrace(TraceRef{Side::Before, 5});
        TraceScope scope;
        scope.side = Side::After;
        state.setFilter(scope);
        state.swapSides();
        QCOMPARE(state.dataset(Side::Before), after);
        QCOMPARE(state.dataset(Side::After), before);
        QCOMPARE(state.trace(), (TraceRef{Side::After, 5}));
        QCOMPARE(state.filter().side, Side::Before);
    }

    void anotherDatasetDropsWhatPointedIntoTheOldOne()
    {
        ViewState state;
        state.setDataset(Side::Before, emptyDataset());
        state.setDataset(Side::After, emptyDataset());
        state.setComparison(std::make_shared<const Comparison>());
        state.openTrace({Side::After, 3}, 1);
        state.setDataset(Side::Before, emptyDataset());
        QVERIFY(!state.comparison());
        QVERIFY(!state.canGoBack());
        QCOMPARE(state.trace(), (TraceRef{Side::After, 3})); // the other side is still there
        state.setDataset(Side::After, nullptr);
        QVERIFY(!state.trace());
        QVERIFY(!state.span());
    }
};

QTEST_GUILESS_MAIN(TestViewState)
#include "tst_viewstate.moc"
