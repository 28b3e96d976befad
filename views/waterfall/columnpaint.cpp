// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Pixel columns.
#include "views/waterfall/columnpaint.h"

#include <numeric>

namespace chokepoint {

ColumnCover::ColumnCover(int columns) : m_steps(std::size_t(columns) + 1, 0) { }

void ColumnCover::add(int first, int last)
{
    ++m_steps[std::size_t(first)];
    --m_steps[std::size_t(last) + 1];
}

std::vector<bool> ColumnCover::covered() const
{
    std::vector<bool> result(m_steps.size() - 1);
    int count = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        count += m_steps[i];
        result[i] = count > 0;
    }
    return result;
}

ColumnPaint::ColumnPaint(int columns) : m_stage(std::size_t(columns), StageId{}), m_next(std::size_t(columns) + 1)
{
    std::iota(m_next.begin(), m_next.end(), 0U);
}

void ColumnPaint::paint(int first, int last, StageId stage)
{
    for (std::uint32_t column = firstFree(std::uint32_t(first)); column <= std::uint32_t(last); column = firstFree(column)) {
        m_stage[column] = stage;
        m_next[column] = column + 1;
    }
}

std::uint32_t ColumnPaint::firstFree(std::uint32_t column)
{
    while (m_next[column] != column) {
        m_next[column] = m_next[m_next[column]]; // halves the chain on the way
        column = m_next[column];
    }
    return column;
}

} // namespace chokepoint
