// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A filterable table of attributes with the whole value of the selected row below it.
#pragma once

#include "views/waterfall/detailmodel.h"

#include <QWidget>

class QLineEdit;
class QPlainTextEdit;
class QSortFilterProxyModel;
class QTreeView;

namespace chokepoint {

class DetailTable : public QWidget {
    Q_OBJECT
public:
    /// \a name becomes the prefix of the object names.
    explicit DetailTable(const QString& name, QWidget* parent = nullptr);

    void setRows(std::vector<DetailRow> rows);

private:
    void buildView(const QString& name);
    void showSelected();
    void copySelected() const;
    void copyValue() const;

    DetailModel* m_model;
    QSortFilterProxyModel* m_proxy;
    QLineEdit* m_filter;
    QTreeView* m_view;
    QPlainTextEdit* m_value;
};

} // namespace chokepoint
