// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What all charts share: a framed panel with title and subtitle, stages that react to hover, click and keys, and a menu.
#pragma once

#include "views/charts/charttable.h"
#include "views/state/viewstate.h"
#include "views/theme/palette.h"

#include <QPolygonF>
#include <QWidget>

#include <vector>

class QMenu;

namespace chokepoint {

/// A piece of a chart that stands for a stage.
struct ChartTarget {
    QPolygonF area;
    QString stage;
    QString toolTip; // plain text
};

/// One stage at a time is hovered, selected (click, arrow keys) or left for its traces (double click, Enter); all charts
/// follow, because the stage lives in ViewState. Key T, or the context menu, shows the figures as a table.
class ChartWidget : public QWidget {
    Q_OBJECT
public:
    explicit ChartWidget(ViewState& state, QWidget* parent = nullptr);

    /// \a subtitle names metric, unit and n.
    void setHeading(const QString& title, const QString& subtitle);
    [[nodiscard]] const QString& title() const { return m_title; }
    /// Draws the chart pale while newer figures are on their way.
    void setStale(bool stale);
    [[nodiscard]] virtual ChartTable table() const = 0;

    void copyImage();
    void showTable();
    [[nodiscard]] const std::vector<ChartTarget>& targets() const { return m_targets; }

protected:
    /// Draws inside plotRect(); the painter is antialiased and carries the widget's font.
    virtual void paintPlot(QPainter& painter, const ChartPalette& palette) = 0;
    /// Computes positions for plotRect() and calls setTargets(). Called when size, font or figures change.
    virtual void layoutPlot() = 0;
    virtual void extendMenu(QMenu& menu);

    [[nodiscard]] ViewState& state() const { return m_state; }
    [[nodiscard]] QRectF plotRect() const;
    void setTargets(std::vector<ChartTarget> targets);
    /// Lays out and paints anew after the figures changed.
    void refresh();
    /// The stage stands in the shadow of a hovered or selected one.
    [[nodiscard]] bool isShadowed(const QString& stage) const;
    /// Style of a stage, faded when it is shadowed.
    [[nodiscard]] StageStyle stageStyle(const QString& stage) const;
    /// Of text about a stage: muted, never faded, when it is shadowed.
    [[nodiscard]] QColor textColor(const QString& stage) const;
    [[nodiscard]] QFont smallFont() const;
    /// Height of a line of smallFont() with some air.
    [[nodiscard]] double lineHeight() const;
    /// Draws \a text elided to \a rect.
    static void drawText(QPainter& painter, const QRectF& rect, Qt::Alignment alignment, const QString& text);

    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] const ChartTarget* targetAt(QPointF position) const;
    [[nodiscard]] QStringList stagesInOrder() const;
    void stepStage(int direction);
    void showStageTraces(const QString& stage);
    void saveImage();

    ViewState& m_state;
    QString m_title;
    QString m_subtitle;
    std::vector<ChartTarget> m_targets;
    bool m_stale = false;
};

} // namespace chokepoint
