// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// DeltaWaterfall: one row a step, label left, bar in the middle, figure right.
#include "views/compare/deltawaterfall.h"

#include "views/charts/sidemarker.h"
#include "views/format/text.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr double maxRow = 40;
constexpr double swatch = 10;
constexpr std::size_t fewestSteps = 3;

} // namespace

DeltaWaterfall::DeltaWaterfall(ViewState& state, QWidget* parent) : ChartWidget(state, parent)
{
    setObjectName(QStringLiteral("deltaWaterfall"));
}

QSize DeltaWaterfall::minimumSizeHint() const
{
    return {320, int(8 * lineHeight()) + 60};
}

void DeltaWaterfall::setFigures(const CompareFigures& figures)
{
    m_figures = figures;
    if (m_figures.single)
        setHeading(tr("Mean time by stage"), tr("On the critical path, per request; adds up to the mean end-to-end time"));
    else
        setHeading(tr("Where the difference went"), tr("Mean time per request; contributions of the stages add up exactly"));
    refresh();
}

const StageRow* DeltaWaterfall::rowOf(const DeltaStep& step) const
{
    return step.stage == foldedStage ? nullptr : &m_figures.comparison->stages[step.stage];
}

QString DeltaWaterfall::labelOf(const DeltaStep& step) const
{
    if (const StageRow* row = rowOf(step))
        return toText(row->label);
    return m_layout.folded == 1 ? tr("1 other") : tr("%1 others", "stages folded into one row").arg(m_layout.folded);
}

QString DeltaWaterfall::toolTipOf(const DeltaStep& step) const
{
    const StageRow* row = rowOf(step);
    if (!row)
        return tr("%1 together; press T for all rows").arg(labelOf(step));
    if (m_figures.single)
        return tr("%1: %2 a request, %3 of the time\nDouble click for the traces")
            .arg(toText(row->label), durationText(row->beforeMean), shareText(row->beforeShare));
    QString text = tr("%1: %2 a request\nBefore %3, after %4")
                       .arg(toText(row->label), deltaText(row->contribution), durationText(row->beforeMean), durationText(row->afterMean));
    if (row->interval)
        text += QLatin1Char('\n') + tr("95 % interval: %1").arg(deltaIntervalText(*row->interval));
    if (!row->significant)
        text += QLatin1Char('\n') + tr("No reliable change");
    return text + QLatin1Char('\n') + tr("Double click for the traces");
}

void DeltaWaterfall::layoutPlot()
{
    m_layout = {};
    setTargets({});
    if (!m_figures.comparison || m_figures.comparison->e2e.empty())
        return;
    const QRectF plot = plotRect();
    const auto rows = std::size_t(std::max(double(fewestSteps + 2), plot.height() / lineHeight()));
    std::vector<Duration> contributions;
    for (const StageRow& row : m_figures.comparison->stages)
        contributions.push_back(m_figures.single ? row.beforeMean : row.contribution);
    const Duration before = m_figures.single ? Duration{0} : m_figures.comparison->e2e.front().before;
    m_layout = layoutDelta(isKnown(before) ? before : Duration{0}, contributions, rows - 2);

    const QFontMetricsF metrics(smallFont());
    m_labelWidth = metrics.horizontalAdvance(tr("Before"));
    m_valueWidth = metrics.horizontalAdvance(QStringLiteral("+000 ms ▲  "));
    for (const DeltaStep& step : m_layout.steps)
        m_labelWidth = std::max(m_labelWidth, metrics.horizontalAdvance(labelOf(step)));
    m_labelWidth = std::min(m_labelWidth + swatch + 14, plot.width() * 0.4);
    m_bars = plot.adjusted(m_labelWidth, 0, -m_valueWidth, 0);
    m_rowHeight = std::min(maxRow, plot.height() / double(m_layout.steps.size() + (m_figures.single ? 1 : 2)));

    std::vector<ChartTarget> targets;
    for (std::size_t i = 0; i < m_layout.steps.size(); ++i)
        if (const StageRow* row = rowOf(m_layout.steps[i]))
            targets.push_back({rowRect(i + (m_figures.single ? 0 : 1)), toText(row->stage), toolTipOf(m_layout.steps[i])});
    setTargets(std::move(targets));
}

QRectF DeltaWaterfall::rowRect(std::size_t row) const
{
    const QRectF plot = plotRect();
    return {plot.left(), plot.top() + double(row) * m_rowHeight, plot.width(), m_rowHeight};
}

double DeltaWaterfall::xOf(Duration time) const
{
    const double range = double(toNs(m_layout.high - m_layout.low));
    return range > 0 ? m_bars.left() + m_bars.width() * double(toNs(time - m_layout.low)) / range : m_bars.left();
}

void DeltaWaterfall::paintTotal(QPainter& painter, const ChartPalette& palette, std::size_t row, Side side) const
{
    const QRectF line = rowRect(row);
    const bool single = m_figures.single;
    const Duration total = side == Side::Before && !single ? m_layout.before : m_layout.after;
    const double inset = std::max(2.0, m_rowHeight * 0.16);
    const QColor colour = palette.side(single ? m_figures.singleSide : side);
    QRectF bar(QPointF(m_bars.left(), line.top() + inset), QPointF(xOf(total), line.bottom() - inset));
    painter.fillRect(bar, colour);
    if (m_layout.broken) { // two slanted cuts: the bar does not start at zero
        painter.save();
        painter.setPen(QPen(palette.background(), 2));
        for (const double shift : {8.0, 13.0})
            painter.drawLine(QPointF(bar.left() + shift + 3, bar.top() - 1), QPointF(bar.left() + shift - 3, bar.bottom() + 1));
        painter.restore();
    }
    painter.save();
    QFont bold = painter.font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(palette.text());
    const QString label = single ? tr("Mean") : side == Side::Before ? tr("Before") : tr("After");
    drawText(painter, QRectF(line.left(), line.top(), m_labelWidth - 6, line.height()), Qt::AlignLeft | Qt::AlignVCenter, label);
    const QRectF value(m_bars.right(), line.top(), m_valueWidth, line.height());
    painter.drawText(value, Qt::AlignRight | Qt::AlignVCenter, durationText(total));
    painter.restore();
}

void DeltaWaterfall::paintStep(QPainter& painter, const ChartPalette& palette, std::size_t index) const
{
    const DeltaStep& step = m_layout.steps[index];
    const StageRow* row = rowOf(step);
    const QRectF line = rowRect(index + (m_figures.single ? 0 : 1));
    const double inset = std::max(2.0, m_rowHeight * 0.16);
    const QString stage = row ? toText(row->stage) : QString();
    if (row && row->stage == state().stage().toStdString())
        painter.fillRect(line, QColor(palette.focus().red(), palette.focus().green(), palette.focus().blue(), 26));

    const StageStyle style = row ? stageStyle(stage) : palette.stage(unmappedStage);
    const double from = xOf(std::min(step.from, step.to));
    const double to = xOf(std::max(step.from, step.to));
    QRectF bar(from, line.top() + inset, std::max(1.5, to - from), line.height() - 2 * inset);
    fillStage(painter, bar, style);
    const double endX = xOf(step.to);
    if (!m_figures.single || index + 1 < m_layout.steps.size()) {
        painter.setPen(QPen(palette.mutedText(), 1, Qt::DotLine));
        painter.drawLine(QPointF(endX, bar.bottom()), QPointF(endX, line.bottom() + inset));
    }

    fillStage(painter, QRectF(line.left(), line.center().y() - swatch / 2, swatch, swatch), style);
    painter.setPen(row ? textColor(stage) : palette.text());
    drawText(painter, QRectF(line.left() + swatch + 5, line.top(), m_labelWidth - swatch - 9, line.height()),
        Qt::AlignLeft | Qt::AlignVCenter, labelOf(step));
    const QRectF value(m_bars.right(), line.top(), m_valueWidth, line.height());
    if (m_figures.single) {
        painter.drawText(value, Qt::AlignRight | Qt::AlignVCenter, durationText(step.contribution));
    } else {
        const Direction direction = directionOf(step.contribution, row && row->significant);
        painter.setPen(row && isShadowed(stage) ? palette.mutedText() : palette.direction(direction));
        painter.drawText(value, Qt::AlignRight | Qt::AlignVCenter,
            deltaText(step.contribution) + QLatin1Char(' ') + QString::fromUtf8(directionGlyph(direction)));
    }
}

void DeltaWaterfall::paintPlot(QPainter& painter, const ChartPalette& palette)
{
    if (m_layout.steps.empty())
        return;
    painter.setFont(smallFont());
    painter.setPen(QPen(palette.grid(), 1));
    if (!m_layout.broken)
        painter.drawLine(QPointF(xOf(Duration{0}), m_bars.top()), QPointF(xOf(Duration{0}), rowRect(m_layout.steps.size() + 1).bottom()));
    if (!m_figures.single)
        paintTotal(painter, palette, 0, Side::Before);
    for (std::size_t i = 0; i < m_layout.steps.size(); ++i)
        paintStep(painter, palette, i);
    paintTotal(painter, palette, m_layout.steps.size() + (m_figures.single ? 0 : 1), Side::After);
}

ChartTable DeltaWaterfall::table() const
{
    ChartTable result;
    if (!m_figures.comparison)
        return result;
    result.headers = m_figures.single
        ? QStringList{tr("Stage"), tr("Mean time"), tr("Share")}
        : QStringList{tr("Stage"), tr("Before"), tr("After"), tr("Contribution"), tr("95 % interval"), tr("Reliable")};
    for (const StageRow& row : m_figures.comparison->stages) {
        if (m_figures.single)
            result.rows.append({toText(row.label), durationText(row.beforeMean), shareText(row.beforeShare)});
        else
            result.rows.append({toText(row.label), durationText(row.beforeMean), durationText(row.afterMean), deltaText(row.contribution),
                row.interval ? deltaIntervalText(*row.interval) : tr("unknown"), row.significant ? tr("yes") : tr("no")});
    }
    return result;
}

} // namespace chokepoint
