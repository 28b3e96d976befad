// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Table of attributes.
#include "views/waterfall/detailtable.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

namespace chokepoint {

DetailTable::DetailTable(const QString& name, QWidget* parent)
    : QWidget(parent), m_model(new DetailModel(this)), m_proxy(new QSortFilterProxyModel(this)), m_filter(new QLineEdit(this)),
      m_view(new QTreeView(this)), m_value(new QPlainTextEdit(this))
{
    m_filter->setObjectName(name + QStringLiteral("Filter"));
    m_filter->setPlaceholderText(tr("Filter keys and values"));
    m_filter->setAccessibleName(tr("Filter keys and values"));
    m_filter->setClearButtonEnabled(true);
    m_proxy->setSourceModel(m_model);
    m_proxy->setFilterRole(DetailModel::fullTextRole);
    m_proxy->setFilterKeyColumn(-1);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_proxy->setRecursiveFilteringEnabled(true);
    m_proxy->setAutoAcceptChildRows(true);
    connect(m_filter, &QLineEdit::textChanged, m_proxy, &QSortFilterProxyModel::setFilterFixedString);

    buildView(name);
    m_value->setObjectName(name + QStringLiteral("Value"));
    m_value->setAccessibleName(tr("Whole value"));
    m_value->setPlaceholderText(tr("Select a row to see its whole value"));
    m_value->setReadOnly(true);
    m_value->setTabChangesFocus(true);

    auto* split = new QSplitter(Qt::Vertical, this);
    split->addWidget(m_view);
    split->addWidget(m_value);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 1);
    split->setChildrenCollapsible(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 6, 0, 0);
    column->addWidget(m_filter);
    column->addWidget(split, 1);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, &DetailTable::showSelected);
    connect(m_proxy, &QAbstractItemModel::modelReset, this, &DetailTable::showSelected);
}

void DetailTable::buildView(const QString& name)
{
    m_view->setObjectName(name + QStringLiteral("View"));
    m_view->setAccessibleName(name);
    m_view->setModel(m_proxy);
    m_view->setAlternatingRowColors(true);
    m_view->setUniformRowHeights(true);
    m_view->setRootIsDecorated(false);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setSortingEnabled(false);
    m_view->header()->setStretchLastSection(false);
    m_view->header()->setSectionResizeMode(DetailModel::Key, QHeaderView::Interactive);
    m_view->header()->setSectionResizeMode(DetailModel::Value, QHeaderView::Stretch);
    m_view->header()->setSectionResizeMode(DetailModel::Type, QHeaderView::ResizeToContents);
    m_view->setContextMenuPolicy(Qt::ActionsContextMenu);

    auto* copy = new QAction(tr("&Copy"), m_view);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &DetailTable::copySelected);
    auto* copyOnlyValue = new QAction(tr("Copy &Value"), m_view);
    connect(copyOnlyValue, &QAction::triggered, this, &DetailTable::copyValue);
    m_view->addActions({copy, copyOnlyValue});
}

void DetailTable::setRows(std::vector<DetailRow> rows)
{
    bool hasGroups = false;
    for (const DetailRow& row : rows)
        hasGroups = hasGroups || !row.children.empty();
    constexpr std::size_t fewGroups = 50; // opened at once; more stay closed so that opening costs no time
    const bool open = rows.size() <= fewGroups;
    m_model->setRows(std::move(rows));
    m_view->setRootIsDecorated(hasGroups);
    if (hasGroups && open)
        m_view->expandAll();
    m_view->header()->resizeSection(DetailModel::Key, std::max(120, width() * 2 / 5));
}

void DetailTable::showSelected()
{
    const QModelIndex current = m_view->currentIndex();
    m_value->setPlainText(
        current.isValid() ? current.siblingAtColumn(DetailModel::Value).data(DetailModel::fullTextRole).toString() : QString());
}

void DetailTable::copySelected() const
{
    QStringList lines;
    const QModelIndexList rows = m_view->selectionModel()->selectedRows(DetailModel::Key);
    for (const QModelIndex& row : rows)
        lines << row.data(DetailModel::fullTextRole).toString() + QLatin1Char('\t')
                + row.siblingAtColumn(DetailModel::Value).data(DetailModel::fullTextRole).toString();
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

void DetailTable::copyValue() const
{
    const QModelIndex value = m_view->currentIndex().siblingAtColumn(DetailModel::Value);
    QApplication::clipboard()->setText(value.data(DetailModel::fullTextRole).toString());
}

} // namespace chokepoint
