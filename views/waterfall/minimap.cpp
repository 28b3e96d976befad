// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Minimap: an image of the layout, and a window over it.
#include "views/waterfall/minimap.h"

#include "views/theme/palette.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace chokepoint {

namespace {

constexpr int margin = 4; // px above and below
constexpr int pathHeight = 9; // strip of the critical path
constexpr int errorHeight = 5;
constexpr int grip = 5; // px around the window's edges

Timestamp moved(Timestamp time, Duration by)
{
    std::int64_t ns = 0;
    return __builtin_add_overflow(toNs(time), toNs(by), &ns) ? time : timestampFromNs(ns);
}

} // namespace

Minimap::Minimap(QWidget* parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("waterfallMinimap"));
    setAccessibleName(tr("Overview of the whole trace"));
    setToolTip(
        tr("The whole trace: critical path by stage, spans, errors. Drag the window to move, its edges to resize; double-click fits."));
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void Minimap::setScene(std::shared_ptr<const TraceScene> scene, TimeRange bounds)
{
    m_scene = std::move(scene);
    m_bounds = bounds;
    m_view = bounds;
    m_map = {};
    update();
}

void Minimap::setTimeView(TimeRange view)
{
    m_view = view;
    update();
}

void Minimap::setMargins(int left, int right)
{
    if (m_leftMargin == left && m_rightMargin == right)
        return;
    m_leftMargin = left;
    m_rightMargin = right;
    m_map = {};
    update();
}

QRect Minimap::mapRect() const
{
    return rect().adjusted(m_leftMargin, margin, -m_rightMargin, -margin);
}

TimeScale Minimap::scale() const
{
    return {m_bounds, double(std::max(1, mapRect().width()))};
}

Timestamp Minimap::timeAt(int x) const
{
    return scale().timeAt(x - mapRect().left());
}

void Minimap::renderMap()
{
    const QSize size = mapRect().size();
    if (!m_scene || size.isEmpty())
        return;
    const ChartPalette& colors = chartPalette(palette());
    const int top = pathHeight + 2;
    const int lines = std::max(1, size.height() - top - errorHeight);
    const MinimapLayout map = layoutMinimap(*m_scene, m_bounds, size.width(), lines);
    const auto fill = [&](StageId stage) { return colors.stage(m_scene->stages->name(stage)).fill; };
    m_map = QImage(size * devicePixelRatioF(), QImage::Format_ARGB32_Premultiplied);
    m_map.setDevicePixelRatio(devicePixelRatioF());
    m_map.fill(colors.background());
    QPainter painter(&m_map);
    const double lineHeight = double(lines) / map.lines;
    for (int column = 0; column < map.columns; ++column) {
        const StageId onPath = map.path[std::size_t(column)];
        if (onPath != MinimapLayout::nothing)
            painter.fillRect(QRect(column, 0, 1, pathHeight), fill(onPath));
        for (int line = 0; line < map.lines; ++line) {
            const StageId stage = map.cell(line, column);
            if (stage != MinimapLayout::nothing)
                painter.fillRect(QRectF(column, top + line * lineHeight, 1, std::max(1.0, std::min(3.0, lineHeight))), fill(stage));
        }
        if (map.errors[std::size_t(column)])
            painter.fillRect(QRect(column, size.height() - errorHeight + 1, 1, errorHeight - 1), colors.error());
    }
}

void Minimap::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ChartPalette& colors = chartPalette(palette());
    painter.fillRect(rect(), palette().color(QPalette::Window));
    painter.fillRect(mapRect().adjusted(0, -margin, 0, margin), colors.background());
    if (!m_scene)
        return;
    if (m_map.isNull() || m_map.devicePixelRatio() != devicePixelRatioF())
        renderMap();
    painter.drawImage(mapRect().topLeft(), m_map);
    const QRect label(12, mapRect().top(), m_leftMargin - 24, mapRect().height());
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(label, Qt::AlignLeft | Qt::AlignTop, tr("Critical path"));
    painter.setPen(colors.mutedText());
    painter.drawText(label, Qt::AlignLeft | Qt::AlignBottom, m_scene->errors.empty() ? tr("All spans") : tr("All spans, errors below"));
    paintWindow(painter);
}

void Minimap::paintWindow(QPainter& painter) const
{
    const ChartPalette& colors = chartPalette(palette());
    const PixelRun window = scale().run(m_view.begin, m_view.end);
    const QRect map = mapRect().adjusted(0, -margin, 0, margin);
    QColor veil = palette().color(QPalette::Window);
    veil.setAlpha(190);
    const double left = map.left() + window.x;
    const double right = left + std::max(3.0, window.width);
    painter.fillRect(QRectF(map.left(), map.top(), left - map.left(), map.height()), veil);
    painter.fillRect(QRectF(right, map.top(), map.right() + 1 - right, map.height()), veil);
    if (m_view == m_bounds)
        return;
    painter.setPen(QPen(colors.focus(), 1.5));
    painter.drawRect(QRectF(left, map.top() + 1, right - left, map.height() - 2));
    for (const double edge : {left, right})
        painter.fillRect(QRectF(edge - 2, map.center().y() - 7, 4, 14), colors.focus());
}

void Minimap::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_map = {};
}

void Minimap::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        m_map = {};
        update();
    }
}

Minimap::Drag Minimap::dragAt(int x) const
{
    const PixelRun window = scale().run(m_view.begin, m_view.end);
    const double at = x - mapRect().left();
    if (m_view != m_bounds) {
        if (std::abs(at - window.x) <= grip)
            return Drag::Left;
        if (std::abs(at - window.x - window.width) <= grip)
            return Drag::Right;
        if (at > window.x && at < window.x + window.width)
            return Drag::Move;
    }
    return Drag::New;
}

void Minimap::mousePressEvent(QMouseEvent* event)
{
    const int x = event->position().toPoint().x();
    if (!m_scene || event->button() != Qt::LeftButton || x < mapRect().left())
        return;
    m_drag = dragAt(x);
    m_dragTime = timeAt(x);
    m_dragView = m_view;
}

void Minimap::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_scene)
        return;
    const int x = event->position().toPoint().x();
    if (m_drag == Drag::None) {
        const Drag next = x < mapRect().left() ? Drag::None : dragAt(x);
        const bool isEdge = next == Drag::Left || next == Drag::Right;
        setCursor(isEdge ? Qt::SizeHorCursor : next == Drag::Move ? Qt::OpenHandCursor : Qt::ArrowCursor);
        return;
    }
    const Timestamp time = timeAt(x);
    const Duration by = saturatingDifference(time, m_dragTime);
    TimeRange view = m_dragView;
    switch (m_drag) {
    case Drag::None: return;
    case Drag::Move: view = {moved(view.begin, by), moved(view.end, by)}; break;
    case Drag::Left: view.begin = std::min(time, view.end); break;
    case Drag::Right: view.end = std::max(time, view.begin); break;
    case Drag::New: view = {std::min(time, m_dragTime), std::max(time, m_dragTime)}; break;
    }
    if (view.length() > Duration{0})
        emit timeViewRequested(view);
}

void Minimap::mouseReleaseEvent(QMouseEvent*)
{
    m_drag = Drag::None;
}

void Minimap::mouseDoubleClickEvent(QMouseEvent*)
{
    emit fitRequested();
}

} // namespace chokepoint
