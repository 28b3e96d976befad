// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Trace list model.
#include "views/traces/tracelistmodel.h"

#include "core/base/starttext.h"
#include "core/base/utf8.h"
#include "views/format/text.h"

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

constexpr std::size_t longestText = 200; // characters of a name in a cell

/// Flush right, and what follows is flush left.
bool standsBeforeText(TraceColumn column)
{
    return column == TraceColumn::Rank || column == TraceColumn::Errors;
}

QString cellText(std::string_view text)
{
    return toText(elided(text.substr(0, 8 * longestText), longestText)).simplified();
}

} // namespace

void TraceListModel::setRows(std::shared_ptr<const TraceRows> rows, std::vector<std::uint32_t> order, const TraceSort& sort)
{
    beginResetModel();
    m_rows = std::move(rows);
    m_order = std::move(order);
    m_sort = sort;
    endResetModel();
}

void TraceListModel::sort(int column, Qt::SortOrder order)
{
    if (column < 0 || column >= int(TraceColumn::Count_))
        return;
    const TraceSort wanted{TraceColumn(column), order == Qt::DescendingOrder, m_stage.toStdString()};
    if (wanted == m_sort)
        return;
    emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const std::vector<std::uint32_t> old = m_order;
    m_sort = wanted;
    if (m_rows)
        sortTraces(*m_rows, m_order, m_sort);
    std::vector<int> newRow(m_rows ? m_rows->rows.size() : 0);
    for (std::size_t i = 0; i < m_order.size(); ++i)
        newRow[m_order[i]] = int(i);
    const QModelIndexList from = persistentIndexList();
    QModelIndexList to;
    for (const QModelIndex& index : from)
        to << createIndex(newRow[old[std::size_t(index.row())]], index.column());
    changePersistentIndexList(from, to);
    emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
    emit sorted();
}

void TraceListModel::setStage(const QString& stage)
{
    if (m_stage == stage)
        return;
    m_stage = stage;
    if (rowCount() > 0)
        emit dataChanged(index(0, int(TraceColumn::Shares)), index(rowCount() - 1, int(TraceColumn::Shares)));
}

std::optional<int> TraceListModel::rowOf(const TraceRef& trace) const
{
    for (std::size_t i = 0; i < m_order.size(); ++i) {
        if (m_rows->rows[m_order[i]].ref == trace)
            return int(i);
    }
    return std::nullopt;
}

std::vector<TraceRef> TraceListModel::order() const
{
    std::vector<TraceRef> order;
    order.reserve(m_order.size());
    for (const std::uint32_t row : m_order)
        order.push_back(m_rows->rows[row].ref);
    return order;
}

int TraceListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_order.size());
}

int TraceListModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(TraceColumn::Count_);
}

QVariant TraceListModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const std::size_t row = m_order[std::size_t(index.row())];
    const auto column = TraceColumn(index.column());
    switch (role) {
    case Qt::DisplayRole: return standsBeforeText(column) ? text(row, column).toString() + gapAfterNumber : text(row, column);
    case sortRole: return rawValue(row, column);
    case Qt::TextAlignmentRole: {
        const bool isNumber =
            column == TraceColumn::E2e || column == TraceColumn::Rank || column == TraceColumn::Spans || column == TraceColumn::Errors;
        return int((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    case Qt::ToolTipRole: return toolTip(row, column);
    case Qt::AccessibleTextRole: return column == TraceColumn::Shares ? QVariant(sharesText(row, 20)) : text(row, column);
    default: return {};
    }
}

QVariant TraceListModel::text(std::size_t row, TraceColumn column) const
{
    const TraceListRow& trace = m_rows->rows[row];
    switch (column) {
    case TraceColumn::Side: return trace.ref.side == Side::Before ? QStringLiteral("A ○") : QStringLiteral("B ●");
    case TraceColumn::Start: return startText(trace.start, m_rows->beginOf(trace), 3);
    case TraceColumn::E2e: return durationText(trace.e2e);
    case TraceColumn::Rank: return trace.rank < 0 ? QStringLiteral("–") : QStringLiteral("P%1").arg(int(trace.rank * 100));
    case TraceColumn::Shares: return sharesText(row, 3);
    case TraceColumn::Spans: return countText(trace.spans);
    case TraceColumn::Errors: return trace.errors == 0 ? QStringLiteral("0") : QStringLiteral("⚠ ") + countText(trace.errors);
    case TraceColumn::Name: return trace.name.empty() ? tr("(no root)") : cellText(trace.name);
    case TraceColumn::Service: return cellText(trace.service);
    case TraceColumn::TraceId: return cellText(m_rows->traceId(row));
    case TraceColumn::Count_: break;
    }
    return {};
}

/// In full what the column may have cut.
QVariant TraceListModel::toolTip(std::size_t row, TraceColumn column) const
{
    switch (column) {
    case TraceColumn::Start: return startToolTip(row);
    case TraceColumn::Shares: return plainToolTip(sharesText(row, 20));
    case TraceColumn::Name:
    case TraceColumn::Service:
    case TraceColumn::TraceId: return plainToolTip(text(row, column).toString());
    default: return {};
    }
}

QVariant TraceListModel::startToolTip(std::size_t row) const
{
    const TraceListRow& trace = m_rows->rows[row];
    const QString text = startText(trace.start, m_rows->beginOf(trace));
    return isDate(trace.start) || !isKnown(trace.start) ? text
                                                        : tr("%1 after the first span; the clock of this trace has no dates").arg(text);
}

QVariant TraceListModel::rawValue(std::size_t row, TraceColumn column) const
{
    const TraceListRow& trace = m_rows->rows[row];
    switch (column) {
    case TraceColumn::Side: return int(trace.ref.side);
    case TraceColumn::Start: return isKnown(trace.start) ? QVariant(qlonglong(toNs(trace.start))) : QVariant();
    case TraceColumn::E2e: return isKnown(trace.e2e) ? QVariant(qlonglong(toNs(trace.e2e))) : QVariant();
    case TraceColumn::Rank: return trace.rank < 0 ? QVariant() : QVariant(trace.rank);
    case TraceColumn::Shares: {
        const double share = m_stage.isEmpty() ? m_rows->largestShare(row) : m_rows->share(row, m_stage.toStdString());
        return share < 0 ? QVariant() : QVariant(share);
    }
    case TraceColumn::Spans: return qulonglong(trace.spans);
    case TraceColumn::Errors: return trace.errors;
    case TraceColumn::Name: return toText(trace.name);
    case TraceColumn::Service: return toText(trace.service);
    case TraceColumn::TraceId: return toText(m_rows->traceId(row));
    case TraceColumn::Count_: break;
    }
    return {};
}

/// The selected stage first, then the largest.
QString TraceListModel::sharesText(std::size_t row, qsizetype most) const
{
    std::vector<StripPart> parts = m_rows->strip(row);
    const std::string selected = m_stage.toStdString();
    std::stable_sort(parts.begin(), parts.end(), [&selected](const StripPart& a, const StripPart& b) {
        if ((a.stage == selected) != (b.stage == selected))
            return a.stage == selected;
        return a.end - a.begin > b.end - b.begin;
    });
    QStringList texts;
    for (const StripPart& part : parts) {
        if (texts.size() < most)
            texts << QStringLiteral("%1 %2").arg(toText(part.stage), shareText(part.end - part.begin));
    }
    return texts.join(QStringLiteral(", "));
}

bool TraceListModel::hasTimesWithoutDate() const
{
    return m_rows && (isKnown(m_rows->begin[0]) || isKnown(m_rows->begin[1]));
}

QVariant TraceListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    const auto column = TraceColumn(section);
    if (role == Qt::TextAlignmentRole) {
        const bool isNumber =
            column == TraceColumn::E2e || column == TraceColumn::Rank || column == TraceColumn::Spans || column == TraceColumn::Errors;
        return int((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole && column == TraceColumn::Rank)
        return tr("Percentile of the end-to-end time among the complete traces of the same side");
    if (role == Qt::ToolTipRole && column == TraceColumn::Shares)
        return tr("Share of each stage of the critical path; sorts by the selected stage, else by the largest");
    if (role != Qt::DisplayRole)
        return {};
    switch (column) {
    case TraceColumn::Side: return tr("Side");
    case TraceColumn::Start: return hasTimesWithoutDate() ? tr("Start") : tr("Start (UTC)");
    case TraceColumn::E2e: return tr("End to end");
    case TraceColumn::Rank: return tr("Rank") + gapAfterNumber;
    case TraceColumn::Shares: return tr("Shares of the path");
    case TraceColumn::Spans: return tr("Spans");
    case TraceColumn::Errors: return tr("Errors") + gapAfterNumber;
    case TraceColumn::Name: return tr("Root span");
    case TraceColumn::Service: return tr("Service");
    case TraceColumn::TraceId: return tr("Trace id");
    case TraceColumn::Count_: break;
    }
    return {};
}

QString TraceListModel::toTsv(const std::vector<int>& rows) const
{
    QString tsv = QStringLiteral("side\tstart_unix_ns\te2e_ns\trank\tshares\tspans\terrors\troot_name\tservice\ttrace_id\n");
    for (const int row : rows) {
        QStringList cells;
        for (int column = 0; column < columnCount(); ++column) {
            const QModelIndex cell = index(row, column);
            const auto kind = TraceColumn(column);
            const bool asText = kind == TraceColumn::Shares;
            const QString value = kind == TraceColumn::Side
                ? (this->row(row).ref.side == Side::Before ? QStringLiteral("A") : QStringLiteral("B"))
                : asText ? sharesText(m_order[std::size_t(row)], 100)
                         : cell.data(sortRole).toString();
            const bool isNumber = cell.data(sortRole).typeId() != QMetaType::QString;
            cells << (isNumber && !asText ? value : tsvText(value));
        }
        tsv += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    return tsv;
}

} // namespace chokepoint
