// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse, wheel, tool tips and the context menu of the waterfall.
#include "views/format/text.h"
#include "views/waterfall/waterfallview.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace chokepoint {

namespace {

constexpr int dividerGrip = 4; // px on each side
constexpr int wheelStep = 120; // eighths of a degree, as Qt counts

void copyText(const QString& text)
{
    QApplication::clipboard()->setText(text);
}

} // namespace

bool WaterfallView::isOnDivider(QPoint position) const
{
    return std::abs(position.x() - treeRect().right()) <= dividerGrip;
}

bool WaterfallView::isOnArrow(const SpanRowRef& row, QPoint position) const
{
    if (row.isMarker || !m_rows.hasChildren(row.span))
        return false;
    const int left = treeIndent(m_scene->depth[row.span], treeWidth());
    return position.x() >= left && position.x() < left + expandArrowWidth;
}

Timestamp WaterfallView::timeAt(int x) const
{
    return scale().timeAt(x - timelineRect().left());
}

void WaterfallView::mousePressEvent(QMouseEvent* event)
{
    if (!m_scene)
        return;
    m_dragFrom = event->position().toPoint();
    m_dragTime = timeAt(m_dragFrom.x());
    const bool isPan = event->button() == Qt::MiddleButton
        || (event->button() == Qt::LeftButton && event->modifiers().testFlag(Qt::ShiftModifier) && !isOnDivider(m_dragFrom));
    if (isPan) {
        m_drag = Drag::Pan;
        viewport()->setCursor(Qt::ClosedHandCursor);
        return;
    }
    if (event->button() != Qt::LeftButton)
        return;
    if (isOnDivider(m_dragFrom)) {
        m_drag = Drag::Divider;
        return;
    }
    if (m_dragFrom.x() >= timelineRect().left())
        m_drag = Drag::Pending;
    const auto row = rowAt(frame(), layoutViewport(), m_rows.size(), m_dragFrom.y() - timelineRect().top());
    if (!row)
        return;
    if (isOnArrow(m_rows[*row], m_dragFrom)) {
        const std::uint32_t span = m_rows[*row].span;
        setCollapsed(span, !m_rows.isCollapsed(span));
    } else if (m_drag != Drag::Pending) {
        setCurrent(m_rows[*row]);
    }
}

void WaterfallView::dragTo(QPoint position)
{
    switch (m_drag) {
    case Drag::None: break;
    case Drag::Divider: setTreeWidth(position.x()); break;
    case Drag::Pending:
        if ((position - m_dragFrom).manhattanLength() < QApplication::startDragDistance())
            break;
        m_drag = Drag::Range;
        [[fallthrough]];
    case Drag::Range: {
        const Timestamp time = timeAt(position.x());
        m_range = TimeRange{std::min(time, m_dragTime), std::max(time, m_dragTime)};
        viewport()->update();
        break;
    }
    case Drag::Pan: {
        // The time under the pointer stays there; rows follow too.
        m_time.pan(saturatingDifference(timeAt(m_dragFrom.x()), timeAt(position.x())));
        verticalScrollBar()->setValue(verticalScrollBar()->value() - (position.y() - m_dragFrom.y()));
        m_dragFrom = position;
        timeChanged();
        break;
    }
    }
}

void WaterfallView::hover(QPoint position)
{
    m_pointer = position;
    m_hoveredRow = rowAt(frame(), layoutViewport(), m_rows.size(), position.y() - timelineRect().top());
    viewport()->setCursor(isOnDivider(position) ? Qt::SplitHCursor : Qt::ArrowCursor);
    viewport()->update();
}

void WaterfallView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_scene)
        return;
    if (m_drag == Drag::None)
        hover(event->position().toPoint());
    else
        dragTo(event->position().toPoint());
}

void WaterfallView::mouseReleaseEvent(QMouseEvent* event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    if (drag == Drag::Pan)
        viewport()->setCursor(Qt::ArrowCursor);
    if (drag == Drag::Range && m_range && m_range->length() == Duration{0})
        m_range.reset();
    if (drag != Drag::Pending || !m_scene)
        return;
    const auto row = rowAt(frame(), layoutViewport(), m_rows.size(), event->position().toPoint().y() - timelineRect().top());
    if (row)
        setCurrent(m_rows[*row]);
}

void WaterfallView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const QPoint position = event->position().toPoint();
    if (!m_scene || event->button() != Qt::LeftButton)
        return;
    if (isOnDivider(position)) {
        m_treeWidth = 0;
        refresh();
        return;
    }
    const auto row = rowAt(frame(), layoutViewport(), m_rows.size(), position.y() - timelineRect().top());
    if (!row || m_rows[*row].isMarker)
        return;
    if (isOnArrow(m_rows[*row], position))
        mousePressEvent(event);
    else if (position.x() >= timelineRect().left())
        focusCurrent();
    else if (const std::uint32_t span = m_rows[*row].span; m_rows.hasChildren(span))
        setCollapsed(span, !m_rows.isCollapsed(span));
}

void WaterfallView::wheelEvent(QWheelEvent* event)
{
    if (!m_scene)
        return;
    QPoint angle = event->angleDelta();
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        m_wheelRest += angle;
        const int steps = m_wheelRest.y() / wheelStep;
        m_wheelRest.setY(m_wheelRest.y() % wheelStep);
        m_time.zoom(steps, timeAt(int(event->position().x())));
        timeChanged();
        event->accept();
        return;
    }
    if (event->modifiers().testFlag(Qt::ShiftModifier))
        angle = QPoint(angle.x() + angle.y(), 0);
    // A track pad drifts: within 15 degrees of an axis only that axis moves.
    constexpr double lock = 0.268; // tan 15 degrees
    if (std::abs(angle.x()) < lock * std::abs(angle.y()))
        angle.setX(0);
    if (std::abs(angle.y()) < lock * std::abs(angle.x()))
        angle.setY(0);
    if (angle.x() != 0)
        panBy(-double(angle.x()) / wheelStep * 0.1);
    verticalScrollBar()->setValue(verticalScrollBar()->value() - angle.y() * 3 * rowHeight() / wheelStep);
    hover(event->position().toPoint());
    event->accept();
}

void WaterfallView::showToolTip(QPoint global, QPoint position)
{
    const auto row = m_scene ? rowAt(frame(), layoutViewport(), m_rows.size(), position.y() - timelineRect().top()) : std::nullopt;
    if (!row || m_rows[*row].isMarker) {
        QToolTip::hideText();
        return;
    }
    const std::uint32_t span = m_rows[*row].span;
    const Duration onPath = m_scene->onPath(span);
    QStringList lines{oneLine(m_scene->trace->name(span)), tr("Service: %1").arg(oneLine(m_scene->trace->service(span))),
        tr("Stage: %1").arg(toText(m_scene->stageName(span))), tr("Duration: %1").arg(durationText(m_scene->view.duration(span))),
        tr("Self time: %1").arg(durationText(m_scene->selfTime[span]))};
    if (onPath > Duration{0})
        lines << tr("On path: %1 (%2 of end-to-end)")
                     .arg(durationText(onPath), shareText(double(toNs(onPath)) / double(toNs(m_scene->path.length))));
    if (m_scene->view.flags[span].isError())
        lines << tr("Status: error");
    if (m_scene->isUnfinished(span))
        lines << tr("Unfinished: no end time was recorded");
    const std::uint32_t end = m_rows.hiddenEnd(span);
    if (end > span + 1)
        lines
            << tr("Collapsed: %1 spans, %2 with errors").arg(countText(end - span - 1), countText(m_scene->errorsIn(span + 1, end).size()));
    // Text of traces is never markup.
    QToolTip::showText(
        global, QStringLiteral("<p style='white-space:pre'>%1</p>").arg(lines.join(QLatin1Char('\n')).toHtmlEscaped()), viewport());
}

void WaterfallView::addSpanActions(QMenu& menu, std::uint32_t span)
{
    menu.addAction(tr("&Zoom to Span"), this, &WaterfallView::focusCurrent)->setShortcut(Qt::Key_F);
    menu.addAction(
        tr("Select &Stage “%1”").arg(toText(m_scene->stageName(span))), this, [this, span] { emit stageActivated(m_scene->stage[span]); });
    menu.addSeparator();
    menu.addAction(tr("Copy &Name"), this, [this, span] { copyText(toText(m_scene->trace->name(span))); });
    menu.addAction(tr("Copy Span &Id"), this, [this, span] { copyText(toText(m_scene->trace->spanIdName(span))); });
    menu.addSeparator();
}

void WaterfallView::contextMenuEvent(QContextMenuEvent* event)
{
    if (!m_scene)
        return;
    if (event->reason() == QContextMenuEvent::Mouse) {
        if (const auto row = rowAt(frame(), layoutViewport(), m_rows.size(), event->pos().y() - timelineRect().top()))
            setCurrent(m_rows[*row]);
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (const auto span = currentSpan())
        addSpanActions(*menu, *span);
    menu->addAction(tr("&Expand All"), this, &WaterfallView::expandAll);
    menu->addAction(tr("&Collapse to Roots"), this, [this] { collapseFrom(0); });
    menu->addAction(tr("Fit &Whole Trace"), this, &WaterfallView::fitTime)->setShortcut(Qt::SHIFT | Qt::Key_F);
    menu->popup(event->globalPos());
}

} // namespace chokepoint
