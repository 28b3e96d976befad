// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rates and what is left, from what was done so far.
#include "views/format/progresstext.h"

#include "views/format/text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr qint64 rateFrom = 200; // ms; before, a rate is noise
constexpr qint64 restFrom = 1000; // ms

QString text(const char* english, const char* meaning = nullptr)
{
    return QCoreApplication::translate("Progress", english, meaning);
}

/// An estimate has no decimals.
QString restText(std::uint64_t seconds)
{
    return seconds < 60 ? text("%1 s", "seconds").arg(seconds) : durationText(std::chrono::seconds(seconds));
}

} // namespace

QString problemsText(std::uint64_t count)
{
    return count == 1 ? text("1 problem") : text("%1 problems").arg(countText(count));
}

QString progressText(const Progress& progress, qint64 elapsed)
{
    QStringList parts;
    if (progress.total > 0)
        parts.append(text("%1 %", "percent done").arg(std::min<std::uint64_t>(100, progress.done * 100 / progress.total)));
    if (progress.spans > 0)
        parts.append(text("%1 spans").arg(countText(progress.spans)));
    if (progress.spans > 0 && elapsed >= rateFrom)
        parts.append(text("%1 spans/s").arg(countText(progress.spans * 1000 / std::uint64_t(elapsed))));
    if (progress.total > progress.done && progress.done > 0 && elapsed >= restFrom)
        parts.append(text("%1 left").arg(restText(std::uint64_t(elapsed) * (progress.total - progress.done) / progress.done / 1000 + 1)));
    if (progress.faults > 0)
        parts.append(problemsText(progress.faults));
    return parts.join(QStringLiteral(", "));
}

} // namespace chokepoint
