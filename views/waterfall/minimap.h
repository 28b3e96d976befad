// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The whole trace above the waterfall, with the part that is in view as a window to drag.
#pragma once

#include "views/waterfall/minimaplayout.h"

#include <QImage>
#include <QWidget>

#include <memory>

namespace chokepoint {

class Minimap : public QWidget {
    Q_OBJECT
public:
    explicit Minimap(QWidget* parent = nullptr);

    void setScene(std::shared_ptr<const TraceScene> scene, TimeRange bounds);
    void setTimeView(TimeRange view);
    /// Space left of where time begins and right of where it ends, px; so that the map lies above the bars.
    void setMargins(int left, int right);

    [[nodiscard]] QSize sizeHint() const override { return {400, 54}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {100, 54}; }

signals:
    void timeViewRequested(chokepoint::TimeRange view);
    void fitRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    enum class Drag : std::uint8_t { None, Move, Left, Right, New };

    [[nodiscard]] QRect mapRect() const;
    [[nodiscard]] TimeScale scale() const;
    [[nodiscard]] Timestamp timeAt(int x) const;
    [[nodiscard]] Drag dragAt(int x) const;
    void renderMap();
    void paintWindow(QPainter& painter) const;

    std::shared_ptr<const TraceScene> m_scene;
    TimeRange m_bounds;
    TimeRange m_view;
    int m_leftMargin = 0;
    int m_rightMargin = 0;
    QImage m_map; // painted once a size and palette
    Drag m_drag = Drag::None;
    Timestamp m_dragTime{};
    TimeRange m_dragView;
};

} // namespace chokepoint
