// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Histogram widget.
#include "views/traces/histogramview.h"

#include "views/format/text.h"
#include "views/theme/palette.h"
#include "views/theme/theme.h"
#include "views/traces/histogramaxis.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

constexpr double fewestBins = 12;
constexpr double mostBins = 80;
constexpr int leftMargin = 12;
constexpr int rightMargin = 12;

} // namespace

HistogramView::HistogramView(QWidget* parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("durationHistogram"));
    setAccessibleName(tr("Distribution of end-to-end times"));
    setAccessibleDescription(tr("Left and Right move the chosen range, with Shift they widen it, Escape clears it"));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void HistogramView::setValues(std::vector<Duration> before, std::vector<Duration> after)
{
    m_values = {std::move(before), std::move(after)};
    for (std::vector<Duration>& values : m_values)
        std::sort(values.begin(), values.end());
    rebin();
}

void HistogramView::setScale(AxisScale scale)
{
    m_scale = scale;
    rebin();
}

void HistogramView::rebin()
{
    // Few values in many bins would be a comb.
    const double values = double(std::max(m_values[0].size(), m_values[1].size()));
    const auto bins = std::size_t(std::clamp(4 * std::sqrt(values), fewestBins, mostBins));
    m_histogram = durationHistogram(m_values[0], m_values[1], bins, m_scale);
    update();
}

void HistogramView::setRange(std::optional<Duration> from, std::optional<Duration> below)
{
    m_from = from;
    m_below = below;
    update();
}

QRectF HistogramView::plotRect() const
{
    const int line = fontMetrics().height();
    return QRectF(rect()).adjusted(leftMargin, 2 * line + 4, -rightMargin, -line - 6); // two lines of labels above, one below
}

double HistogramView::xOf(std::size_t edge) const
{
    const QRectF plot = plotRect();
    return plot.left() + plot.width() * double(edge) / double(std::max<std::size_t>(1, m_histogram.bins()));
}

std::size_t HistogramView::binAt(double x) const
{
    const QRectF plot = plotRect();
    const double at = std::clamp((x - plot.left()) / std::max(1.0, plot.width()), 0.0, 1.0) * double(m_histogram.bins());
    return std::min(std::size_t(at), m_histogram.bins() - 1);
}

std::optional<HistogramView::Bins> HistogramView::chosenBins() const
{
    if (m_drag)
        return m_drag;
    if ((!m_from && !m_below) || m_histogram.bins() == 0)
        return std::nullopt;
    const std::size_t last = m_histogram.bins() - 1;
    const auto clampedBin = [&](Duration value) {
        return value < m_histogram.edges.front() ? std::size_t(0) : m_histogram.binOf(value).value_or(last);
    };
    return Bins{m_from ? clampedBin(*m_from) : 0, m_below ? clampedBin(*m_below - Duration{1}) : last};
}

void HistogramView::choose(std::optional<Bins> bins)
{
    if (bins)
        emit rangeChanged(m_histogram.edges[bins->first], m_histogram.edges[bins->second + 1]);
    else
        emit rangeChanged(std::nullopt, std::nullopt);
}

void HistogramView::paintSide(QPainter& painter, std::size_t side) const
{
    if (m_histogram.totals[side] == 0)
        return;
    const QRectF plot = plotRect();
    const double scale = plot.height() / std::max(1e-9, m_histogram.largestShare());
    QPainterPath outline(QPointF(xOf(0), plot.bottom()));
    for (std::size_t bin = 0; bin < m_histogram.bins(); ++bin) {
        const double y = plot.bottom() - m_histogram.share(side, bin) * scale;
        outline.lineTo(xOf(bin), y);
        outline.lineTo(xOf(bin + 1), y);
    }
    outline.lineTo(xOf(m_histogram.bins()), plot.bottom());
    // A is a dashed outline, B is filled: told apart without colour.
    const QColor color = chartPalette(palette()).side(Side(side));
    QColor fill = color;
    fill.setAlpha(side == 0 ? 28 : 70);
    painter.fillPath(outline, fill);
    QPen pen(color, 1.5);
    if (Side(side) == Side::Before)
        pen.setDashPattern({4, 2});
    painter.strokePath(outline, pen);
}

void HistogramView::paintAxis(QPainter& painter) const
{
    const ChartPalette& colors = chartPalette(palette());
    const QRectF plot = plotRect();
    painter.setPen(QPen(colors.mutedText(), 1));
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
    const QFontMetrics metrics = painter.fontMetrics();
    const double spacing = metrics.horizontalAdvance(QStringLiteral("100.00 ms")) * 1.3;
    for (const AxisTick& tick : axisTicks(m_histogram, m_scale, plot.width(), spacing)) {
        const double width = metrics.horizontalAdvance(tick.label) + 2;
        const double x = plot.left() + plot.width() * tick.position;
        const double left = std::clamp(x - width / 2, 2.0, std::max(2.0, this->width() - width - 2));
        painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 3));
        painter.drawText(QRectF(left, plot.bottom() + 3, width, metrics.height()), Qt::AlignCenter, tick.label);
    }
}

/// P50 and P95 of each side: a stem each, and a line of labels a side, so that close ones stay apart.
void HistogramView::paintQuantiles(QPainter& painter) const
{
    const ChartPalette& colors = chartPalette(palette());
    const QRectF plot = plotRect();
    const QFontMetricsF metrics(painter.font());
    const auto xAt = [&](Duration value) { return plot.left() + plot.width() * axisPosition(m_histogram, m_scale, value).value_or(1); };
    const auto topOf = [&](std::size_t side) { return 1 + double(side) * metrics.height(); };
    const auto widthOf = [&](const QString& label) { return metrics.horizontalAdvance(label) + 4; };
    const auto drawLabel = [&](double left, std::size_t side, const QString& text) {
        const QRectF place(left, topOf(side), widthOf(text), metrics.height());
        painter.fillRect(place, colors.background()); // over the stems of the other side
        painter.drawText(place, Qt::AlignCenter | Qt::TextDontClip, text);
    };
    static constexpr std::array sides{Side::Before, Side::After};
    const std::array marks{quantileMarks(m_values[0]), quantileMarks(m_values[1])};
    for (std::size_t side = 0; side < sides.size(); ++side) {
        painter.setPen(QPen(colors.side(sides[side]), 1));
        for (const QuantileMark& mark : marks[side])
            painter.drawLine(QPointF(xAt(mark.value), topOf(side) + 1), QPointF(xAt(mark.value), plot.bottom()));
    }
    for (std::size_t side = 0; side < sides.size(); ++side) {
        if (marks[side].empty())
            continue;
        const auto labelOf = [&](const QuantileMark& mark) {
            return QStringLiteral("%1 %2 %3")
                .arg(side == 0 ? QStringLiteral("A") : QStringLiteral("B"), mark.name, durationText(mark.value));
        };
        // A mark that is alone has its label where a second one would have it.
        const QuantileMark& last = marks[side].back();
        const QString first = marks[side].size() > 1 ? labelOf(marks[side].front()) : QString();
        const LabelPair places =
            placeLabels(xAt(marks[side].front().value), widthOf(first), xAt(last.value), widthOf(labelOf(last)), width());
        painter.setPen(colors.side(sides[side]));
        if (places.first && !first.isEmpty())
            drawLabel(*places.first, side, first);
        drawLabel(places.second, side, labelOf(last));
    }
}

void HistogramView::paintChoice(QPainter& painter) const
{
    const std::optional<Bins> bins = chosenBins();
    if (!bins)
        return;
    const QRectF plot = plotRect();
    const double left = xOf(bins->first);
    const double right = xOf(bins->second + 1);
    QColor veil = chartPalette(palette()).background();
    veil.setAlpha(170);
    painter.fillRect(QRectF(plot.left(), plot.top(), left - plot.left(), plot.height()), veil);
    painter.fillRect(QRectF(right, plot.top(), plot.right() - right, plot.height()), veil);
    painter.setPen(QPen(chartPalette(palette()).focus(), 1.5));
    painter.drawRect(QRectF(left, plot.top(), right - left, plot.height()));
}

void HistogramView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(tabularFont(font()));
    const ChartPalette& colors = chartPalette(palette());
    painter.fillRect(rect(), colors.background());
    if (m_histogram.bins() == 0) {
        painter.setPen(colors.mutedText());
        painter.drawText(rect(), Qt::AlignCenter, tr("No end-to-end times to show"));
        return;
    }
    paintSide(painter, 0);
    paintSide(painter, 1);
    paintChoice(painter);
    paintAxis(painter);
    paintQuantiles(painter);
    if (hasFocus()) {
        painter.setPen(QPen(colors.focus(), 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

bool HistogramView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || m_histogram.bins() == 0)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::size_t bin = binAt(help->pos().x());
    QToolTip::showText(help->globalPos(),
        tr("%1 to %2\nA: %3 of %4 traces\nB: %5 of %6 traces\nDrag to filter the list")
            .arg(durationText(m_histogram.edges[bin]), durationText(m_histogram.edges[bin + 1]),
                countText(m_histogram.totals[0] ? m_histogram.counts[0][bin] : 0), countText(m_histogram.totals[0]),
                countText(m_histogram.totals[1] ? m_histogram.counts[1][bin] : 0), countText(m_histogram.totals[1])),
        this);
    return true;
}

void HistogramView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && m_histogram.bins() > 0)
        m_dragBin = binAt(event->position().x());
}

void HistogramView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_dragBin)
        return;
    const std::size_t bin = binAt(event->position().x());
    m_drag = Bins{std::min(bin, *m_dragBin), std::max(bin, *m_dragBin)};
    update();
}

void HistogramView::mouseReleaseEvent(QMouseEvent*)
{
    m_dragBin.reset();
    if (m_drag)
        choose(std::exchange(m_drag, std::nullopt));
}

void HistogramView::mouseDoubleClickEvent(QMouseEvent*)
{
    choose(std::nullopt);
}

void HistogramView::keyPressEvent(QKeyEvent* event)
{
    const bool isStep = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    if (m_histogram.bins() == 0 || (!isStep && event->key() != Qt::Key_Escape)) {
        QWidget::keyPressEvent(event);
        return;
    }
    std::optional<Bins> bins = chosenBins();
    if (event->key() == Qt::Key_Escape) {
        if (bins)
            choose(std::nullopt);
        else
            event->ignore();
        return;
    }
    const std::size_t last = m_histogram.bins() - 1;
    const bool isRight = event->key() == Qt::Key_Right;
    if (!bins)
        bins = isRight ? Bins{0, 0} : Bins{last, last};
    else if (isRight && bins->second < last)
        bins = Bins{bins->first + (event->modifiers().testFlag(Qt::ShiftModifier) ? 0 : 1), bins->second + 1};
    else if (!isRight && bins->first > 0)
        bins = Bins{bins->first - 1, bins->second - (event->modifiers().testFlag(Qt::ShiftModifier) ? 0 : 1)};
    choose(bins);
}

} // namespace chokepoint
