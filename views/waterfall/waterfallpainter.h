// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Replays a waterfall frame: tree on the left, bars on the right, in one pass.
#pragma once

#include "views/theme/palette.h"
#include "views/waterfall/waterfalllayout.h"

#include <QFont>
#include <QPalette>
#include <QRect>

#include <optional>

class QPainter;

namespace chokepoint {

/// What the user has chosen; nothing of it moves a rectangle.
struct WaterfallEmphasis {
    std::optional<SpanRowRef> current;
    std::optional<std::size_t> hoveredRow;
    StageId stage = StageTable::noStage; // selected or hovered stage: other bars are dimmed
    bool pathOnly = false; // what is off the path is dimmed
    const std::vector<std::uint32_t>* matches = nullptr; // spans found by the search, ascending; the others are dimmed
    bool focused = false; // the widget has the keyboard
};

struct WaterfallPaint {
    const TraceScene& scene;
    const SpanRows& rows;
    const WaterfallFrame& frame;
    const WaterfallViewport& viewport;
    const TimeTicks& ticks;
    WaterfallEmphasis emphasis;
    QRect tree; // of the rows, left of the divider
    QRect timeline; // of the rows, right of it
    QFont font;
    QPalette palette;
};

void paintWaterfall(QPainter& painter, const WaterfallPaint& paint);

/// x of the expand arrow of a span in the tree, px from the tree's left edge.
[[nodiscard]] int treeIndent(std::uint32_t depth, int treeWidth);
inline constexpr int expandArrowWidth = 16;

/// First \a most characters of a text from a trace, on one line.
[[nodiscard]] QString oneLine(std::string_view text, std::size_t most = 300);

} // namespace chokepoint
