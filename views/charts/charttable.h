// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The figures behind a chart, as a table that can be read, selected and copied.
#pragma once

#include <QList>
#include <QStringList>

class QWidget;

namespace chokepoint {

struct ChartTable {
    QStringList headers;
    QList<QStringList> rows; // as many cells as headers; the first column names the row
};

/// Tab-separated text with a header line.
[[nodiscard]] QString toTsv(const ChartTable& table);

/// Shows the table in a window of its own (modeless, deletes itself). Ctrl+C copies it.
void showChartTable(QWidget* parent, const QString& title, const ChartTable& table);

} // namespace chokepoint
