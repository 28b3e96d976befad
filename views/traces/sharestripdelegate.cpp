// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Share strips.
#include "views/traces/sharestripdelegate.h"

#include "views/theme/palette.h"
#include "views/traces/tracelistmodel.h"

#include <QApplication>
#include <QPainter>

namespace chokepoint {

ShareStripDelegate::ShareStripDelegate(const TraceListModel& model, const ViewState& state, QObject* parent)
    : QStyledItemDelegate(parent), m_model(model), m_state(state)
{
}

/// The strip stands for the text.
QString ShareStripDelegate::displayText(const QVariant&, const QLocale&) const
{
    return {};
}

void ShareStripDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index); // background, selection, focus
    const ChartPalette& colors = chartPalette(option.palette);
    const std::string hovered = m_state.hoveredStage().toStdString();
    const std::string selected = hovered.empty() ? m_state.stage().toStdString() : hovered;
    const QRectF strip = QRectF(option.rect).adjusted(4, 6, -4, -6);
    painter->save();
    painter->fillRect(strip.adjusted(-1, -1, 1, 1), colors.background()); // stages keep their colours in a selected row
    for (const StripPart& part : m_model.strip(index.row())) {
        const QRectF piece(strip.left() + strip.width() * part.begin, strip.top(), strip.width() * (part.end - part.begin), strip.height());
        const StageStyle style = colors.stage(part.stage);
        fillStage(*painter, piece, selected.empty() || part.stage == selected ? style : shadowed(style, colors.background()));
        if (piece.width() >= 3) // a hairline between neighbours of like colour
            painter->fillRect(QRectF(piece.right() - 0.75, piece.top(), 0.75, piece.height()), colors.background());
    }
    painter->restore();
}

void SideDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    const auto side = Side(index.data(TraceListModel::sortRole).toInt());
    const QColor color = chartPalette(option->palette).side(side);
    option->palette.setColor(QPalette::Text, color);
    option->font.setBold(true);
}

} // namespace chokepoint
