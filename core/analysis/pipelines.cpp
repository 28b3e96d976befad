// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/pipelines.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Ignores case; "etl" must be a word of its own.
bool isNamedIngest(std::string_view name)
{
    const auto same = [](char c, char word) { return (c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c) == word; };
    for (const std::string_view word : {"ingest", "indexing", "indexer", "crawl", "etl"}) {
        const auto found = std::search(name.begin(), name.end(), word.begin(), word.end(), same);
        if (found == name.end())
            continue;
        const auto end = found + std::ptrdiff_t(word.size());
        const bool isWord = (found == name.begin() || !isLetter(found[-1])) && (end == name.end() || !isLetter(*end));
        if (word != "etl" || isWord)
            return true;
    }
    return false;
}

} // namespace

PipelineKinds::PipelineKinds(const Dictionary& dictionary, const StageMap& stages)
    : m_dictionary(dictionary), m_stages(stages), m_ingest(stages.table->find("ingest")), m_load(stages.table->find("generate.load")),
      m_generate(stages.table->find("generate")), m_embed(stages.table->find("embed"))
{
}

PipelineKind PipelineKinds::kindOf(const TraceView& trace, std::uint64_t firstSpan, std::int32_t root) const
{
    bool writes = false;
    bool loads = false;
    bool answers = false;
    bool embeds = false;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const StageId stage = m_stages.stage[firstSpan + i];
        const StageId top = m_stages.table->topLevel(stage);
        loads |= stage == m_load;
        writes |= top == m_ingest;
        answers |= top == m_generate && stage != m_load;
        embeds |= top == m_embed;
    }
    if (answers)
        return PipelineKind::Request;
    if (loads)
        return PipelineKind::Startup;
    const bool isNamed = root >= 0
        && (isNamedIngest(m_dictionary.text(trace.name[std::size_t(root)]))
            || isNamedIngest(m_dictionary.text(m_dictionary.service(trace.resource[std::size_t(root)]))));
    return writes || (isNamed && embeds) ? PipelineKind::Ingest : PipelineKind::Request;
}

} // namespace chokepoint
