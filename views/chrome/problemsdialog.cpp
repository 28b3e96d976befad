// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// ProblemsDialog: modeless, follows the session.
#include "views/chrome/problemsdialog.h"

#include "views/format/text.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr int mostWrappedRows = 400; // beyond it every row has one line: heights are measured row by row
constexpr int widestPlace = 30; // characters
constexpr int cellPadding = 12; // logical pixels
constexpr int rowPadding = 8; // keeps the lines of one row together, apart from those of the next
constexpr int margin = 12;

void fitRows(QTableView& table)
{
    const int rows = table.model()->rowCount();
    if (rows > mostWrappedRows)
        return;
    table.resizeRowsToContents();
    for (int row = 0; row < rows; ++row)
        table.setRowHeight(row, table.rowHeight(row) + rowPadding);
}

void fitColumns(QTableView& table)
{
    table.resizeColumnsToContents();
    const int widest = table.fontMetrics().averageCharWidth() * widestPlace;
    for (int column = 0; column < ProblemsModel::FirstColumn; ++column) {
        const int width = table.columnWidth(column) + cellPadding;
        table.setColumnWidth(column, column == ProblemsModel::PlaceColumn ? std::min(width, widest) : width);
    }
    fitRows(table);
}

} // namespace

ProblemsDialog::ProblemsDialog(const ViewState& state, const Session& session, QWidget* parent)
    : QDialog(parent), m_state(state), m_session(session), m_tabs(new QTabWidget)
{
    setObjectName(QStringLiteral("problemsDialog"));
    setWindowTitle(tr("Problems"));
    m_tabs->setDocumentMode(true);
    m_faults = addList(QStringLiteral("problemsTable"), tr("Problems met while reading"));
    m_doubts = addList(QStringLiteral("doubtsTable"), tr("What makes the figures less certain"));
    m_doubts.table->setColumnHidden(ProblemsModel::PlaceColumn, true); // all are of the analysis
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* copy = buttons->addButton(tr("&Copy list"), QDialogButtonBox::ActionRole);
    copy->setShortcut(QKeySequence::Copy);
    connect(copy, &QPushButton::clicked, this, &ProblemsDialog::copyList);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->addWidget(m_tabs);
    layout->addWidget(buttons);
    resize(1000, 480);
    connect(&m_session, &Session::sideChanged, this, &ProblemsDialog::showProblems);
    showProblems();
    m_tabs->setCurrentIndex(m_faults.model->rowCount() == 0 && m_doubts.model->rowCount() > 0 ? 1 : 0);
}

ProblemsDialog::List ProblemsDialog::addList(const QString& name, const QString& accessibleName)
{
    List list{new ProblemsModel(this), new QLabel, new QTableView};
    list.sentence->setWordWrap(true);
    QTableView* table = list.table;
    table->setObjectName(name);
    table->setAccessibleName(accessibleName);
    table->setModel(list.model);
    table->setEnabled(false); // nothing in it yet
    table->setAlternatingRowColors(true);
    table->setShowGrid(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel); // rows may be taller than the view
    table->setTabKeyNavigation(false);
    table->verticalHeader()->hide();
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    connect(
        table->horizontalHeader(), &QHeaderView::sectionResized, table, [table] { fitRows(*table); }, Qt::QueuedConnection);
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, margin, 0, 0);
    layout->addWidget(list.sentence);
    layout->addWidget(table);
    m_tabs->addTab(page, QString());
    return list;
}

void ProblemsDialog::fill(const List& list, std::vector<Problem> problems, const QString& sentence)
{
    list.sentence->setText(sentence);
    if (problems == list.model->problems())
        return; // what the user looks at stays as it is
    list.model->setProblems(std::move(problems));
    list.table->setEnabled(list.model->rowCount() > 0);
    fitColumns(*list.table);
}

void ProblemsDialog::showProblems()
{
    std::vector<Problem> faults = collectProblems(m_session, m_state);
    std::vector<Problem> doubts = collectDoubts(m_state);
    const QString met = faults.empty() ? tr("Reading the traces met no problem: nothing was repaired, skipped or left out.")
                                       : tr("What reading the traces met, and what was done about it.");
    const QString trust = doubts.empty() ? tr("Nothing speaks against the figures.")
                                         : tr("What makes the figures less certain. Nothing was changed or left out because of it.");
    fill(m_faults, std::move(faults), met);
    fill(m_doubts, std::move(doubts), trust);
    m_tabs->setTabText(0, tr("Problems of the traces (%1)").arg(countText(m_faults.model->total())));
    m_tabs->setTabText(1, tr("Doubts about the figures (%1)").arg(countText(std::uint64_t(m_doubts.model->rowCount()))));
}

void ProblemsDialog::copyList()
{
    QApplication::clipboard()->setText((m_tabs->currentIndex() == 0 ? m_faults : m_doubts).model->toTsv());
}

} // namespace chokepoint
