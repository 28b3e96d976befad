// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Lookups of answers in a cache, and whether they hit.
#pragma once

#include "core/analysis/checkfacts.h"
#include "core/analysis/population.h"
#include "core/analysis/stages.h"

#include <optional>

namespace chokepoint {

struct CacheLookup {
    std::uint64_t row = 0; // span of the columns
    std::optional<bool> hit; // nothing where it cannot be told
    bool isInferred = false; // no attribute tells it: a hit when no model was called after the lookup
};

/// Finds the first lookup of a trace. All must outlive it.
class CacheLookups {
public:
    CacheLookups(const TraceColumns& columns, const StageMap& stages, const Population& population, const CheckFacts& facts);

    [[nodiscard]] std::optional<CacheLookup> of(std::uint32_t trace) const;
    /// Whether any span of the population looks something up.
    [[nodiscard]] bool hasStage() const { return m_cache != StageTable::noStage; }

private:
    [[nodiscard]] bool isOf(std::uint64_t row, StageId stage) const;
    [[nodiscard]] std::optional<bool> recorded(std::uint64_t row) const;
    [[nodiscard]] bool isWrite(std::uint64_t row) const;
    [[nodiscard]] bool generatesAfter(std::uint64_t row, std::uint64_t last) const;

    const TraceColumns& m_columns;
    const StageMap& m_stages;
    const Population& m_population;
    const CheckFacts& m_facts;
    StageId m_cache;
    StageId m_generate;
};

} // namespace chokepoint
