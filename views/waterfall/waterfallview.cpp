// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry, state and painting of the waterfall.
#include "views/waterfall/waterfallview.h"

#include "views/format/text.h"
#include "views/theme/theme.h"

#include <QAccessible>
#include <QFontMetrics>
#include <QPainter>
#include <QResizeEvent>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

constexpr int leastTreeWidth = 140;
constexpr int usualTreeWidth = 340;
constexpr double tickSpacing = 110; // px

} // namespace

WaterfallView::WaterfallView(QWidget* parent) : QAbstractScrollArea(parent)
{
    setObjectName(QStringLiteral("waterfallView"));
    setAccessibleName(tr("Waterfall of the spans"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
}

void WaterfallView::setScene(ScenePtr scene)
{
    m_scene = std::move(scene);
    m_rows = m_scene ? SpanRows(m_scene->view) : SpanRows();
    m_time = m_scene ? TimeNavigator(m_scene->extent) : TimeNavigator();
    m_current.reset();
    m_pathPart.reset();
    m_hoveredRow.reset();
    m_range.reset();
    m_matches.reset();
    verticalScrollBar()->setValue(0);
    rowsChanged();
    emit timeViewChanged();
    emit currentSpanChanged();
}

std::optional<std::uint32_t> WaterfallView::currentSpan() const
{
    return m_current && !m_current->isMarker ? std::optional(m_current->span) : std::nullopt;
}

void WaterfallView::setCurrentSpan(std::optional<std::uint32_t> span)
{
    if (!m_scene || span == currentSpan())
        return;
    if (!span || *span >= m_scene->size()) {
        setCurrent(std::nullopt);
        return;
    }
    revealSpan(*span);
    setCurrent(SpanRowRef{*span, false});
}

void WaterfallView::setCurrent(std::optional<SpanRowRef> row)
{
    if (m_current == row)
        return;
    m_current = row;
    announceCurrent();
    viewport()->update();
    emit currentSpanChanged();
}

/// Screen readers hear the row as people see it.
void WaterfallView::announceCurrent()
{
    QString description;
    if (const auto span = currentSpan()) {
        const Duration duration = m_scene->view.duration(*span);
        description = tr("%1, service %2, stage %3, %4")
                          .arg(oneLine(m_scene->trace->name(*span)), oneLine(m_scene->trace->service(*span)),
                              toText(m_scene->stageName(*span)), durationText(duration));
        if (m_scene->view.flags[*span].isError())
            description += tr(", error");
        if (m_scene->isOnPath(*span))
            description += tr(", on the critical path");
    }
    setAccessibleDescription(description);
}

void WaterfallView::setCollapsed(std::uint32_t span, bool collapsed)
{
    m_rows.setCollapsed(span, collapsed);
    if (m_current && !m_current->isMarker)
        setCurrent(SpanRowRef{m_rows.visibleSpan(m_current->span), false});
    rowsChanged();
}

void WaterfallView::expandAll()
{
    m_rows.expandAll();
    rowsChanged();
}

void WaterfallView::collapseFrom(std::uint32_t depth)
{
    m_rows.collapseFrom(depth);
    if (m_current && !m_current->isMarker)
        setCurrent(SpanRowRef{m_rows.visibleSpan(m_current->span), false});
    rowsChanged();
}

void WaterfallView::showTime(TimeRange range)
{
    m_time.show(range);
    timeChanged();
}

void WaterfallView::fitTime()
{
    m_time.fit();
    timeChanged();
}

void WaterfallView::timeChanged()
{
    refresh();
    emit timeViewChanged();
}

void WaterfallView::setPathOnly(bool on)
{
    if (m_pathOnly == on)
        return;
    m_pathOnly = on;
    viewport()->update();
    emit pathOnlyChanged(on);
}

void WaterfallView::setEmphasizedStage(StageId stage)
{
    m_stage = stage;
    viewport()->update();
}

void WaterfallView::setMatches(Matches matches)
{
    m_matches = std::move(matches);
    viewport()->update();
}

void WaterfallView::stepToMatch(Step step)
{
    if (!m_scene || !m_matches)
        return;
    if (const auto span = steppedIn(*m_matches, currentSpan(), step)) {
        revealSpan(*span);
        setCurrent(SpanRowRef{*span, false});
    }
}

int WaterfallView::treeWidth() const
{
    const int most = std::max(leastTreeWidth, viewport()->width() * 2 / 3);
    const int usual = std::min(usualTreeWidth, viewport()->width() * 2 / 5);
    return std::clamp(m_treeWidth > 0 ? m_treeWidth : usual, leastTreeWidth, most);
}

void WaterfallView::setTreeWidth(int width)
{
    m_treeWidth = std::max(1, width);
    refresh();
    emit timeViewChanged();
}

int WaterfallView::rowHeight() const
{
    return std::max(24, fontMetrics().height() + 8);
}

QRect WaterfallView::rulerRect() const
{
    return {0, 0, viewport()->width(), fontMetrics().height() + 10};
}

QRect WaterfallView::treeRect() const
{
    const int top = rulerRect().height();
    return {0, top, treeWidth(), std::max(0, viewport()->height() - top)};
}

QRect WaterfallView::timelineRect() const
{
    const QRect tree = treeRect();
    return {tree.width(), tree.top(), std::max(1, viewport()->width() - tree.width()), tree.height()};
}

TimeScale WaterfallView::scale() const
{
    return {m_time.view(), double(timelineRect().width())};
}

WaterfallViewport WaterfallView::layoutViewport() const
{
    const QRect timeline = timelineRect();
    WaterfallViewport layout{m_time.view(), double(timeline.width()), verticalScrollBar()->value(), timeline.height(), rowHeight()};
    layout.stickyRows = std::size_t(std::clamp(timeline.height() / rowHeight() / 4, 0, 4));
    return layout;
}

const WaterfallFrame& WaterfallView::frame()
{
    if (!m_frameValid)
        m_frame = m_scene ? layoutWaterfall(*m_scene, m_rows, layoutViewport()) : WaterfallFrame();
    m_frameValid = true;
    return m_frame;
}

void WaterfallView::refresh()
{
    m_frameValid = false;
    viewport()->update();
}

void WaterfallView::updateScrollBar()
{
    const std::int64_t content = std::int64_t(m_rows.size()) * rowHeight();
    const int height = timelineRect().height();
    verticalScrollBar()->setRange(0, int(std::clamp<std::int64_t>(content - height, 0, std::numeric_limits<int>::max())));
    verticalScrollBar()->setPageStep(std::max(1, height));
    verticalScrollBar()->setSingleStep(rowHeight());
}

void WaterfallView::rowsChanged()
{
    updateScrollBar();
    refresh();
}

std::optional<std::size_t> WaterfallView::currentRow() const
{
    if (!m_current)
        return std::nullopt;
    const auto row = m_rows.rowOf(m_current->span);
    return row && m_current->isMarker ? std::optional(*row - 1) : row;
}

void WaterfallView::revealRow(std::size_t row)
{
    verticalScrollBar()->setValue(int(scrollToRow(m_rows, layoutViewport(), row)));
}

void WaterfallView::revealSpan(std::uint32_t span)
{
    if (m_rows.expandTo(span))
        rowsChanged();
    if (const auto row = m_rows.rowOf(span))
        revealRow(*row);
    if (!m_scene->hasStart(span))
        return;
    const TimeRange bar{m_scene->view.start[span], m_scene->shownEnd(span)};
    if (!scale().intersects(bar.begin, bar.end)) {
        m_time.reveal(bar);
        timeChanged();
    }
}

bool WaterfallView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        showToolTip(help->globalPos(), help->pos());
        return true;
    }
    if (event->type() == QEvent::Leave) {
        m_hoveredRow.reset();
        m_pointer.reset();
        viewport()->update();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void WaterfallView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    const ChartPalette& colors = chartPalette(palette());
    painter.fillRect(viewport()->rect(), colors.background());
    if (!m_scene)
        return;
    const WaterfallViewport layout = layoutViewport();
    const TimeTicks ticks = timeTicks(scale(), m_scene->extent.begin, tickSpacing);
    const WaterfallEmphasis emphasis{m_current, m_hoveredRow, m_stage, m_pathOnly, m_matches.get(), hasFocus()};
    paintWaterfall(
        painter, {*m_scene, m_rows, frame(), layout, ticks, emphasis, treeRect(), timelineRect(), tabularFont(font()), palette()});
    paintRange(painter);
    paintRuler(painter, ticks);
    paintPointerTime(painter);
    if (hasFocus() && !m_current) {
        painter.setPen(QPen(colors.focus(), 2));
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
}

void WaterfallView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBar();
    refresh();
    emit timeViewChanged();
}

void WaterfallView::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        rowsChanged();
}

void WaterfallView::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void WaterfallView::focusOutEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void WaterfallView::scrollContentsBy(int, int)
{
    refresh();
}

} // namespace chokepoint
