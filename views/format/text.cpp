// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Thin wrappers over core/base/format.h and core/base/starttext.h.
#include "views/format/text.h"

#include "core/analysis/statistics.h"
#include "core/base/format.h"
#include "core/base/starttext.h"

#include <QCoreApplication>

#include <cmath>

namespace chokepoint {

namespace {

Duration toDuration(double ns)
{
    return Duration{std::llround(ns)};
}

} // namespace

QString toText(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), qsizetype(utf8.size()));
}
QString durationText(Duration duration)
{
    return toText(formatDuration(duration));
}
QString deltaText(Duration delta)
{
    return toText(formatDelta(delta));
}
QString shareText(double share)
{
    return toText(formatShare(share));
}

QString changeText(std::optional<double> change)
{
    return change ? toText(formatChange(*change)) : QCoreApplication::translate("Format", "unknown");
}

QString countText(std::uint64_t count)
{
    return toText(formatCount(count));
}
QString startText(Timestamp start, Timestamp begin, int decimals)
{
    return toText(formatStart(start, begin, decimals));
}
QString bytesText(std::uint64_t bytes)
{
    return toText(formatBytes(bytes));
}

QString plainToolTip(const QString& text)
{
    // Escaped, then marked as rich text so that the escapes are read as such.
    return QStringLiteral("<qt>%1</qt>").arg(text.toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>")));
}

QString tsvText(QString text)
{
    text.replace(QLatin1Char('\t'), QLatin1Char(' '))
        .replace(QLatin1Char('\n'), QLatin1Char(' '))
        .replace(QLatin1Char('\r'), QLatin1Char(' '));
    static const QString formulaStarts = QStringLiteral("=+-@");
    return !text.isEmpty() && formulaStarts.contains(text.front()) ? QLatin1Char('\'') + text : text;
}

QString deltaIntervalText(const Interval& interval)
{
    return QCoreApplication::translate("Format", "%1 to %2").arg(deltaText(toDuration(interval.low)), deltaText(toDuration(interval.high)));
}

QString durationIntervalText(const Interval& interval)
{
    return QCoreApplication::translate("Format", "%1 to %2")
        .arg(durationText(toDuration(interval.low)), durationText(toDuration(interval.high)));
}

} // namespace chokepoint
