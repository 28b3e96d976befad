// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Traces page: its widgets, and what the pills say.
#include "views/format/text.h"
#include "views/theme/theme.h"
#include "views/traces/histogramview.h"
#include "views/traces/sharestripdelegate.h"
#include "views/traces/tracelistmodel.h"
#include "views/traces/tracespage.h"
#include "views/waterfall/stagechip.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedLayout>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace chokepoint {

namespace {

/// A typical text of each column but the shares, which take what the others leave. Longer texts are cut, their tool tip is not.
constexpr std::array<std::pair<TraceColumn, const char*>, 9> typicalTexts{
    {{TraceColumn::Side, "Side"}, {TraceColumn::Start, "2026-01-02 03:04:05.678"}, {TraceColumn::E2e, "End to end"},
        {TraceColumn::Rank, "Rank"}, {TraceColumn::Spans, "100,000"}, {TraceColumn::Errors, "Errors"},
        {TraceColumn::Name, "POST /v1/rag/query/x"}, {TraceColumn::Service, "orchestrator"}, {TraceColumn::TraceId, "0123456789ab…"}}};
constexpr int cellAir = 10; // px, margins of a cell
constexpr int sortMark = 16; // px, the header's arrow

QString pillText(const QString& title, std::size_t count)
{
    return QStringLiteral("%1  %2").arg(title, countText(count));
}

} // namespace

void TracesPage::buildTable()
{
    m_table->setObjectName(QStringLiteral("traceTable"));
    m_table->setAccessibleName(tr("Traces"));
    m_table->setModel(m_model);
    m_table->setItemDelegateForColumn(int(TraceColumn::Side), new SideDelegate(m_table));
    m_table->setItemDelegateForColumn(int(TraceColumn::Shares), new ShareStripDelegate(*m_model, m_state, m_table));
    m_table->setFont(tabularFont(font()));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(std::max(26, fontMetrics().height() + 10));
    m_table->horizontalHeader()->setSectionsMovable(true);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionResizeMode(int(TraceColumn::Shares), QHeaderView::Stretch);
    sizeColumns();
    m_table->horizontalHeader()->setSortIndicator(int(m_model->currentSort().column), Qt::DescendingOrder);
    m_table->setSortingEnabled(true);
    m_table->installEventFilter(this);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* open = new QAction(tr("&Open in Waterfall"), m_table);
    connect(open, &QAction::triggered, this, [this] { openRow(m_table->currentIndex()); });
    auto* copy = new QAction(tr("&Copy as Table"), m_table);
    connect(copy, &QAction::triggered, this, &TracesPage::copyRows);
    m_table->addActions({open, copy});
}

void TracesPage::sizeColumns()
{
    const QFontMetrics metrics(m_table->font());
    for (const auto& [column, text] : typicalTexts) {
        const int title = metrics.horizontalAdvance(m_model->headerData(int(column), Qt::Horizontal, Qt::DisplayRole).toString());
        m_table->setColumnWidth(int(column), cellAir + std::max(title + sortMark, metrics.horizontalAdvance(QString::fromUtf8(text))));
    }
}

QToolButton* TracesPage::addPill(QHBoxLayout* line, const QString& name, void (TracesPage::*toggle)(bool))
{
    auto* pill = new QToolButton(this);
    pill->setObjectName(name);
    pill->setCheckable(true);
    pill->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(pill, &QToolButton::clicked, this, toggle);
    line->addWidget(pill);
    return pill;
}

void TracesPage::buildFilter(QHBoxLayout* line)
{
    m_filter->setObjectName(QStringLiteral("traceFilter"));
    m_filter->setAccessibleName(tr("Filter the traces"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setPlaceholderText(tr("Filter, such as: duration > 3s and stage.retrieve > 40% and errors > 0"));
    m_filter->setToolTip(
        tr("Fields: duration, stage.NAME (ns us ms s m h; stage.NAME also in %), spans, errors, root, service, trace_id, complete.\n"
           "Compare with = != < <= > >=, texts with ~ (contains). Join with and, or, not, ( ).\n"
           "A word alone looks in root name, service and trace id."));
    m_filter->installEventFilter(this);
    m_count->setObjectName(QStringLiteral("traceCount"));
    m_count->setFont(tabularFont(font()));
    m_count->setMinimumWidth(130);
    m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    line->addWidget(m_filter, 1);
    line->addWidget(m_count);
}

void TracesPage::buildPills(QHBoxLayout* line)
{
    m_before = addPill(line, QStringLiteral("pillBefore"), &TracesPage::toggleBefore);
    m_after = addPill(line, QStringLiteral("pillAfter"), &TracesPage::toggleAfter);
    m_errors = addPill(line, QStringLiteral("pillErrors"), &TracesPage::toggleErrors);
    m_tail = addPill(line, QStringLiteral("pillTail"), &TracesPage::toggleTail);
    m_incomplete = addPill(line, QStringLiteral("pillIncomplete"), &TracesPage::toggleIncomplete);
    m_stage = addPill(line, QStringLiteral("pillStage"), &TracesPage::toggleStage);
    m_range = addPill(line, QStringLiteral("pillRange"), &TracesPage::clearRange);
    m_tail->setToolTip(tr("The slowest 5 % of the complete traces of each side"));
    m_incomplete->setToolTip(tr("Traces that statistics leave out: no root, or something unfinished"));
    m_range->setToolTip(tr("Chosen in the distribution; click to clear"));
    line->addStretch(1);
    m_logarithmic->setObjectName(QStringLiteral("histogramLog"));
    m_logarithmic->setText(tr("&Log axis"));
    m_logarithmic->setToolTip(tr("Show the distribution over a logarithmic axis"));
    m_logarithmic->setCheckable(true);
    line->addWidget(m_logarithmic);
}

void TracesPage::layOut()
{
    auto* filterLine = new QHBoxLayout;
    buildFilter(filterLine);
    auto* pillLine = new QHBoxLayout;
    pillLine->setSpacing(6);
    buildPills(pillLine);
    m_fault->setObjectName(QStringLiteral("traceFilterFault"));
    m_fault->setTextFormat(Qt::PlainText);
    m_fault->setWordWrap(true);
    m_fault->hide();
    m_message->setObjectName(QStringLiteral("tracesMessage"));
    m_message->setTextFormat(Qt::PlainText);
    m_message->setAlignment(Qt::AlignCenter);
    m_message->setWordWrap(true);
    m_clear->setObjectName(QStringLiteral("clearFilter"));

    auto* empty = new QWidget(this);
    auto* emptyColumn = new QVBoxLayout(empty);
    emptyColumn->addStretch(1);
    emptyColumn->addWidget(m_message);
    emptyColumn->addWidget(m_clear, 0, Qt::AlignCenter);
    emptyColumn->addStretch(2);
    m_pages->addWidget(m_table);
    m_pages->addWidget(empty);

    auto* head = new QVBoxLayout;
    head->setContentsMargins(12, 10, 12, 6);
    head->setSpacing(6);
    head->addLayout(filterLine);
    head->addWidget(m_fault);
    head->addLayout(pillLine);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_histogram);
    column->addSpacing(4);
    column->addLayout(m_pages, 1);
    setTabOrder(m_filter, m_before);
    setTabOrder(m_histogram, m_table);
    showPills();
}

void TracesPage::showPills()
{
    const TraceScope& scope = m_state.filter();
    const auto count = [this](const TraceScope& one) { return m_rows ? countTraces(*m_rows, one) : 0; };
    const QString& stage = rankedStage();
    m_before->setText(pillText(QStringLiteral("A ○"), m_rows ? m_rows->count(Side::Before) : 0));
    m_after->setText(pillText(QStringLiteral("B ●"), m_rows ? m_rows->count(Side::After) : 0));
    m_errors->setText(pillText(tr("⚠ Errors"), count({.errorsOnly = true})));
    m_tail->setText(pillText(tr("Tail ≥ P95"), count({.band = {tailRank, 1}})));
    m_incomplete->setText(pillText(tr("Incomplete"), count({.incompleteOnly = true})));
    m_before->setChecked(scope.side == Side::Before);
    m_after->setChecked(scope.side == Side::After);
    m_errors->setChecked(scope.errorsOnly);
    m_tail->setChecked(scope.band == Band{tailRank, 1});
    m_incomplete->setChecked(scope.incompleteOnly);
    m_stage->setVisible(!stage.isEmpty());
    if (!stage.isEmpty()) {
        m_stage->setText(pillText(tr("On path: %1").arg(stage), count({.stage = stage})));
        m_stage->setIcon(stageIcon(stage.toStdString(), palette()));
        m_stage->setChecked(!scope.stage.isEmpty());
    }
    m_range->setVisible(scope.from || scope.below);
    m_range->setChecked(true);
    if (scope.from || scope.below)
        m_range->setText(
            tr("%1 to %2  ✕")
                .arg(durationText(scope.from.value_or(Duration{0})), scope.below ? durationText(*scope.below) : tr("the longest")));
    const ChartPalette& colors = chartPalette(palette());
    QPalette fault = palette();
    fault.setColor(QPalette::WindowText, colors.error());
    m_fault->setPalette(fault);
}

} // namespace chokepoint
