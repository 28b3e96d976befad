// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The trace list as a table model: text in DisplayRole, raw values in sortRole, both made a visible cell at a time.
#pragma once

#include "views/traces/tracequery.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>
#include <vector>

namespace chokepoint {

class TraceListModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// Raw value: ns, counts, shares or text; invalid when unknown.
    static constexpr int sortRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    /// Replaces everything; \a order holds indices of rows->rows.
    void setRows(std::shared_ptr<const TraceRows> rows, std::vector<std::uint32_t> order, const TraceSort& sort);
    /// Sorts what is shown, stably; selections stay with their traces.
    void sort(int column, Qt::SortOrder order) override;
    /// Stage that column Shares is sorted by and that its text begins with; "" for the largest.
    void setStage(const QString& stage);

    [[nodiscard]] const TraceSort& currentSort() const { return m_sort; }
    [[nodiscard]] const std::shared_ptr<const TraceRows>& rows() const { return m_rows; }
    [[nodiscard]] const TraceListRow& row(int index) const { return m_rows->rows[m_order[std::size_t(index)]]; }
    [[nodiscard]] std::vector<StripPart> strip(int index) const { return m_rows->strip(m_order[std::size_t(index)]); }
    [[nodiscard]] std::optional<int> rowOf(const TraceRef& trace) const;
    [[nodiscard]] std::vector<TraceRef> order() const;
    /// Tab-separated values with a heading, times in ns; text that a spreadsheet would run is quoted.
    [[nodiscard]] QString toTsv(const std::vector<int>& rows) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    void sorted();

private:
    [[nodiscard]] QVariant text(std::size_t row, TraceColumn column) const;
    [[nodiscard]] QVariant toolTip(std::size_t row, TraceColumn column) const;
    [[nodiscard]] QVariant startToolTip(std::size_t row) const;
    [[nodiscard]] QVariant rawValue(std::size_t row, TraceColumn column) const;
    [[nodiscard]] bool hasTimesWithoutDate() const;
    [[nodiscard]] QString sharesText(std::size_t row, qsizetype most) const;

    std::shared_ptr<const TraceRows> m_rows;
    std::vector<std::uint32_t> m_order;
    TraceSort m_sort;
    QString m_stage;
};

} // namespace chokepoint
