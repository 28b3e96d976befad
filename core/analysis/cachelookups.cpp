// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/cachelookups.h"

namespace chokepoint {

CacheLookups::CacheLookups(const TraceColumns& columns, const StageMap& stages, const Population& population, const CheckFacts& facts)
    : m_columns(columns), m_stages(stages), m_population(population), m_facts(facts), m_cache(stages.table->find("cache")),
      m_generate(stages.table->find("generate"))
{
}

std::optional<CacheLookup> CacheLookups::of(std::uint32_t trace) const
{
    if (!hasStage())
        return std::nullopt;
    const std::uint64_t first = m_columns.firstSpan[trace];
    const std::uint64_t last = m_columns.firstSpan[trace + 1];
    std::uint64_t row = first;
    while (row < last && (!isOf(row, m_cache) || isWrite(row)))
        ++row;
    if (row == last)
        return std::nullopt;
    CacheLookup lookup{row, recorded(row), false};
    const std::int32_t root = m_population.traces[trace].root;
    lookup.isInferred = !lookup.hit && root >= 0 && !m_columns.spans.flags[first + std::uint64_t(root)].isError();
    if (lookup.isInferred)
        lookup.hit = !generatesAfter(row, last);
    return lookup;
}

/// The span itself, whatever it is charged to.
bool CacheLookups::isOf(std::uint64_t row, StageId stage) const
{
    const StageId own = m_stages.ownStage(row);
    return stage != StageTable::noStage && own != StageTable::noStage && m_stages.table->topLevel(own) == stage;
}

std::optional<bool> CacheLookups::recorded(std::uint64_t row) const
{
    for (const CheckNumber& number : m_facts.numbersOf(row, m_columns.subtreeSize[row]))
        if (number.field == CheckField::CacheHit)
            return number.value > 0;
    return std::nullopt;
}

bool CacheLookups::isWrite(std::uint64_t row) const
{
    if (m_facts.number(row, CheckField::CacheWrite))
        return true;
    const std::string_view name = m_columns.dictionary->text(m_columns.spans.name[row]);
    const auto has = [name](std::string_view word) { return name.find(word) != std::string_view::npos; };
    return has("store") || has("write") || has("update") || has(".set") || has(".put") || name == "SET";
}

bool CacheLookups::generatesAfter(std::uint64_t row, std::uint64_t last) const
{
    const Timestamp end = m_columns.spans.end[row];
    for (std::uint64_t other = row + m_columns.subtreeSize[row]; other < last; ++other)
        if (isOf(other, m_generate) && m_columns.spans.start[other] >= end - std::chrono::milliseconds(1))
            return true;
    return false;
}

} // namespace chokepoint
