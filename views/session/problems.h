// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every fault that reading and assembling the loaded traces met, and every doubt about their figures, as rows for the Problems list.
#pragma once

#include "views/session/session.h"

#include <QAbstractTableModel>

namespace chokepoint {

struct Problem {
    Side side = Side::Before;
    QString place; // path of the file, or what else the problem is of ("span trees"); the table shows the name of the file
    QString code;
    std::uint64_t count = 0;
    QString first;

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Ordered by side, then file, then code.
[[nodiscard]] std::vector<Problem> collectProblems(const Session& session, const ViewState& state);

/// What makes the figures of the loaded traces less certain, by side, then code. No faults: they are not counted as problems.
[[nodiscard]] std::vector<Problem> collectDoubts(const ViewState& state);

class ProblemsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { SideColumn, CodeColumn, CountColumn, PlaceColumn, FirstColumn, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void setProblems(std::vector<Problem> problems);
    [[nodiscard]] const std::vector<Problem>& problems() const { return m_problems; }
    /// Sum of all counts.
    [[nodiscard]] std::uint64_t total() const;
    /// Tab-separated values with a heading and whole paths; text that a spreadsheet would run is quoted.
    [[nodiscard]] QString toTsv() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<Problem> m_problems;
};

} // namespace chokepoint
