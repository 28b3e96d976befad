// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The two halves of a waterfall row, as waterfallpainter.cpp puts them together.
#pragma once

#include "views/waterfall/waterfallpainter.h"

namespace chokepoint {

void paintBarRow(QPainter& painter, const WaterfallPaint& paint, const WaterfallRow& row, const ChartPalette& colors);
void paintTreeRow(QPainter& painter, const WaterfallPaint& paint, const WaterfallRow& row, const ChartPalette& colors);

/// Middle of the line that marks the critical path, px from the row's top.
[[nodiscard]] int pathLineY(int rowHeight);
/// False for rows that the chosen stage, path or search leaves in the background.
[[nodiscard]] bool isEmphasized(const WaterfallPaint& paint, const WaterfallRow& row);
[[nodiscard]] bool hasStage(const StageTable& table, StageId id, StageId wanted);
/// A triangle with a mark in it, for errors.
void paintErrorGlyph(QPainter& painter, QPointF center, const ChartPalette& colors);

} // namespace chokepoint
