// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Files and folders that a drag carries.
#pragma once

#include <QMimeData>
#include <QStringList>
#include <QUrl>

namespace chokepoint {

/// Local paths only; empty when the drag carries none.
[[nodiscard]] inline QStringList droppedPaths(const QMimeData& mime)
{
    QStringList paths;
    for (const QUrl& url : mime.urls())
        if (url.isLocalFile())
            paths.append(url.toLocalFile());
    return paths;
}

} // namespace chokepoint
