// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// ProblemsDialog: modeless, follows the session.
#include "views/chrome/problemsdialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace chokepoint {

ProblemsDialog::ProblemsDialog(const ViewState& state, const Session& session, QWidget* parent)
    : QDialog(parent), m_state(state), m_session(session), m_model(new ProblemsModel(this)), m_none(new QLabel)
{
    setObjectName(QStringLiteral("problemsDialog"));
    setWindowTitle(tr("Problems"));
    auto* view = new QTableView;
    view->setObjectName(QStringLiteral("problemsTable"));
    view->setAccessibleName(tr("Problems met while reading"));
    view->setModel(m_model);
    view->setAlternatingRowColors(true);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setTextElideMode(Qt::ElideMiddle);
    view->verticalHeader()->hide();
    view->horizontalHeader()->setStretchLastSection(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* copy = buttons->addButton(tr("&Copy"), QDialogButtonBox::ActionRole);
    connect(copy, &QPushButton::clicked, this, &ProblemsDialog::copyAll);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    m_none->setText(tr("Reading the traces met no problem: nothing was repaired, skipped or left out."));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_none);
    layout->addWidget(view);
    layout->addWidget(buttons);
    connect(&m_session, &Session::sideChanged, this, &ProblemsDialog::showProblems);
    showProblems();
    view->resizeColumnsToContents();
    for (int column = 0; column < ProblemsModel::FirstColumn; ++column)
        view->setColumnWidth(column, std::min(view->columnWidth(column) + 12, 280));
    resize(980, 380);
}

void ProblemsDialog::showProblems()
{
    std::vector<Problem> rows = collectProblems(m_session, m_state);
    m_none->setVisible(rows.empty());
    std::vector<Problem> doubts = collectDoubts(m_state);
    std::move(doubts.begin(), doubts.end(), std::back_inserter(rows));
    m_model->setProblems(std::move(rows));
}

void ProblemsDialog::copyAll()
{
    QString text;
    for (int row = 0; row < m_model->rowCount(); ++row)
        for (int column = 0; column < m_model->columnCount(); ++column)
            text += m_model->index(row, column).data().toString() + QLatin1Char(column + 1 == m_model->columnCount() ? '\n' : '\t');
    QApplication::clipboard()->setText(text);
}

} // namespace chokepoint
