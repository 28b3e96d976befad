// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the waterfall paints around and over its rows: ruler, dragged range, time under the pointer.
#include "views/format/text.h"
#include "views/theme/theme.h"
#include "views/waterfall/waterfallview.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace chokepoint {

void WaterfallView::paintRuler(QPainter& painter, const TimeTicks& ticks) const
{
    const ChartPalette& colors = chartPalette(palette());
    const QRect ruler = rulerRect();
    const int left = timelineRect().left();
    painter.setFont(tabularFont(font()));
    painter.fillRect(ruler, palette().color(QPalette::Window));
    painter.fillRect(QRect(ruler.left(), ruler.bottom(), ruler.width(), 1), colors.grid());
    painter.setPen(palette().color(QPalette::WindowText));
    const QString base = ticks.base.empty() ? QString() : tr("%1 +", "time that the ruler counts from").arg(toText(ticks.base));
    const QRect title = ruler.adjusted(12, 0, left - ruler.right() - 8, 0);
    painter.drawText(title, Qt::AlignVCenter | Qt::AlignLeft, tr("Span"));
    painter.drawText(title, Qt::AlignVCenter | Qt::AlignRight, base);
    painter.setClipRect(QRect(left, 0, ruler.width() - left, ruler.height()));
    for (const TimeTick& tick : ticks.ticks) {
        const int x = left + int(std::floor(tick.x));
        painter.setPen(colors.mutedText());
        painter.drawLine(x, ruler.bottom() - 5, x, ruler.bottom());
        painter.setPen(palette().color(QPalette::WindowText));
        const QString label = toText(tick.label);
        const int width = fontMetrics().horizontalAdvance(label) + 4;
        if (x + 4 + width <= ruler.right())
            painter.drawText(QRect(x + 4, 0, width, ruler.height() - 3), Qt::AlignVCenter | Qt::AlignLeft, label);
    }
    painter.setClipping(false);
}

void WaterfallView::paintRange(QPainter& painter) const
{
    if (!m_range)
        return;
    const QRect timeline = timelineRect();
    const TimeScale time = scale();
    const qreal left = timeline.left() + time.xAt(m_range->begin);
    const qreal right = timeline.left() + time.xAt(m_range->end);
    QColor veil = chartPalette(palette()).focus();
    const QColor edge = veil;
    veil.setAlpha(36);
    painter.fillRect(QRectF(left, timeline.top(), right - left, timeline.height()), veil);
    painter.fillRect(QRectF(left, timeline.top(), 1, timeline.height()), edge);
    painter.fillRect(QRectF(right - 1, timeline.top(), 1, timeline.height()), edge);
    const QString label = durationText(m_range->length());
    const int width = fontMetrics().horizontalAdvance(label) + 12;
    const QRectF place(
        std::clamp((left + right - width) / 2, qreal(timeline.left()), qreal(timeline.right() - width)), timeline.bottom() - 26, width, 20);
    painter.fillRect(place, edge);
    painter.setPen(textOn(edge));
    painter.drawText(place, Qt::AlignCenter, label);
}

void WaterfallView::paintPointerTime(QPainter& painter) const
{
    const QRect timeline = timelineRect();
    if (!m_pointer || !timeline.contains(*m_pointer) || m_drag != Drag::None)
        return;
    const ChartPalette& colors = chartPalette(palette());
    QColor line = colors.mutedText();
    line.setAlpha(150);
    painter.fillRect(QRect(m_pointer->x(), timeline.top(), 1, timeline.height()), line);
    const Duration offset = saturatingDifference(timeAt(m_pointer->x()), m_scene->extent.begin);
    const QString label = offset < Duration{0} ? QStringLiteral("-") + durationText(-offset) : durationText(offset);
    const int width = fontMetrics().horizontalAdvance(label) + 10;
    const QRect place(std::clamp(m_pointer->x() - width / 2, timeline.left(), std::max(timeline.left(), timeline.right() - width)), 2,
        width, rulerRect().height() - 5);
    painter.fillRect(place, colors.text());
    painter.setPen(colors.background());
    painter.drawText(place, Qt::AlignCenter, label);
}

} // namespace chokepoint
