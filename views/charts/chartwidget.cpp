// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// ChartWidget: frame, heading, pointer and keyboard behaviour, context menu.
#include "views/charts/chartwidget.h"

#include "views/format/text.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QHelpEvent>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr double padding = 12;

} // namespace

ChartWidget::ChartWidget(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&m_state, &ViewState::stageChanged, this, qOverload<>(&QWidget::update));
    connect(&m_state, &ViewState::hoveredStageChanged, this, qOverload<>(&QWidget::update));
}

void ChartWidget::setHeading(const QString& title, const QString& subtitle)
{
    m_title = title;
    m_subtitle = subtitle;
    setAccessibleName(title);
    setAccessibleDescription(tr("%1. Press T for the figures as a table.").arg(subtitle));
    update();
}

void ChartWidget::setStale(bool stale)
{
    if (m_stale == stale)
        return;
    m_stale = stale;
    update();
}

QFont ChartWidget::smallFont() const
{
    QFont result = font();
    if (result.pointSizeF() > 0)
        result.setPointSizeF(std::max(8.0, result.pointSizeF() - 1));
    return result;
}

double ChartWidget::lineHeight() const
{
    return QFontMetricsF(smallFont()).height() + 3;
}

QRectF ChartWidget::plotRect() const
{
    const double heading = QFontMetricsF(font()).height() + (m_subtitle.isEmpty() ? 0 : QFontMetricsF(smallFont()).height()) + 8;
    return QRectF(rect()).adjusted(padding, padding - 2 + heading, -padding, -padding);
}

void ChartWidget::setTargets(std::vector<ChartTarget> targets)
{
    m_targets = std::move(targets);
}

void ChartWidget::refresh()
{
    layoutPlot();
    update();
}

bool ChartWidget::isShadowed(const QString& stage) const
{
    const QString& focus = m_state.hoveredStage().isEmpty() ? m_state.stage() : m_state.hoveredStage();
    const bool known = std::ranges::any_of(m_targets, [&](const ChartTarget& target) { return target.stage == focus; });
    return known && stage != focus;
}

StageStyle ChartWidget::stageStyle(const QString& stage) const
{
    const ChartPalette& colors = chartPalette(palette());
    const StageStyle style = colors.stage(stage.toStdString());
    return isShadowed(stage) ? shadowed(style, colors.background()) : style;
}

QColor ChartWidget::textColor(const QString& stage) const
{
    const ChartPalette& colors = chartPalette(palette());
    return isShadowed(stage) ? colors.mutedText() : colors.text();
}

void ChartWidget::drawText(QPainter& painter, const QRectF& rect, Qt::Alignment alignment, const QString& text)
{
    const QString shown = painter.fontMetrics().elidedText(text, Qt::ElideRight, int(rect.width()) + 1);
    painter.drawText(rect, int(alignment) | Qt::TextSingleLine, shown);
}

void ChartWidget::paintEvent(QPaintEvent*)
{
    const ChartPalette& colours = chartPalette(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    const bool focused = hasFocus();
    painter.setPen(QPen(focused ? colours.focus() : colours.grid(), focused ? 2 : 1));
    painter.setBrush(colours.background());
    painter.drawRoundedRect(focused ? frame.adjusted(0.5, 0.5, -0.5, -0.5) : frame, 6, 6);

    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(colours.text());
    const QFontMetricsF metrics(bold);
    QRectF line(padding, padding - 2, width() - 2 * padding, metrics.height());
    drawText(painter, line, Qt::AlignLeft | Qt::AlignVCenter, m_title);
    painter.setFont(smallFont());
    painter.setPen(colours.mutedText());
    line = QRectF(padding, line.bottom(), line.width(), QFontMetricsF(smallFont()).height());
    drawText(painter, line, Qt::AlignLeft | Qt::AlignVCenter, m_subtitle);

    painter.setOpacity(m_stale ? 0.4 : 1);
    paintPlot(painter, colours);
}

void ChartWidget::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layoutPlot();
}

void ChartWidget::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange)
        refresh();
}

const ChartTarget* ChartWidget::targetAt(QPointF position) const
{
    const auto hit =
        std::ranges::find_if(m_targets, [&](const ChartTarget& target) { return target.area.containsPoint(position, Qt::OddEvenFill); });
    return hit == m_targets.end() ? nullptr : &*hit;
}

void ChartWidget::mouseMoveEvent(QMouseEvent* event)
{
    const ChartTarget* target = targetAt(event->position());
    m_state.hoverStage(target ? target->stage : QString());
    setCursor(target ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void ChartWidget::leaveEvent(QEvent*)
{
    m_state.hoverStage(QString());
}

void ChartWidget::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const ChartTarget* target = targetAt(event->position());
    m_state.selectStage(target ? target->stage : QString());
}

void ChartWidget::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const ChartTarget* target = targetAt(event->position()); target && event->button() == Qt::LeftButton)
        showStageTraces(target->stage);
}

QStringList ChartWidget::stagesInOrder() const
{
    QStringList stages;
    for (const ChartTarget& target : m_targets)
        if (!stages.contains(target.stage))
            stages.append(target.stage);
    return stages;
}

void ChartWidget::stepStage(int direction)
{
    const QStringList stages = stagesInOrder();
    if (stages.isEmpty())
        return;
    const qsizetype at = stages.indexOf(m_state.stage());
    const qsizetype next = at < 0 ? (direction > 0 ? 0 : stages.size() - 1) : std::clamp<qsizetype>(at + direction, 0, stages.size() - 1);
    m_state.selectStage(stages[next]);
}

void ChartWidget::showStageTraces(const QString& stage)
{
    if (stage.isEmpty())
        return;
    TraceScope filter;
    filter.stage = stage;
    m_state.showTraces(filter);
}

void ChartWidget::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Down: stepStage(1); return;
    case Qt::Key_Left:
    case Qt::Key_Up: stepStage(-1); return;
    case Qt::Key_Return:
    case Qt::Key_Enter: showStageTraces(m_state.stage()); return;
    case Qt::Key_Escape: m_state.selectStage(QString()); return;
    case Qt::Key_T: showTable(); return;
    default: QWidget::keyPressEvent(event);
    }
}

bool ChartWidget::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const ChartTarget* target = targetAt(help->pos()))
        QToolTip::showText(help->globalPos(), plainToolTip(target->toolTip), this);
    else
        QToolTip::hideText();
    return true;
}

void ChartWidget::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    if (const QString stage = m_state.stage(); stagesInOrder().contains(stage)) {
        menu.addAction(tr("Show the &traces through this stage"), this, [this, stage] { showStageTraces(stage); });
        menu.addSeparator();
    }
    extendMenu(menu);
    menu.addAction(tr("&Copy image"), this, &ChartWidget::copyImage);
    menu.addAction(tr("&Save image…"), this, &ChartWidget::saveImage);
    menu.addAction(tr("Show as ta&ble"), this, &ChartWidget::showTable);
    const QPoint position = event->reason() == QContextMenuEvent::Keyboard ? mapToGlobal(rect().center()) : event->globalPos();
    menu.exec(position);
}

void ChartWidget::extendMenu(QMenu&) { }

void ChartWidget::copyImage()
{
    QApplication::clipboard()->setPixmap(grab());
}

void ChartWidget::saveImage()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Save image"), QString(), tr("PNG image (*.png)"));
    if (!path.isEmpty() && !grab().save(path, "PNG"))
        QMessageBox::warning(this, tr("Save image"), tr("The image could not be written to %1. Choose another folder.").arg(path));
}

void ChartWidget::showTable()
{
    showChartTable(this, m_title, table());
}

} // namespace chokepoint
