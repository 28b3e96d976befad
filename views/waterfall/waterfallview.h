// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The waterfall itself: rows, ruler, mouse and keys over the pure layout.
#pragma once

#include "views/waterfall/spannavigation.h"
#include "views/waterfall/waterfalllayout.h"
#include "views/waterfall/waterfallpainter.h"

#include <QAbstractScrollArea>
#include <QPoint>

#include <memory>
#include <optional>
#include <vector>

class QMenu;

namespace chokepoint {

class WaterfallView : public QAbstractScrollArea {
    Q_OBJECT
public:
    using ScenePtr = std::shared_ptr<const TraceScene>;
    using Matches = std::shared_ptr<const std::vector<std::uint32_t>>;

    explicit WaterfallView(QWidget* parent = nullptr);

    /// Null shows nothing. Starts fitted, all rows open, nothing selected.
    void setScene(ScenePtr scene);
    [[nodiscard]] const ScenePtr& scene() const { return m_scene; }
    [[nodiscard]] const SpanRows& rows() const { return m_rows; }

    [[nodiscard]] std::optional<std::uint32_t> currentSpan() const;
    /// Opens collapsed ancestors and scrolls to the span.
    void setCurrentSpan(std::optional<std::uint32_t> span);
    void setCollapsed(std::uint32_t span, bool collapsed);
    void expandAll();
    void collapseFrom(std::uint32_t depth);

    [[nodiscard]] TimeRange bounds() const { return m_time.bounds(); }
    [[nodiscard]] TimeRange timeView() const { return m_time.view(); }
    void showTime(TimeRange range);
    void fitTime();
    /// The dragged time range; nullopt when there is none.
    [[nodiscard]] const std::optional<TimeRange>& selectedRange() const { return m_range; }

    [[nodiscard]] bool isPathOnly() const { return m_pathOnly; }
    void setPathOnly(bool on);
    /// Bars of other stages are dimmed; noStage dims nothing.
    void setEmphasizedStage(StageId stage);
    /// Rows of other spans are dimmed; null dims nothing.
    void setMatches(Matches matches);
    void stepToMatch(Step step);

    /// Width of the tree, px; kept between a readable least and two thirds of the viewport.
    [[nodiscard]] int treeWidth() const;
    void setTreeWidth(int width);

    [[nodiscard]] QSize sizeHint() const override { return {960, 480}; }

signals:
    void currentSpanChanged();
    void timeViewChanged();
    void pathOnlyChanged(bool on);
    void searchRequested();
    /// Nothing is left to clear here (range, search): the page may clear what it has.
    void escapePressed();
    void stageActivated(chokepoint::StageId stage);

protected:
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    enum class Drag : std::uint8_t { None, Divider, Pending, Range, Pan };

    // waterfallview.cpp: geometry, state, painting
    [[nodiscard]] QRect rulerRect() const;
    [[nodiscard]] QRect treeRect() const;
    [[nodiscard]] QRect timelineRect() const;
    [[nodiscard]] int rowHeight() const;
    [[nodiscard]] TimeScale scale() const;
    [[nodiscard]] WaterfallViewport layoutViewport() const;
    const WaterfallFrame& frame();
    void refresh(); // the layout is out of date
    void updateScrollBar();
    void rowsChanged();
    void setCurrent(std::optional<SpanRowRef> row);
    void revealRow(std::size_t row);
    void revealSpan(std::uint32_t span);
    [[nodiscard]] std::optional<std::size_t> currentRow() const;
    void timeChanged();
    void paintRuler(QPainter& painter, const TimeTicks& ticks) const;
    void paintRange(QPainter& painter) const;
    void paintPointerTime(QPainter& painter) const;
    void announceCurrent();

    // waterfallmouse.cpp
    [[nodiscard]] bool isOnDivider(QPoint position) const;
    [[nodiscard]] bool isOnArrow(const SpanRowRef& row, QPoint position) const;
    [[nodiscard]] Timestamp timeAt(int x) const;
    void dragTo(QPoint position);
    void hover(QPoint position);
    void showToolTip(QPoint global, QPoint position);
    void addSpanActions(QMenu& menu, std::uint32_t span);

    // waterfallkeys.cpp
    void moveRow(std::int64_t by);
    void moveToRow(std::size_t row);
    void collapseOrParent();
    void expandOrChild();
    void stepError(Step step);
    void stepPath(Step step);
    void stepSibling(Step step);
    void stepLevel(int by);
    void goToMostSelfTime();
    void focusCurrent();
    void zoomBy(int steps);
    void panBy(double share);
    void clearOne();

    ScenePtr m_scene;
    SpanRows m_rows;
    TimeNavigator m_time;
    WaterfallFrame m_frame;
    bool m_frameValid = false;
    std::optional<SpanRowRef> m_current;
    std::optional<std::size_t> m_pathPart; // where the keys along the path are
    std::optional<std::size_t> m_hoveredRow;
    std::optional<QPoint> m_pointer; // in the viewport
    std::optional<TimeRange> m_range;
    StageId m_stage = StageTable::noStage;
    bool m_pathOnly = false;
    Matches m_matches;
    int m_treeWidth = 0; // 0: not chosen by the user
    Drag m_drag = Drag::None;
    QPoint m_dragFrom;
    Timestamp m_dragTime{};
    QPoint m_wheelRest; // angle that has not made a whole step
};

} // namespace chokepoint
