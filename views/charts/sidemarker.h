// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The mark of a deployment: hollow circle for A (before), filled circle for B (after), in its colour.
#pragma once

#include "views/theme/palette.h"

#include <QRectF>

class QPainter;

namespace chokepoint {

/// Circle of \a diameter around \a centre.
void paintSideMarker(QPainter& painter, QPointF centre, double diameter, Side side, const ChartPalette& palette);
/// The letter A or B in the colour of the side, left in \a rect, vertically centred.
void paintSideLetter(QPainter& painter, const QRectF& rect, Side side, const ChartPalette& palette);

} // namespace chokepoint
