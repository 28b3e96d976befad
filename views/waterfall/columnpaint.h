// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Two ways to see many overlapping runs through pixel columns in near-linear time: what is on top, and what is covered at all.
#pragma once

#include "core/base/ids.h"

#include <cstdint>
#include <vector>

namespace chokepoint {

/// Which columns are covered by at least one run. O(runs + columns).
class ColumnCover {
public:
    explicit ColumnCover(int columns);

    /// Columns first to last, both included.
    void add(int first, int last);
    [[nodiscard]] std::vector<bool> covered() const;

private:
    std::vector<int> m_steps;
};

/// Paints each column once: the first run to come keeps it. Painted columns are jumped over.
class ColumnPaint {
public:
    explicit ColumnPaint(int columns);

    /// Columns first to last, both included.
    void paint(int first, int last, StageId stage);
    [[nodiscard]] bool isPainted(std::size_t column) const { return m_next[column] != column; }
    [[nodiscard]] StageId stage(std::size_t column) const { return m_stage[column]; }

private:
    std::uint32_t firstFree(std::uint32_t column);

    std::vector<StageId> m_stage;
    std::vector<std::uint32_t> m_next; // union-find; the last entry is a wall
};

} // namespace chokepoint
