// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Traces page: the scope of ViewState is the only truth; every control edits it and follows it.
#include "views/traces/tracespage.h"

#include "views/format/text.h"
#include "views/theme/theme.h"
#include "views/traces/histogramview.h"
#include "views/traces/tracelistmodel.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QStackedLayout>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace chokepoint {

namespace {

const QString rowsSlot = QStringLiteral("traces.rows");
const QString querySlot = QStringLiteral("traces.query");

} // namespace

TracesPage::TracesPage(ViewState& state, JobRunner& jobs, QWidget* parent)
    : QWidget(parent), m_state(state), m_jobs(jobs), m_model(new TraceListModel(this)), m_filter(new QLineEdit(this)),
      m_count(new QLabel(this)), m_fault(new QLabel(this)), m_logarithmic(new QToolButton(this)), m_histogram(new HistogramView(this)),
      m_table(new QTableView(this)), m_message(new QLabel(this)), m_clear(new QPushButton(tr("&Clear the filter"), this)),
      m_pages(new QStackedLayout)
{
    setObjectName(QStringLiteral("tracesPage"));
    setFocusProxy(m_table);
    buildTable();
    layOut();
    connectState();
    loadRows();
}

void TracesPage::editScope(const std::function<void(TraceScope&)>& edit)
{
    TraceScope scope = m_state.filter();
    edit(scope);
    m_state.setFilter(scope);
}

void TracesPage::toggleErrors(bool on)
{
    editScope([on](TraceScope& scope) { scope.errorsOnly = on; });
}

void TracesPage::toggleTail(bool on)
{
    editScope([on](TraceScope& scope) { scope.band = on ? Band{tailRank, 1} : Band{}; });
}

void TracesPage::toggleIncomplete(bool on)
{
    editScope([on](TraceScope& scope) { scope.incompleteOnly = on; });
}

void TracesPage::toggleBefore(bool on)
{
    editScope([on](TraceScope& scope) { scope.side = on ? std::optional(Side::Before) : std::nullopt; });
}

void TracesPage::toggleAfter(bool on)
{
    editScope([on](TraceScope& scope) { scope.side = on ? std::optional(Side::After) : std::nullopt; });
}

void TracesPage::toggleStage(bool on)
{
    editScope([this, on](TraceScope& scope) { scope.stage = on ? m_state.stage() : QString(); });
}

void TracesPage::clearRange(bool)
{
    editScope([](TraceScope& scope) {
        scope.from.reset();
        scope.below.reset();
    });
}

void TracesPage::connectState()
{
    connect(&m_state, &ViewState::datasetChanged, this, &TracesPage::loadRows);
    connect(&m_state, &ViewState::filterChanged, this, &TracesPage::followScope);
    connect(&m_state, &ViewState::traceChanged, this, &TracesPage::followTrace);
    connect(&m_state, &ViewState::stageChanged, this, &TracesPage::followStage);
    connect(&m_state, &ViewState::pageChanged, this, [this] {
        if (m_state.page() == Page::Traces)
            m_table->setFocus(); // its keys work at once
    });
    connect(&m_state, &ViewState::hoveredStageChanged, m_table->viewport(), qOverload<>(&QWidget::update));
    connect(m_filter, &QLineEdit::textChanged, this,
        [this](const QString& text) { editScope([&text](TraceScope& scope) { scope.text = text; }); });
    connect(m_histogram, &HistogramView::rangeChanged, this, [this](std::optional<Duration> from, std::optional<Duration> below) {
        editScope([&](TraceScope& scope) {
            scope.from = from;
            scope.below = below;
        });
    });
    connect(m_logarithmic, &QToolButton::toggled, this,
        [this](bool on) { m_histogram->setScale(on ? AxisScale::Logarithmic : AxisScale::Linear); });
    connect(m_model, &TraceListModel::sorted, this, &TracesPage::publishOrder);
    connect(m_table, &QTableView::doubleClicked, this, &TracesPage::openRow);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (current.isValid())
            m_state.selectTrace(m_model->row(current.row()).ref);
    });
    connect(m_clear, &QPushButton::clicked, this, [this] { m_state.setFilter({}); });
}

void TracesPage::loadRows()
{
    const ViewState::DatasetPtr before = m_state.dataset(Side::Before);
    const ViewState::DatasetPtr after = m_state.dataset(Side::After);
    if (!before && !after) {
        m_jobs.cancel(rowsSlot);
        m_jobs.cancel(querySlot);
        m_rows.reset();
        m_model->setRows(nullptr, {}, m_model->currentSort());
        m_histogram->setValues({}, {});
        m_count->clear();
        m_message->setText(tr("Nothing is loaded.\nOpen trace files on the Start page, or drop them on the window."));
        m_clear->hide();
        m_pages->setCurrentIndex(1);
        publishOrder();
        return;
    }
    m_message->setText(tr("Loading the list…"));
    m_clear->hide();
    if (m_model->rowCount() == 0)
        m_pages->setCurrentIndex(1);
    m_jobs.run(
        rowsSlot, this, [before, after](const JobControl&) { return makeTraceRows(before, after); },
        [this](RowsPtr rows) {
            m_rows = std::move(rows);
            showPills();
            query();
        });
}

void TracesPage::query()
{
    if (!m_rows)
        return;
    TraceSort sort = m_model->currentSort();
    const TraceScope scope = m_state.filter();
    sort.stage = rankedStage().toStdString();
    m_jobs.run(
        querySlot, this, [rows = m_rows, scope, sort](const JobControl& job) { return queryTraces(*rows, scope, sort, job); },
        [this, sort](Result<TraceQueryResult> result) {
            if (!result) {
                showFault(result.error());
                return;
            }
            m_fault->hide();
            {
                const QSignalBlocker keepTrace(m_table->selectionModel());
                m_model->setRows(m_rows, std::move(result->rows), sort);
            }
            showResult(*result);
        });
}

void TracesPage::showResult(const TraceQueryResult& result)
{
    const std::size_t shown = std::size_t(m_model->rowCount());
    const std::size_t all = m_rows->rows.size();
    m_count->setText(shown == all ? (all == 1 ? tr("1 trace") : tr("%1 traces").arg(countText(all)))
                                  : tr("%1 of %2 traces").arg(countText(shown), countText(all)));
    showHistogram(result.unbrushed);
    if (shown == 0)
        showEmpty(result);
    m_pages->setCurrentIndex(shown == 0 ? 1 : 0);
    publishOrder();
    followTrace();
}

void TracesPage::showHistogram(const std::vector<std::uint32_t>& rows)
{
    std::array<std::vector<Duration>, 2> values;
    for (const std::uint32_t row : rows) {
        const TraceListRow& trace = m_rows->rows[row];
        if (isKnown(trace.e2e))
            values[std::size_t(trace.ref.side)].push_back(trace.e2e);
    }
    m_histogram->setValues(std::move(values[0]), std::move(values[1]));
    m_histogram->setRange(m_state.filter().from, m_state.filter().below);
}

/// Says which restriction lets nothing pass, or that only together they do.
void TracesPage::showEmpty(const TraceQueryResult& result)
{
    const QString all = countText(m_rows->rows.size());
    QStringList lines{tr("No trace matches.")};
    const auto name = [](const ClauseCount& clause) {
        return clause.clause.empty() ? tr("What is chosen in the buttons and the distribution") : tr("“%1”").arg(toText(clause.clause));
    };
    bool blamed = false;
    for (const ClauseCount& clause : result.clauses) {
        if (clause.passing > 0)
            continue;
        lines << tr("%1 alone lets none of the %2 traces pass.").arg(name(clause), all);
        blamed = true;
    }
    if (!blamed && result.clauses.size() > 1) {
        lines << tr("Each part lets some traces pass, but no trace passes them all:");
        for (const ClauseCount& clause : result.clauses)
            lines << tr("%1: %2 of %3").arg(name(clause), countText(clause.passing), all);
    }
    if (m_rows->rows.empty())
        lines = {tr("The loaded files hold no traces.")};
    m_message->setText(lines.join(QLatin1Char('\n')));
    m_clear->setVisible(!m_state.filter().isEmpty());
}

void TracesPage::showFault(const Error& error)
{
    if (error.code == ErrorCode::Cancelled)
        return;
    QString text = toText(error.detail);
    if (error.place.byte) {
        // The place counts bytes; people count characters.
        const QByteArray utf8 = m_filter->text().toUtf8();
        const qsizetype character = QString::fromUtf8(utf8.left(qsizetype(*error.place.byte))).size();
        text = tr("At character %1: %2.").arg(character + 1).arg(text);
    }
    m_fault->setText(QStringLiteral("⚠ ") + text);
    m_fault->show();
}

void TracesPage::followScope()
{
    if (m_filter->text() != m_state.filter().text) {
        const QSignalBlocker quiet(m_filter);
        m_filter->setText(m_state.filter().text);
    }
    m_model->setStage(rankedStage());
    if (!m_state.filter().stage.isEmpty())
        m_table->sortByColumn(int(TraceColumn::Shares), Qt::DescendingOrder);
    m_histogram->setRange(m_state.filter().from, m_state.filter().below);
    showPills();
    query();
}

/// Stage that shares are sorted by: of the scope, else the selected one.
const QString& TracesPage::rankedStage() const
{
    return m_state.filter().stage.isEmpty() ? m_state.stage() : m_state.filter().stage;
}

void TracesPage::followStage()
{
    showPills();
    m_model->setStage(rankedStage());
    m_table->viewport()->update();
    if (m_model->currentSort().column == TraceColumn::Shares)
        query();
}

void TracesPage::followTrace()
{
    const std::optional<int> row = m_state.trace() ? m_model->rowOf(*m_state.trace()) : std::nullopt;
    const QSignalBlocker quiet(m_table->selectionModel());
    if (row && m_table->currentIndex().row() != *row)
        m_table->setCurrentIndex(m_model->index(*row, std::max(0, m_table->currentIndex().column())));
    m_table->viewport()->update();
}

void TracesPage::publishOrder()
{
    m_state.setTraceOrder(m_rows ? std::make_shared<const std::vector<TraceRef>>(m_model->order()) : nullptr);
}

void TracesPage::openRow(const QModelIndex& index)
{
    if (index.isValid())
        m_state.openTrace(m_model->row(index.row()).ref);
}

void TracesPage::copyRows()
{
    std::vector<int> rows;
    const QModelIndexList selected = m_table->selectionModel()->selectedRows();
    for (const QModelIndex& index : selected)
        rows.push_back(index.row());
    std::sort(rows.begin(), rows.end());
    QApplication::clipboard()->setText(m_model->toTsv(rows));
}

bool TracesPage::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isEnter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (watched == m_filter) {
        if (isEnter || key->key() == Qt::Key_Down) {
            m_table->setFocus();
            return true;
        }
        if (key->key() == Qt::Key_Escape && !m_filter->text().isEmpty()) {
            m_filter->clear();
            return true;
        }
    } else if (watched == m_table) {
        if (isEnter) {
            openRow(m_table->currentIndex());
            return true;
        }
        if (key->key() == Qt::Key_Slash) {
            m_filter->setFocus(Qt::ShortcutFocusReason);
            m_filter->selectAll();
            return true;
        }
        if (key->matches(QKeySequence::Copy)) {
            copyRows();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void TracesPage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_table->model())
        showPills();
}

} // namespace chokepoint
