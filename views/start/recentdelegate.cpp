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

namespace chokepoint {

namespace {

constexpr int margin = 10;
constexpr int glyphWidth = 18;

} // namespace

QSize RecentDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const
{
    return {200, option.fontMetrics.height() * 3 + 2 * margin + 4};
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
    const QRect sentence(names.left(), line.bottom() + 4, line.width() - glyphWidth, option.fontMetrics.height() * 2);
    painter->drawText(sentence, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, index.data(RecentModel::SentenceRole).toString());
    painter->restore();
}

} // namespace chokepoint
