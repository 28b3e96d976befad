// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Shape first, colour second.
#include "views/charts/sidemarker.h"

#include <QPainter>

namespace chokepoint {

void paintSideMarker(QPainter& painter, QPointF centre, double diameter, Side side, const ChartPalette& palette)
{
    const QColor colour = palette.side(side);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.8));
    painter.setBrush(side == Side::After ? colour : palette.background());
    painter.drawEllipse(centre, diameter / 2 - 0.9, diameter / 2 - 0.9);
    painter.restore();
}

void paintSideLetter(QPainter& painter, const QRectF& rect, Side side, const ChartPalette& palette)
{
    painter.save();
    QFont font = painter.font();
    font.setBold(true);
    painter.setFont(font);
    painter.setPen(palette.side(side));
    painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, side == Side::Before ? QStringLiteral("A") : QStringLiteral("B"));
    painter.restore();
}

} // namespace chokepoint
