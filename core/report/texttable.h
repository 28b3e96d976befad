// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tables for terminals, aligned, and for Markdown. Cells are escaped, so that text from traces drives neither.
#pragma once

#include <string>
#include <vector>

namespace chokepoint {

class TextTable {
public:
    enum class Align { Left, Right };

    struct Column {
        std::string title;
        Align align = Align::Left;
        std::size_t maxWidth = 48; // longer cells are shortened with an ellipsis
    };

    explicit TextTable(std::vector<Column> columns) : m_columns(std::move(columns)) { }

    void addRow(std::vector<std::string> cells) { m_rows.push_back(std::move(cells)); }
    [[nodiscard]] bool empty() const { return m_rows.empty(); }
    /// Title line, then a line a row; two spaces between columns; every line ends with a line feed.
    [[nodiscard]] std::string text() const;
    /// The same as a Markdown table; cells are escaped and never shortened.
    [[nodiscard]] std::string markdown() const;

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

/// Columns that a text takes in a terminal, counting code points (wide East Asian characters count as two).
[[nodiscard]] std::size_t displayWidth(std::string_view text);

} // namespace chokepoint
