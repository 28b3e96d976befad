// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where a time is on the screen and back: exact in 64 bits relative to the view's start, clipped before anything is painted.
#pragma once

#include "core/base/int128.h"
#include "core/base/time.h"

#include <cstdint>
#include <string>
#include <vector>

namespace chokepoint {

/// A horizontal run of pixels inside [0, width] of a time scale.
struct PixelRun {
    double x = 0;
    double width = 0;
    friend bool operator==(const PixelRun&, const PixelRun&) = default;
};

/// Maps the half-open range `view` to [0, widthPx). Every result is finite and inside that range, whatever the times are.
class TimeScale {
public:
    /// A view that is empty counts as 1 ns long; a width below 1 as 1.
    TimeScale(TimeRange view, double widthPx);

    [[nodiscard]] TimeRange view() const { return m_view; }
    [[nodiscard]] double width() const { return m_width; }
    /// Something of [begin, end] is in view. A point at the view's very end counts, so that a fitted trace shows its last instant.
    [[nodiscard]] bool intersects(Timestamp begin, Timestamp end) const;
    /// Clamped to [0, width].
    [[nodiscard]] double xAt(Timestamp time) const;
    /// Clamped to the view; the inverse of xAt() to the nanosecond where a pixel is no longer than that.
    [[nodiscard]] Timestamp timeAt(double x) const;
    /// The visible part of [begin, end], widened to at least 1 px and moved inside the view. Only for what intersects().
    [[nodiscard]] PixelRun run(Timestamp begin, Timestamp end) const;
    /// First and last pixel column that run() touches; both in [0, columns()).
    [[nodiscard]] int firstColumn(Timestamp begin) const;
    [[nodiscard]] int lastColumn(Timestamp end) const;
    [[nodiscard]] int columns() const { return m_columns; }

private:
    TimeRange m_view;
    double m_width = 1;
    double m_pixelsPerNs = 1;
    int m_columns = 1;
};

/// One mark of a time ruler.
struct TimeTick {
    Timestamp time{};
    double x = 0;
    std::string label;
};

struct TimeTicks {
    Duration step{1};
    std::string base; // what the labels count from, when that is not the origin ("408:00:00"); else empty
    std::vector<TimeTick> ticks;
};

/// Round marks at least \a minSpacingPx apart, labelled as offsets from \a origin in one unit. No two neighbours share a label:
/// where the offset has too many digits for the step, the labels count from `base`.
[[nodiscard]] TimeTicks timeTicks(const TimeScale& scale, Timestamp origin, double minSpacingPx);

/// The shortest view, in ns: below it a pixel says nothing.
inline constexpr std::int64_t shortestViewNs = 20;

/// The view of a whole trace. An empty or tiny extent gets a window around it, so that nothing divides by zero.
[[nodiscard]] TimeRange fittedView(TimeRange extent);

/// Zoom and pan inside fixed bounds. Zooming in and out again at one place returns to the same view exactly.
class TimeNavigator {
public:
    explicit TimeNavigator(TimeRange extent = {});

    [[nodiscard]] TimeRange bounds() const { return m_bounds; }
    [[nodiscard]] TimeRange view() const { return m_view; }
    [[nodiscard]] bool isFitted() const { return m_view == m_bounds; }
    void fit();
    /// Clamped to the bounds and to shortestViewNs.
    void show(TimeRange range);
    /// Steps of one half octave: positive \a steps magnify. \a anchor keeps its place on the screen.
    void zoom(int steps, Timestamp anchor);
    void pan(Duration by);
    /// Moves the view by the least that shows \a range; a range longer than the view is shown from its start.
    void reveal(TimeRange range);

private:
    struct Step {
        TimeRange before;
        TimeRange after;
        Timestamp anchor;
    };
    void zoomIn(Timestamp anchor);
    void zoomOut(Timestamp anchor);
    [[nodiscard]] TimeRange clamped(Int128 begin, std::int64_t length) const;
    [[nodiscard]] TimeRange scaled(double factor, Timestamp anchor) const;

    TimeRange m_bounds;
    TimeRange m_view;
    std::vector<Step> m_steps; // zoom-ins that a zoom-out undoes
};

} // namespace chokepoint
