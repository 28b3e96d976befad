// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// End-to-end figures before and after as table rows: mean, percentiles and the rate of failed requests.
#pragma once

#include "views/compare/comparefigures.h"
#include "views/state/viewstate.h"

#include <QAbstractTableModel>

#include <optional>

namespace chokepoint {

/// What the interval column draws: a dot and its 95 % interval as ratios of the before value, with 0 for no change.
struct ChangeMark {
    std::optional<double> change;
    std::optional<double> low;
    std::optional<double> high;
    Direction direction = Direction::Neutral;
};

class PercentileModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { StatisticColumn, BeforeColumn, AfterColumn, DeltaColumn, ChangeColumn, IntervalColumn, ColumnCount };
    enum Role { DirectionRole = Qt::UserRole, WeakRole };

    using QAbstractTableModel::QAbstractTableModel;
    void setFigures(const CompareFigures& figures);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    /// The traces behind a cell: the percentile's band, and the side for the before and after columns.
    [[nodiscard]] TraceScope filterFor(const QModelIndex& index) const;
    [[nodiscard]] ChangeMark mark(int row) const;
    /// Largest distance from zero of any mark, for a common scale; at least 0.01.
    [[nodiscard]] double markRange() const;

private:
    [[nodiscard]] bool isErrorRow(int row) const;
    [[nodiscard]] QString text(const E2eRow& row, int column) const;
    [[nodiscard]] QString errorText(int column) const;
    [[nodiscard]] QString toolTip(const E2eRow& row, int column) const;
    [[nodiscard]] Direction direction(int row) const;

    CompareFigures m_figures;
};

} // namespace chokepoint
