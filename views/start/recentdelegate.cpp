// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// RecentDelegate: text only, in the widget's fonts.
#include "views/start/recentdelegate.h"

#include "views/start/recentmodel.h"

#include <QApplication>
#include <QDateTime>
#include <QLocale>
#include <QPainter>
#include <QStyle>
#include <QTextLayout>

namespace chokepoint {

namespace {

constexpr int margin = 10;
constexpr int glyphWidth = 18;
constexpr int sentenceLines = 4;

/// Wraps \a text into \a rect and ends the last line that fits with an ellipsis when there is more.
void drawLines(QPainter& painter, const QRect& rect, const QString& text)
{
    QTextLayout layout(text, painter.font());
    layout.beginLayout();
    const double height = painter.fontMetrics().height();
    for (double y = 0; y + height <= rect.height() + 0.5; y += height) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(rect.width());
        const QString rest = text.mid(line.textStart());
        const bool last = y + 2 * height > rect.height() + 0.5;
        const QString shown = last ? painter.fontMetrics().elidedText(rest, Qt::ElideRight, rect.width()) : rest.left(line.textLength());
        painter.drawText(QPointF(rect.left(), rect.top() + y + painter.fontMetrics().ascent()), shown);
    }
    layout.endLayout();
}

} // namespace

QSize RecentDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const
{
    return {200, option.fontMetrics.height() * (1 + sentenceLines) + 2 * margin + 4};
}

void RecentDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyleOptionViewItem frame(option);
    initStyleOption(&frame, index);
    frame.text.clear();
    const QStyle* style = frame.widget ? frame.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &frame, painter, frame.widget);

    const bool selected = option.state & QStyle::State_Selected;
    const ChartPalette& colours = chartPalette(option.palette);
    const QColor text = selected ? option.palette.color(QPalette::HighlightedText) : colours.text();
    const QColor muted = selected ? text : colours.mutedText();
    const auto tone = Direction(index.data(RecentModel::ToneRole).toInt());
    const bool missing = index.data(RecentModel::MissingRole).toBool();

    painter->save();
    QRect line = option.rect.adjusted(margin, margin, -margin, -margin);
    line.setHeight(option.fontMetrics.height());
    painter->setPen(selected ? text : colours.direction(tone));
    painter->drawText(QRect(line.left(), line.top(), glyphWidth, line.height()), Qt::AlignLeft | Qt::AlignVCenter,
        QString::fromUtf8(directionGlyph(tone)));

    const QString when = missing ? RecentModel::tr("files missing")
                                 : QLocale().toString(index.data(RecentModel::WhenRole).toDateTime().toLocalTime(), QLocale::ShortFormat);
    const int whenWidth = option.fontMetrics.horizontalAdvance(when);
    painter->setPen(muted);
    painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter, when);

    QFont bold = option.font;
    bold.setBold(true);
    painter->setFont(bold);
    painter->setPen(missing ? muted : text);
    const QRect names = line.adjusted(glyphWidth, 0, -whenWidth - 8, 0);
    painter->drawText(names, Qt::AlignLeft | Qt::AlignVCenter,
        painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, names.width()));

    painter->setFont(option.font);
    painter->setPen(muted);
    const QRect sentence(names.left(), line.bottom() + 4, line.width() - glyphWidth, option.fontMetrics.height() * sentenceLines);
    drawLines(*painter, sentence, index.data(RecentModel::SentenceRole).toString());
    painter->restore();
}

} // namespace chokepoint
