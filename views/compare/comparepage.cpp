// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// ComparePage: chooses between message and figures, and lays the panels out in two or three columns.
#include "views/compare/comparepage.h"

#include "views/chrome/busystrip.h"
#include "views/chrome/messagepanel.h"
#include "views/compare/deltawaterfall.h"
#include "views/compare/distributionplot.h"
#include "views/compare/percentiletable.h"
#include "views/compare/rankslope.h"
#include "views/compare/sharebars.h"
#include "views/compare/verdictbar.h"
#include "views/format/text.h"

#include <QGridLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr int wideFrom = 1750; // logical pixels: room for three columns
constexpr int tallFrom = 1050; // logical pixels: all panels reach their maximum
constexpr int gap = 8;

std::vector<Duration> sortedE2e(const ViewState::DatasetPtr& dataset)
{
    if (!dataset)
        return {};
    std::vector<Duration> times = dataset->population.e2e();
    std::ranges::sort(times);
    return times;
}

} // namespace

ComparePage::ComparePage(ViewState& state, Session& session, JobRunner& jobs, QWidget* parent)
    : QWidget(parent), m_state(state), m_session(session), m_jobs(jobs), m_stack(new QStackedWidget), m_message(new MessagePanel),
      m_messageButton(m_message->addButton(QString())), m_busy(new BusyStrip), m_content(new QWidget), m_grid(new QGridLayout)
{
    setObjectName(QStringLiteral("comparePage"));
    buildContent();
    auto* scroll = new QScrollArea;
    scroll->setObjectName(QStringLiteral("compareScroll"));
    scroll->setWidget(m_content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    m_stack->addWidget(m_message);
    m_stack->addWidget(scroll);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(gap, gap, gap, gap);
    layout->setSpacing(0);
    layout->addWidget(m_busy);
    layout->addWidget(m_stack, 1);

    connect(&m_state, &ViewState::comparisonChanged, this, &ComparePage::showState);
    connect(&m_session, &Session::comparingChanged, this, &ComparePage::showState);
    connect(&m_session, &Session::profileChanged, this, &ComparePage::showState);
    connect(&m_session, &Session::sideChanged, this, &ComparePage::showState);
    connect(m_busy, &BusyStrip::cancelled, this, [this] {
        if (!m_session.isReading())
            return m_session.cancelCompare();
        m_session.cancel(Side::Before); // what is left is analysed
        m_session.cancel(Side::After);
    });
    connect(m_messageButton, &QAbstractButton::clicked, this, [this] {
        if (m_session.compareError())
            m_session.compareAgain();
        else
            m_state.goTo(Page::Start);
    });
    showState();
}

void ComparePage::buildContent()
{
    m_verdict = new VerdictBar;
    m_percentiles = new PercentileTable(m_state);
    m_shares = new ShareBars(m_state);
    m_delta = new DeltaWaterfall(m_state);
    m_slope = new RankSlope(m_state);
    m_distribution = new DistributionPlot(m_state);
    auto* addOther = new QPushButton(tr("Add the other side…"));
    addOther->setObjectName(QStringLiteral("addOtherSide"));
    m_addOther = addOther;
    connect(
        addOther, &QPushButton::clicked, this, [this] { emit openRequested(m_state.dataset(Side::Before) ? Side::After : Side::Before); });
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(gap);
    m_content->setLayout(m_grid);
    arrange();
}

void ComparePage::arrange()
{
    m_grid->setRowStretch(5, height() >= tallFrom ? 1 : 0); // takes what the panels below their maximum leave
    const bool wide = width() >= wideFrom;
    const int columns = wide ? 3 : 2;
    const bool single = m_slope->isHidden();
    if (columns == m_columns && single == m_single)
        return;
    m_columns = columns;
    m_single = single;
    while (QLayoutItem* item = m_grid->takeAt(0))
        delete item; // the widgets stay children of the page
    m_grid->addWidget(m_verdict, 0, 0, 1, columns);
    m_grid->addWidget(m_percentiles, 1, 0);
    m_grid->addWidget(m_shares, 1, 1);
    m_grid->addWidget(m_delta, 2, 0, 1, single ? 2 : 1);
    if (!single)
        m_grid->addWidget(m_slope, 2, 1);
    if (wide)
        m_grid->addWidget(m_distribution, 1, 2, 2, 1);
    else
        m_grid->addWidget(m_distribution, 3, 0, 1, 2);
    m_grid->addWidget(m_addOther, 4, 0, 1, columns, Qt::AlignHCenter);
    for (int column = 0; column < 3; ++column)
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
    m_grid->setRowStretch(1, 4);
    m_grid->setRowStretch(2, 5);
    m_grid->setRowStretch(3, wide ? 0 : 4);
    // Beyond these heights (logical pixels) bars and rows only drift apart.
    for (QWidget* panel : std::initializer_list<QWidget*>{m_percentiles, m_shares})
        panel->setMaximumHeight(400);
    for (QWidget* panel : std::initializer_list<QWidget*>{m_delta, m_slope})
        panel->setMaximumHeight(540);
    m_distribution->setMaximumHeight(wide ? 400 + 540 + gap : 480);
}

void ComparePage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void ComparePage::showState()
{
    const bool reading = m_session.isReading();
    const bool comparing = m_session.isComparing() || m_session.isProfiling();
    m_busy->setBusy(reading || comparing);
    showProgress();
    const auto& result = m_state.comparison() ? m_state.comparison() : m_session.profile();
    if (result) {
        CompareFigures figures;
        figures.comparison = result;
        figures.single = !m_state.comparison();
        figures.singleSide = m_state.dataset(Side::Before) ? Side::Before : Side::After;
        figures.beforeLabel = m_session.status(figures.single ? figures.singleSide : Side::Before).label;
        figures.afterLabel = m_session.status(Side::After).label;
        showFigures(figures);
        return;
    }
    if (m_session.compareError()) {
        const bool pair = m_state.hasPair();
        showMessage(pair ? tr("No comparison") : tr("No figures"), toText(m_session.compareError()->message()),
            m_session.compareError()->code != ErrorCode::Cancelled, pair ? tr("Compare again") : tr("Try again"));
        return;
    }
    if ((reading || comparing) && m_shown) {
        setStale(true); // the old figures stay, dimmed, until the new ones come
        return;
    }
    for (const Side side : {Side::Before, Side::After})
        if (const SideStatus& status = m_session.status(side); status.phase == SideStatus::Phase::Failed) {
            showMessage(tr("%1 could not be read").arg(status.label), toText(status.error->message()), true, tr("Choose another file…"));
            return;
        }
    if (reading || comparing) {
        showMessage(tr("Working"), tr("The figures appear as soon as they are there."), false, tr("Show the files"));
        return;
    }
    showMessage(tr("Nothing to compare yet"),
        tr("Open the traces of two profiling runs, before and after a change. This page then says whether the change made requests "
           "faster, which stages paid for it, and what the bottleneck is now."),
        false, tr("Open traces…"));
}

void ComparePage::showProgress()
{
    if (m_session.isComparing()) {
        m_busy->setProgress(m_session.compareProgress(), 0);
        return;
    }
    for (const Side side : {Side::Before, Side::After})
        if (const SideStatus& status = m_session.status(side); status.phase == SideStatus::Phase::Reading) {
            m_busy->setProgress(status.progress, status.clock.elapsed());
            return;
        }
    m_busy->setProgress({}, 0);
}

void ComparePage::showMessage(const QString& title, const QString& text, bool isError, const QString& button)
{
    m_shown = nullptr;
    m_message->setMessage(title, text, isError);
    m_messageButton->setText(button);
    m_stack->setCurrentIndex(0);
}

void ComparePage::setStale(bool stale)
{
    m_verdict->setStale(stale);
    m_percentiles->setStale(stale);
    for (ChartWidget* chart : std::initializer_list<ChartWidget*>{m_shares, m_delta, m_slope, m_distribution})
        chart->setStale(stale);
}

void ComparePage::showFigures(const CompareFigures& figures)
{
    setStale(false);
    m_stack->setCurrentIndex(1);
    if (m_shown == figures.comparison)
        return;
    m_shown = figures.comparison;
    m_verdict->setFigures(figures);
    m_percentiles->setFigures(figures);
    m_shares->setFigures(figures);
    m_delta->setFigures(figures);
    m_slope->setFigures(figures);
    m_slope->setVisible(!figures.single);
    arrange();
    m_addOther->setVisible(figures.single);
    loadSamples(figures);
}

void ComparePage::loadSamples(const CompareFigures& figures)
{
    const bool swapped = figures.single && figures.singleSide == Side::After; // the only side comes first
    m_jobs.run(
        QStringLiteral("distribution"), this,
        [first = m_state.dataset(swapped ? Side::After : Side::Before), second = figures.single ? nullptr : m_state.dataset(Side::After)](
            const JobControl&) {
            return E2eSamples{sortedE2e(first), sortedE2e(second)};
        },
        [this, figures](E2eSamples samples) { m_distribution->setFigures(figures, std::move(samples)); });
}

} // namespace chokepoint
