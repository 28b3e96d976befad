// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Time scale arithmetic, zoom and pan.
#include "views/waterfall/timescale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace chokepoint {

namespace {

using Wide = Int128;

// The difference of two int64 times may need 65 bits.
std::uint64_t distance(Timestamp from, Timestamp to)
{
    return to > from ? std::uint64_t(toNs(to)) - std::uint64_t(toNs(from)) : 0;
}

Timestamp saturated(Wide ns)
{
    // unknownTime is the lowest value and no time.
    constexpr Wide low = Wide(std::numeric_limits<std::int64_t>::min()) + 1;
    constexpr Wide high = std::numeric_limits<std::int64_t>::max();
    return timestampFromNs(std::int64_t(std::clamp(ns, low, high)));
}

constexpr double halfOctave = 1.4142135623730951;

} // namespace

TimeScale::TimeScale(TimeRange view, double widthPx) : m_view(view), m_width(std::max(1.0, widthPx))
{
    if (m_view.end <= m_view.begin)
        m_view.end = saturated(Wide(toNs(m_view.begin)) + 1);
    m_pixelsPerNs = m_width / double(std::max<std::uint64_t>(1, distance(m_view.begin, m_view.end)));
    m_columns = std::max(1, int(std::ceil(m_width)));
}

bool TimeScale::intersects(Timestamp begin, Timestamp end) const
{
    if (end <= begin)
        return m_view.begin <= begin && begin <= m_view.end;
    return begin < m_view.end && end > m_view.begin;
}

double TimeScale::xAt(Timestamp time) const
{
    if (time <= m_view.begin)
        return 0;
    if (time >= m_view.end)
        return m_width;
    return double(distance(m_view.begin, time)) * m_pixelsPerNs;
}

Timestamp TimeScale::timeAt(double x) const
{
    const double clamped = std::clamp(x, 0.0, m_width);
    const Wide offset = Wide(std::llround(std::min(clamped / m_pixelsPerNs, 9.2e18)));
    return std::min(m_view.end, saturated(Wide(toNs(m_view.begin)) + offset));
}

PixelRun TimeScale::run(Timestamp begin, Timestamp end) const
{
    const double left = xAt(begin);
    const double width = std::max(1.0, xAt(std::max(begin, end)) - left);
    return {std::min(left, m_width - width), width};
}

int TimeScale::firstColumn(Timestamp begin) const
{
    return std::clamp(int(xAt(begin)), 0, m_columns - 1);
}

int TimeScale::lastColumn(Timestamp end) const
{
    // A run that ends on a column's left border does not touch it.
    return std::clamp(int(std::ceil(xAt(end))) - 1, 0, m_columns - 1);
}

TimeRange fittedView(TimeRange extent)
{
    constexpr Wide window = 1'000; // ns
    const Wide begin = toNs(extent.begin);
    const Wide length = extent.end > extent.begin ? Wide(toNs(extent.end)) - begin : 0;
    if (length >= shortestViewNs)
        return extent;
    const Wide middle = begin + length / 2;
    return {saturated(middle - window / 2), saturated(middle + window / 2)};
}

TimeNavigator::TimeNavigator(TimeRange extent) : m_bounds(fittedView(extent)), m_view(m_bounds) { }

void TimeNavigator::fit()
{
    m_view = m_bounds;
    m_steps.clear();
}

TimeRange TimeNavigator::clamped(Wide begin, std::int64_t length) const
{
    const Wide low = toNs(m_bounds.begin);
    const Wide high = toNs(m_bounds.end);
    const Wide allowed = std::clamp<Wide>(length, shortestViewNs, high - low);
    const Wide start = std::clamp(begin, low, high - allowed);
    return {saturated(start), saturated(start + allowed)};
}

void TimeNavigator::show(TimeRange range)
{
    m_view = clamped(toNs(range.begin), toNs(range.length()));
}

TimeRange TimeNavigator::scaled(double factor, Timestamp anchor) const
{
    const Wide length = Wide(distance(m_view.begin, m_view.end));
    const double wanted = std::clamp(double(length) * factor, double(shortestViewNs), 9.2e18);
    const auto newLength = std::int64_t(std::llround(wanted));
    const Timestamp inside = std::clamp(anchor, m_view.begin, m_view.end);
    const Wide before = Wide(distance(m_view.begin, inside)) * newLength / length;
    return clamped(Wide(toNs(inside)) - before, newLength);
}

void TimeNavigator::zoomIn(Timestamp anchor)
{
    const TimeRange next = scaled(1 / halfOctave, anchor);
    if (next == m_view)
        return;
    m_steps.push_back({m_view, next, anchor});
    m_view = next;
}

void TimeNavigator::zoomOut(Timestamp anchor)
{
    // The nearer the anchor is to that of the last zoom-in, the less the undone step differs from a computed one; an eighth of
    // the view cannot be told apart by hand.
    if (!m_steps.empty() && m_steps.back().after == m_view) {
        const Step step = m_steps.back();
        m_steps.pop_back();
        const std::uint64_t apart = distance(std::min(step.anchor, anchor), std::max(step.anchor, anchor));
        if (apart <= distance(m_view.begin, m_view.end) / 8) {
            m_view = step.before;
            return;
        }
    }
    m_steps.clear();
    m_view = scaled(halfOctave, anchor);
}

void TimeNavigator::zoom(int steps, Timestamp anchor)
{
    for (int i = 0; i < steps; ++i)
        zoomIn(anchor);
    for (int i = 0; i > steps; --i)
        zoomOut(anchor);
}

void TimeNavigator::pan(Duration by)
{
    m_view = clamped(Wide(toNs(m_view.begin)) + toNs(by), toNs(m_view.length()));
}

void TimeNavigator::reveal(TimeRange range)
{
    if (range.begin >= m_view.begin && range.end <= m_view.end)
        return;
    const Wide length = toNs(m_view.length());
    const bool fits = Wide(toNs(range.end)) - toNs(range.begin) <= length;
    // A little air on the side the view moves to.
    const Wide begin =
        fits && range.end > m_view.end ? Wide(toNs(range.end)) - length + length / 16 : Wide(toNs(range.begin)) - length / 16;
    m_view = clamped(begin, std::int64_t(length));
}

} // namespace chokepoint
