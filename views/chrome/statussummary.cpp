// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// StatusSummary: three parts that follow the ViewState.
#include "views/chrome/statussummary.h"

#include "views/format/progresstext.h"
#include "views/format/text.h"
#include "views/session/problems.h"
#include "views/theme/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

namespace chokepoint {

namespace {

QString bandText(const Band& band)
{
    if (band.high >= 1)
        return StatusSummary::tr("slowest %1", "share").arg(shareText(1 - band.low));
    return StatusSummary::tr("P%1 to P%2").arg(band.low * 100, 0, 'f', 0).arg(band.high * 100, 0, 'f', 0);
}

} // namespace

StatusSummary::StatusSummary(ViewState& state, Session& session, QWidget* parent)
    : QWidget(parent), m_state(state), m_session(session), m_selection(new QLabel), m_pills(new QHBoxLayout), m_problems(new QToolButton)
{
    setObjectName(QStringLiteral("statusSummary"));
    m_selection->setObjectName(QStringLiteral("selectionSummary"));
    m_selection->setTextFormat(Qt::PlainText);
    m_problems->setObjectName(QStringLiteral("problemsButton"));
    m_problems->setAutoRaise(true);
    m_problems->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_pills->setSpacing(4);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 1, 8, 1);
    layout->setSpacing(12);
    layout->addWidget(m_selection);
    layout->addLayout(m_pills);
    layout->addStretch(1);
    layout->addWidget(m_problems);

    connect(m_problems, &QToolButton::clicked, this, &StatusSummary::problemsRequested);
    connect(&m_state, &ViewState::stageChanged, this, &StatusSummary::showSelection);
    connect(&m_state, &ViewState::traceChanged, this, &StatusSummary::showSelection);
    connect(&m_state, &ViewState::pageChanged, this, &StatusSummary::showSelection);
    connect(&m_state, &ViewState::comparisonChanged, this, &StatusSummary::showSelection);
    connect(&m_state, &ViewState::datasetChanged, this, &StatusSummary::showSelection);
    connect(&m_state, &ViewState::filterChanged, this, &StatusSummary::showPills);
    connect(&m_session, &Session::sideChanged, this, &StatusSummary::showProblems);
    showSelection();
    showPills();
    showProblems();
}

QString StatusSummary::stageSummary() const
{
    const auto& comparison = m_state.comparison();
    if (m_state.stage().isEmpty() || !comparison)
        return m_state.stage();
    const auto it = std::ranges::find(comparison->stages, m_state.stage().toStdString(), &StageRow::stage);
    if (it == comparison->stages.end())
        return m_state.stage();
    return tr("%1: %2 → %3 a request, %4 → %5 of the time", "stage, mean before, mean after, share before, share after")
        .arg(toText(it->label), durationText(it->beforeMean), durationText(it->afterMean), shareText(it->beforeShare),
            shareText(it->afterShare));
}

QString StatusSummary::traceSummary() const
{
    if (!m_state.trace())
        return {};
    const ViewState::DatasetPtr& dataset = m_state.dataset(m_state.trace()->side);
    const std::size_t index = m_state.trace()->index;
    if (!dataset || index >= dataset->columns.traceCount())
        return {};
    const Duration e2e = index < dataset->population.traces.size() ? dataset->population.traces[index].e2e : unknownDuration;
    return tr("Trace %1, %2, %3 spans")
        .arg(toText(dataset->columns.traceIdName(index)).left(16), durationText(e2e), countText(dataset->columns.trace(index).size()));
}

void StatusSummary::showSelection()
{
    QStringList parts;
    if (m_state.page() != Page::Start && (m_state.dataset(Side::Before) || m_state.dataset(Side::After))) {
        if (m_state.page() != Page::Compare)
            parts.append(traceSummary());
        parts.append(stageSummary());
        parts.removeAll(QString());
        if (parts.isEmpty())
            parts.append(tr("Nothing selected"));
    }
    m_selection->setText(parts.join(QStringLiteral("   ·   ")));
}

void StatusSummary::addPill(const QString& text, const TraceScope& without)
{
    auto* pill = new QToolButton;
    pill->setText(text + QStringLiteral("  ✕"));
    pill->setToolTip(tr("Take this filter off"));
    pill->setAccessibleName(tr("Take off the filter %1").arg(text));
    connect(pill, &QToolButton::clicked, this, [this, without] { m_state.setFilter(without); });
    m_pills->addWidget(pill);
}

void StatusSummary::showPills()
{
    while (QLayoutItem* item = m_pills->takeAt(0)) {
        item->widget()->deleteLater(); // the click that got us here may come from it
        item->widget()->hide();
        delete item;
    }
    const TraceScope& filter = m_state.filter();
    const auto pill = [&](const QString& text, auto change) {
        TraceScope without = filter;
        change(without);
        addPill(text, without);
    };
    if (!filter.stage.isEmpty())
        pill(tr("stage %1").arg(filter.stage), [](TraceScope& scope) { scope.stage.clear(); });
    if (!filter.band.isWhole())
        pill(bandText(filter.band), [](TraceScope& scope) { scope.band = {}; });
    if (filter.side)
        pill(*filter.side == Side::Before ? tr("before only") : tr("after only"), [](TraceScope& scope) { scope.side.reset(); });
    if (filter.errorsOnly)
        pill(tr("with errors"), [](TraceScope& scope) { scope.errorsOnly = false; });
    if (!filter.text.isEmpty())
        pill(fontMetrics().elidedText(filter.text, Qt::ElideRight, 240), [](TraceScope& scope) { scope.text.clear(); });
}

void StatusSummary::showProblems()
{
    std::uint64_t count = 0;
    for (const Problem& problem : collectProblems(m_session, m_state))
        count += problem.count;
    const std::size_t doubts = collectDoubts(m_state).size();
    QStringList parts;
    if (count > 0)
        parts.append(problemsText(count));
    if (doubts > 0)
        parts.append(doubts == 1 ? tr("1 doubt") : tr("%1 doubts").arg(countText(doubts)));
    m_problems->setVisible(!parts.isEmpty());
    m_problems->setIcon(count > 0 ? themedIcon(QStringLiteral("warning"), palette()) : QIcon()); // doubts are no faults
    m_problems->setText(parts.join(QStringLiteral(", ")));
    m_problems->setToolTip(tr("List what reading the traces met, and what makes the figures less certain"));
}

void StatusSummary::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showProblems();
}

} // namespace chokepoint
