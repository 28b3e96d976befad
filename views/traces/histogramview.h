// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Overlaid distributions of end-to-end times of both sides; a brushed range filters the list.
#pragma once

#include "views/traces/durationhistogram.h"

#include <QWidget>

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace chokepoint {

class HistogramView : public QWidget {
    Q_OBJECT
public:
    explicit HistogramView(QWidget* parent = nullptr);

    void setValues(std::vector<Duration> before, std::vector<Duration> after);
    void setScale(AxisScale scale);
    [[nodiscard]] AxisScale scale() const { return m_scale; }
    /// The chosen range [from, below); an open end reaches the axis' end.
    void setRange(std::optional<Duration> from, std::optional<Duration> below);
    [[nodiscard]] const DurationHistogram& histogram() const { return m_histogram; }

    [[nodiscard]] QSize sizeHint() const override { return {600, 90 + 4 * fontMetrics().height()}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 60 + 4 * fontMetrics().height()}; }

signals:
    /// Whole bins; both nullopt when the range is cleared.
    void rangeChanged(std::optional<chokepoint::Duration> from, std::optional<chokepoint::Duration> below);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    using Bins = std::pair<std::size_t, std::size_t>; // first and last, both included

    [[nodiscard]] QRectF plotRect() const;
    [[nodiscard]] double xOf(std::size_t edge) const;
    [[nodiscard]] std::size_t binAt(double x) const;
    [[nodiscard]] std::optional<Bins> chosenBins() const;
    void choose(std::optional<Bins> bins);
    void rebin();
    void paintSide(QPainter& painter, std::size_t side) const;
    void paintAxis(QPainter& painter) const;
    void paintQuantiles(QPainter& painter) const;
    void paintChoice(QPainter& painter) const;

    std::array<std::vector<Duration>, 2> m_values; // sorted
    DurationHistogram m_histogram;
    AxisScale m_scale = AxisScale::Linear;
    std::optional<Duration> m_from;
    std::optional<Duration> m_below;
    std::optional<std::size_t> m_dragBin;
    std::optional<Bins> m_drag;
};

} // namespace chokepoint
