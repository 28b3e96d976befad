// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of the waterfall.
#include "views/waterfall/waterfallview.h"

#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>
#include <array>

namespace chokepoint {

void WaterfallView::moveToRow(std::size_t row)
{
    if (m_rows.size() == 0)
        return;
    const std::size_t wanted = std::min(row, m_rows.size() - 1);
    revealRow(wanted);
    setCurrent(m_rows[wanted]);
}

void WaterfallView::moveRow(std::int64_t by)
{
    const auto row = currentRow();
    if (!row) {
        moveToRow(std::size_t(verticalScrollBar()->value() / rowHeight()));
        return;
    }
    moveToRow(std::size_t(std::clamp<std::int64_t>(std::int64_t(*row) + by, 0, std::int64_t(m_rows.size()) - 1)));
}

void WaterfallView::collapseOrParent()
{
    const auto span = currentSpan();
    if (!span)
        return;
    if (m_rows.hasChildren(*span) && !m_rows.isCollapsed(*span)) {
        setCollapsed(*span, true);
        return;
    }
    if (const std::int32_t parent = m_scene->view.parent[*span]; parent >= 0)
        moveToRow(*m_rows.rowOf(std::uint32_t(parent)));
}

void WaterfallView::expandOrChild()
{
    const auto span = currentSpan();
    if (!span || !m_rows.hasChildren(*span))
        return;
    if (m_rows.isCollapsed(*span))
        setCollapsed(*span, false);
    else
        moveRow(1);
}

void WaterfallView::stepError(Step step)
{
    if (const auto span = steppedIn(m_scene->errors, currentSpan(), step)) {
        revealSpan(*span);
        setCurrent(SpanRowRef{*span, false});
    }
}

void WaterfallView::stepPath(Step step)
{
    const auto part = steppedOnPath(*m_scene, currentSpan(), m_pathPart, step);
    if (!part)
        return;
    m_pathPart = part;
    const std::uint32_t span = m_scene->pathByTime[*part].span;
    revealSpan(span);
    setCurrent(SpanRowRef{span, false});
}

void WaterfallView::stepSibling(Step step)
{
    const auto span = currentSpan();
    if (const auto next = span ? sibling(m_scene->view, *span, step) : std::nullopt) {
        revealSpan(*next);
        setCurrent(SpanRowRef{*next, false});
    }
}

void WaterfallView::stepLevel(int by)
{
    const auto depth = std::int64_t(m_rows.openDepth()) + by;
    collapseFrom(std::uint32_t(std::max<std::int64_t>(0, depth)));
    if (const auto row = currentRow())
        revealRow(*row);
}

void WaterfallView::goToMostSelfTime()
{
    const auto first = std::size_t(verticalScrollBar()->value() / rowHeight());
    const auto count = std::size_t(std::max(1, timelineRect().height() / rowHeight()));
    if (const auto span = mostSelfTime(*m_scene, m_rows, first, first + count)) {
        revealSpan(*span);
        setCurrent(SpanRowRef{*span, false});
    }
}

/// The dragged range if there is one, else the selected span with a little air.
void WaterfallView::focusCurrent()
{
    if (m_range) {
        showTime(*m_range);
        return;
    }
    const auto span = currentSpan();
    if (!span || !m_scene->hasStart(*span))
        return;
    const TimeRange bar = fittedView({m_scene->view.start[*span], m_scene->shownEnd(*span)});
    const Duration air = bar.length() / 20;
    const auto moved = [](Timestamp time, Duration by) {
        std::int64_t ns = 0;
        return __builtin_add_overflow(toNs(time), toNs(by), &ns) ? time : timestampFromNs(ns);
    };
    showTime({moved(bar.begin, -air), moved(bar.end, air)});
}

void WaterfallView::zoomBy(int steps)
{
    const QRect timeline = timelineRect();
    const bool atPointer = m_pointer && timeline.contains(*m_pointer);
    m_time.zoom(steps, timeAt(atPointer ? m_pointer->x() : timeline.left() + timeline.width() / 2));
    timeChanged();
}

void WaterfallView::panBy(double share)
{
    m_time.pan(Duration{std::int64_t(double(toNs(m_time.view().length())) * share)});
    timeChanged();
}

/// One thing a press: the range, then the search and the rest.
void WaterfallView::clearOne()
{
    if (m_range) {
        m_range.reset();
        viewport()->update();
        return;
    }
    emit escapePressed();
}

void WaterfallView::keyPressEvent(QKeyEvent* event)
{
    struct Binding {
        int key;
        Qt::KeyboardModifiers modifiers;
        void (*run)(WaterfallView&);
    };
    using View = WaterfallView;
    static constexpr double panShare = 0.1; // of the view
    static const std::array bindings{
        Binding{Qt::Key_W, Qt::NoModifier, [](View& v) { v.zoomBy(1); }},
        Binding{Qt::Key_S, Qt::NoModifier, [](View& v) { v.zoomBy(-1); }},
        Binding{Qt::Key_W, Qt::ShiftModifier, [](View& v) { v.zoomBy(4); }},
        Binding{Qt::Key_S, Qt::ShiftModifier, [](View& v) { v.zoomBy(-4); }},
        Binding{Qt::Key_Plus, Qt::NoModifier, [](View& v) { v.zoomBy(1); }},
        Binding{Qt::Key_Plus, Qt::ShiftModifier, [](View& v) { v.zoomBy(1); }},
        Binding{Qt::Key_Equal, Qt::NoModifier, [](View& v) { v.zoomBy(1); }},
        Binding{Qt::Key_Minus, Qt::NoModifier, [](View& v) { v.zoomBy(-1); }},
        Binding{Qt::Key_A, Qt::NoModifier, [](View& v) { v.panBy(-panShare); }},
        Binding{Qt::Key_D, Qt::NoModifier, [](View& v) { v.panBy(panShare); }},
        Binding{Qt::Key_A, Qt::ShiftModifier, [](View& v) { v.panBy(-4 * panShare); }},
        Binding{Qt::Key_D, Qt::ShiftModifier, [](View& v) { v.panBy(4 * panShare); }},
        Binding{Qt::Key_Up, Qt::NoModifier, [](View& v) { v.moveRow(-1); }},
        Binding{Qt::Key_Down, Qt::NoModifier, [](View& v) { v.moveRow(1); }},
        Binding{Qt::Key_PageUp, Qt::NoModifier, [](View& v) { v.moveRow(-v.timelineRect().height() / v.rowHeight()); }},
        Binding{Qt::Key_PageDown, Qt::NoModifier, [](View& v) { v.moveRow(v.timelineRect().height() / v.rowHeight()); }},
        Binding{Qt::Key_Home, Qt::NoModifier, [](View& v) { v.moveToRow(0); }},
        Binding{Qt::Key_End, Qt::NoModifier, [](View& v) { v.moveToRow(v.m_rows.size()); }},
        Binding{Qt::Key_Left, Qt::NoModifier, [](View& v) { v.collapseOrParent(); }},
        Binding{Qt::Key_Right, Qt::NoModifier, [](View& v) { v.expandOrChild(); }},
        Binding{Qt::Key_Left, Qt::ControlModifier, [](View& v) { v.setTreeWidth(v.treeWidth() - 20); }},
        Binding{Qt::Key_Right, Qt::ControlModifier, [](View& v) { v.setTreeWidth(v.treeWidth() + 20); }},
        Binding{Qt::Key_F, Qt::NoModifier, [](View& v) { v.focusCurrent(); }},
        Binding{Qt::Key_F, Qt::ShiftModifier, [](View& v) { v.fitTime(); }},
        Binding{Qt::Key_0, Qt::NoModifier, [](View& v) { v.fitTime(); }},
        Binding{Qt::Key_N, Qt::NoModifier, [](View& v) { v.stepPath(Step::Next); }},
        Binding{Qt::Key_P, Qt::NoModifier, [](View& v) { v.stepPath(Step::Previous); }},
        Binding{Qt::Key_E, Qt::NoModifier, [](View& v) { v.stepError(Step::Next); }},
        Binding{Qt::Key_E, Qt::ShiftModifier, [](View& v) { v.stepError(Step::Previous); }},
        Binding{Qt::Key_Period, Qt::NoModifier, [](View& v) { v.stepSibling(Step::Next); }},
        Binding{Qt::Key_Comma, Qt::NoModifier, [](View& v) { v.stepSibling(Step::Previous); }},
        Binding{Qt::Key_BracketLeft, Qt::NoModifier, [](View& v) { v.stepLevel(-1); }},
        Binding{Qt::Key_BracketRight, Qt::NoModifier, [](View& v) { v.stepLevel(1); }},
        Binding{Qt::Key_L, Qt::NoModifier, [](View& v) { v.goToMostSelfTime(); }},
        Binding{Qt::Key_K, Qt::NoModifier, [](View& v) { v.setPathOnly(!v.m_pathOnly); }},
        Binding{Qt::Key_Slash, Qt::NoModifier, [](View& v) { emit v.searchRequested(); }},
        Binding{Qt::Key_Escape, Qt::NoModifier, [](View& v) { v.clearOne(); }},
    };
    const Qt::KeyboardModifiers modifiers = event->modifiers() & ~Qt::KeypadModifier;
    const auto* const binding =
        std::find_if(bindings.begin(), bindings.end(), [&](const Binding& b) { return b.key == event->key() && b.modifiers == modifiers; });
    if (!m_scene || binding == bindings.end()) {
        event->ignore();
        return;
    }
    binding->run(*this);
}

} // namespace chokepoint
