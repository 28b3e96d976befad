// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A plain dialog around a standard item model.
#include "views/charts/charttable.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace chokepoint {

QString toTsv(const ChartTable& table)
{
    QStringList lines{table.headers.join(QLatin1Char('\t'))};
    for (const QStringList& row : table.rows)
        lines.append(row.join(QLatin1Char('\t')));
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void showChartTable(QWidget* parent, const QString& title, const ChartTable& table)
{
    auto* dialog = new QDialog(parent);
    dialog->setObjectName(QStringLiteral("chartTableDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);

    auto* model = new QStandardItemModel(int(table.rows.size()), int(table.headers.size()), dialog);
    model->setHorizontalHeaderLabels(table.headers);
    for (int r = 0; r < model->rowCount(); ++r)
        for (int c = 0; c < model->columnCount(); ++c) {
            auto* item = new QStandardItem(table.rows[r].value(c));
            item->setEditable(false);
            item->setTextAlignment(c == 0 ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
            model->setItem(r, c, item);
        }

    auto* view = new QTableView;
    view->setModel(model);
    view->setAlternatingRowColors(true);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setAccessibleName(title);
    view->verticalHeader()->hide();
    view->resizeColumnsToContents();
    view->horizontalHeader()->setStretchLastSection(true);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* copy = buttons->addButton(QDialog::tr("&Copy"), QDialogButtonBox::ActionRole);
    copy->setShortcut(QKeySequence::Copy);
    QObject::connect(copy, &QPushButton::clicked, dialog, [table] { QApplication::clipboard()->setText(toTsv(table)); });
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);

    auto* layout = new QVBoxLayout(dialog);
    layout->addWidget(view);
    layout->addWidget(buttons);
    int width = 60; // margins and scroll bar
    for (int c = 0; c < model->columnCount(); ++c)
        width += view->columnWidth(c);
    dialog->resize(std::clamp(width, 420, 1100), 420);
    dialog->show();
}

} // namespace chokepoint
