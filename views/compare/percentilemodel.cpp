// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Figures that the sample is too small for are shown as such, never as a number with a false bar.
#include "views/compare/percentilemodel.h"

#include "views/format/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace chokepoint {

namespace {

QString statisticLabel(Statistic statistic)
{
    switch (statistic) {
    case Statistic::Mean: return PercentileModel::tr("Mean");
    case Statistic::P50: return QStringLiteral("P50");
    case Statistic::P95: return QStringLiteral("P95");
    case Statistic::P99: return QStringLiteral("P99");
    }
    return {};
}

/// The traces that a statistic speaks of: around the median, or the tail from the percentile on.
Band bandOf(Statistic statistic)
{
    switch (statistic) {
    case Statistic::P50: return {0.45, 0.55};
    case Statistic::P95: return {0.95, 1};
    case Statistic::P99: return {0.99, 1};
    case Statistic::Mean: break;
    }
    return {};
}

QString pointsText(double change)
{
    if (std::abs(change) < 0.00005)
        return PercentileModel::tr("0 pt");
    return PercentileModel::tr("%1%2 pt", "percentage points")
        .arg(change > 0 ? QStringLiteral("+") : QStringLiteral("−"))
        .arg(std::abs(change) * 100, 0, 'f', 1);
}

} // namespace

void PercentileModel::setFigures(const CompareFigures& figures)
{
    beginResetModel();
    m_figures = figures;
    endResetModel();
}

int PercentileModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_figures.comparison ? 0 : int(m_figures.comparison->e2e.size()) + 1;
}

int PercentileModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

bool PercentileModel::isErrorRow(int row) const
{
    return std::size_t(row) == m_figures.comparison->e2e.size();
}

QString PercentileModel::text(const E2eRow& row, int column) const
{
    switch (column) {
    case StatisticColumn: return statisticLabel(row.statistic);
    case BeforeColumn: return durationText(row.before);
    case AfterColumn: return m_figures.single ? QString() : durationText(row.after);
    case DeltaColumn: return m_figures.single || !isKnown(row.delta) ? QString() : deltaText(row.delta);
    case ChangeColumn: return m_figures.single || !row.change ? QString() : changeText(row.change);
    default: return {};
    }
}

QString PercentileModel::errorText(int column) const
{
    const Comparison& comparison = *m_figures.comparison;
    switch (column) {
    case StatisticColumn: return tr("Failed");
    case BeforeColumn: return shareText(comparison.errorRateBefore);
    case AfterColumn: return m_figures.single ? QString() : shareText(comparison.errorRateAfter);
    case DeltaColumn: return m_figures.single ? QString() : pointsText(comparison.errorRateAfter - comparison.errorRateBefore);
    default: return {};
    }
}

QString PercentileModel::toolTip(const E2eRow& row, int column) const
{
    QStringList lines;
    const auto interval = [&](const std::optional<Interval>& value) {
        lines.append(value ? tr("95 % interval: %1").arg(durationIntervalText(*value)) : tr("No interval"));
    };
    if (column == BeforeColumn)
        interval(row.beforeInterval);
    else if (column == AfterColumn)
        interval(row.afterInterval);
    else if (row.interval)
        lines.append(tr("95 % interval of the change: %1").arg(deltaIntervalText(*row.interval)));
    if (column >= DeltaColumn && row.interval && !row.significant)
        lines.append(tr("No reliable change: the interval covers zero"));
    if (!row.shortfall.empty())
        lines.append(toText(row.shortfall));
    lines.append(tr("Double click for the traces behind this figure"));
    return QStringLiteral("<qt>%1</qt>")
        .arg(lines.join(QLatin1Char('\n')).toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>")));
}

Direction PercentileModel::direction(int row) const
{
    if (m_figures.single || isErrorRow(row))
        return Direction::Neutral;
    const E2eRow& e2e = m_figures.comparison->e2e[std::size_t(row)];
    return directionOf(e2e.delta, e2e.significant);
}

ChangeMark PercentileModel::mark(int row) const
{
    ChangeMark result;
    if (m_figures.single || isErrorRow(row))
        return result;
    const E2eRow& e2e = m_figures.comparison->e2e[std::size_t(row)];
    if (!isKnown(e2e.before) || toNs(e2e.before) <= 0)
        return result;
    const auto base = double(toNs(e2e.before));
    result.change = e2e.change;
    if (e2e.interval) {
        result.low = e2e.interval->low / base;
        result.high = e2e.interval->high / base;
    }
    result.direction = direction(row);
    return result;
}

double PercentileModel::markRange() const
{
    double range = 0.01;
    for (int row = 0; row < rowCount(); ++row) {
        const ChangeMark m = mark(row);
        for (const std::optional<double>& value : {m.change, m.low, m.high})
            range = std::max(range, std::abs(value.value_or(0)));
    }
    return range;
}

QVariant PercentileModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const int row = index.row();
    const int column = index.column();
    const bool errors = isErrorRow(row);
    switch (role) {
    case Qt::DisplayRole: return errors ? errorText(column) : text(m_figures.comparison->e2e[std::size_t(row)], column);
    case Qt::ToolTipRole:
        return errors ? tr("Requests whose root span has an error") : toolTip(m_figures.comparison->e2e[std::size_t(row)], column);
    case Qt::TextAlignmentRole: return int((column == StatisticColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::AccessibleTextRole:
        if (column == IntervalColumn && !errors)
            if (const auto& interval = m_figures.comparison->e2e[std::size_t(row)].interval)
                return deltaIntervalText(*interval);
        return data(index, Qt::DisplayRole);
    case DirectionRole: return QVariant::fromValue(int(direction(row)));
    case WeakRole: return !errors && !m_figures.comparison->e2e[std::size_t(row)].shortfall.empty();
    default: return {};
    }
}

QVariant PercentileModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == StatisticColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case StatisticColumn: return tr("End to end");
    case BeforeColumn: return m_figures.single ? tr("Value") : tr("Before");
    case AfterColumn: return tr("After");
    case DeltaColumn: return tr("Difference");
    case ChangeColumn: return tr("Change");
    case IntervalColumn: return tr("95 % interval");
    default: return {};
    }
}

TraceScope PercentileModel::filterFor(const QModelIndex& index) const
{
    TraceScope filter;
    if (!index.isValid() || !m_figures.comparison)
        return filter;
    if (m_figures.single)
        filter.side = m_figures.singleSide;
    else if (index.column() == BeforeColumn)
        filter.side = Side::Before;
    else if (index.column() == AfterColumn)
        filter.side = Side::After;
    if (isErrorRow(index.row()))
        filter.errorsOnly = true;
    else
        filter.band = bandOf(m_figures.comparison->e2e[std::size_t(index.row())].statistic);
    return filter;
}

} // namespace chokepoint
