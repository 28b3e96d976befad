// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Swatches of stages.
#include "views/waterfall/stagechip.h"

#include <QPainter>
#include <QPixmap>

namespace chokepoint {

QIcon stageIcon(std::string_view stage, const QPalette& palette)
{
    QIcon icon;
    for (const int scale : {1, 2, 3}) {
        constexpr int side = 12;
        QPixmap swatch(side * scale, side * scale);
        swatch.setDevicePixelRatio(scale);
        swatch.fill(Qt::transparent);
        QPainter painter(&swatch);
        fillStage(painter, QRectF(0, 0, side, side), chartPalette(palette).stage(stage));
        painter.end();
        icon.addPixmap(swatch);
    }
    return icon;
}

} // namespace chokepoint
