// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Generations of the GenAI conventions: the first names (to 1.26), those with gen_ai.system (to 1.36), and those after.
#include "core/analysis/doubtfacts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace chokepoint {

namespace {

constexpr std::uint8_t firstNames = 1;
constexpr std::uint8_t systemNames = 2;
constexpr std::uint8_t providerNames = 4;
constexpr std::uint8_t noGeneration = 128;

struct GenerationKey {
    std::string_view key; // one that ends in a dot: every key with that beginning
    std::uint8_t generation;
};

constexpr std::array generationKeys{GenerationKey{"gen_ai.usage.prompt_tokens", firstNames},
    GenerationKey{"gen_ai.usage.completion_tokens", firstNames}, GenerationKey{"gen_ai.prompt", firstNames},
    GenerationKey{"gen_ai.prompt.", firstNames}, GenerationKey{"gen_ai.completion", firstNames},
    GenerationKey{"gen_ai.completion.", firstNames}, GenerationKey{"gen_ai.system", systemNames},
    GenerationKey{"gen_ai.openai.", systemNames}, GenerationKey{"gen_ai.provider.name", providerNames},
    GenerationKey{"gen_ai.input.messages", providerNames}, GenerationKey{"gen_ai.output.messages", providerNames},
    GenerationKey{"gen_ai.system_instructions", providerNames}};

std::uint8_t generationOf(std::string_view key)
{
    const auto fits = [key](
                          const GenerationKey& entry) { return entry.key.ends_with('.') ? key.starts_with(entry.key) : key == entry.key; };
    const auto found = std::find_if(generationKeys.begin(), generationKeys.end(), fits);
    return found == generationKeys.end() ? noGeneration : found->generation;
}

/// The newest names that a span has tell its generation; old ones beside them are written for old readers. The first names stand for
/// themselves.
std::uint8_t generationOfSpan(std::uint8_t bits)
{
    return (bits & providerNames) != 0 ? providerNames : (bits & firstNames) != 0 ? firstNames : bits & systemNames;
}

} // namespace

void DoubtFacts::append(const DoubtFacts& other, std::uint64_t first, std::uint64_t count, std::uint64_t target)
{
    const auto begin = std::lower_bound(other.mixedGenerations.begin(), other.mixedGenerations.end(), first);
    for (auto span = begin; span != other.mixedGenerations.end() && *span < first + count; ++span)
        mixedGenerations.push_back(*span - first + target);
    const auto before = [](const LinkTarget& link, std::uint64_t span) { return link.span < span; };
    for (auto link = std::lower_bound(other.links.begin(), other.links.end(), first, before);
         link != other.links.end() && link->span < first + count; ++link)
        links.push_back({link->span - first + target, link->traceId, link->spanId});
}

DoubtFactReader::DoubtFactReader(std::shared_ptr<const Dictionary> dictionary)
    : m_dictionary(std::move(dictionary)), m_generationOfKey(m_dictionary->strings.size(), 0)
{
}

void DoubtFactReader::beginSpan(const TraceView&, std::size_t i)
{
    if (i == 0)
        m_ofTrace = 0;
    m_ofSpan = 0;
}

void DoubtFactReader::attribute(StringId key, const PackedValue&)
{
    if (toIndex(key) >= m_generationOfKey.size())
        return;
    std::uint8_t& generation = m_generationOfKey[toIndex(key)];
    if (generation == 0)
        generation = generationOf(m_dictionary->text(key));
    m_ofSpan |= generation;
}

void DoubtFactReader::endSpan()
{
    const auto before = std::popcount(m_ofTrace);
    m_ofTrace |= generationOfSpan(m_ofSpan);
    if (before == 1 && std::popcount(m_ofTrace) == 2)
        m_facts.mixedGenerations.push_back(m_spans);
    ++m_spans;
}

} // namespace chokepoint
