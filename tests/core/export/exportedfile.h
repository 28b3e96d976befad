// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What an export of one trace writes.
#pragma once

#include "core/export/exporter.h"

#include <QByteArray>
#include <QFile>
#include <QTemporaryDir>

#include <utility>

namespace chokepoint::testkit {

inline QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline QByteArray exported(const Trace& trace, ExportOptions options)
{
    const QTemporaryDir dir;
    const QString path = dir.filePath("out");
    auto exporter = Exporter::begin(path.toStdString(), std::move(options));
    if (!exporter || !exporter->append(trace) || !exporter->finish())
        return "failed";
    return contentOf(path);
}

} // namespace chokepoint::testkit
