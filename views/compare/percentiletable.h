// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The percentile table of the Before/After page, inside the same kind of panel as the charts.
#pragma once

#include "views/compare/percentilemodel.h"

#include <QFrame>

class QLabel;
class QTableView;

namespace chokepoint {

class PercentileTable : public QFrame {
    Q_OBJECT
public:
    explicit PercentileTable(ViewState& state, QWidget* parent = nullptr);
    void setFigures(const CompareFigures& figures);
    void setStale(bool stale);

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fitColumns();
    void applyColours();
    void showTraces(const QModelIndex& index);

    ViewState& m_state;
    PercentileModel* m_model;
    QTableView* m_view;
    QLabel* m_note;
};

} // namespace chokepoint
