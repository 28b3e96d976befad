// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Doubts that need paths: how much of the time has no spans, and how much of it a stage that is only guessed.
#include "core/analysis/doubts.h"

#include "core/base/format.h"
#include "core/base/int128.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace chokepoint {

namespace {

constexpr std::size_t lookedAt = 1000; // traces
constexpr std::int64_t noteworthy = 5; // one part in so many of the time on the path
constexpr std::uint8_t certain = 70; // percent of confidence
constexpr std::size_t namesListed = 10;

/// Sums over the traces that are looked at.
class PathDoubts {
public:
    explicit PathDoubts(const CheckSide& side) : m_side(side) { }

    void add(std::size_t trace)
    {
        const TraceView view = m_side.columns.trace(trace);
        const std::uint64_t first = m_side.columns.firstSpan[trace];
        const CriticalPath path = criticalPath(view, *m_side.columns.dictionary, m_side.path);
        m_before = -1;
        forEachStagePart(path, view, m_side.stages, first, [&](StageId stage, const PathSegment& part) { addPart(stage, part, first); });
    }

    void report(Diagnostics& doubts) const
    {
        if (m_gapTime * noteworthy > m_time)
            doubts.add(DiagnosticCode::Uninstrumented, m_gaps,
                fmt::format("{} of the time on the path has no spans; the largest gap is {}, {} in {}", share(m_gapTime),
                    formatDuration(m_largest), m_largestAfter < 0 ? "at the beginning" : "after " + nameOf(std::uint64_t(m_largestAfter)),
                    placeOfSpan(m_side.columns, m_largestIn)));
        if (m_guessed * noteworthy <= m_time)
            return;
        std::vector<std::pair<Int128, std::string_view>> names;
        for (const auto& [name, time] : m_guessedByName)
            names.emplace_back(time, m_side.columns.dictionary->text(name));
        std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
        std::vector<std::string_view> listed;
        for (std::size_t n = 0; n < std::min(names.size(), namesListed); ++n)
            listed.push_back(names[n].second);
        doubts.add(DiagnosticCode::StageLowConf, names.size(),
            fmt::format("the stages of {} of the time on the path are guesses; a rules file can name them: {}", share(m_guessed),
                fmt::join(listed, ", ")));
    }

private:
    void addPart(StageId stage, const PathSegment& part, std::uint64_t first)
    {
        const Duration length = part.end - part.begin;
        const std::uint64_t span = first + part.span;
        m_time += toNs(length);
        if (stage == m_side.stages.gaps.uninstrumented) {
            ++m_gaps;
            m_gapTime += toNs(length);
            if (length > m_largest) {
                m_largest = length;
                m_largestIn = span;
                m_largestAfter = m_before;
            }
            return;
        }
        m_before = std::int64_t(span);
        const bool isOwn = stage == m_side.stages.stage[span]
            || m_side.stages.table->topLevel(stage) == m_side.stages.table->topLevel(m_side.stages.stage[span]);
        if (!isOwn || m_side.stages.ruleConfidence[m_side.stages.rule[span]] >= certain)
            return;
        m_guessed += toNs(length);
        m_guessedByName[m_side.columns.spans.name[span]] += toNs(length);
    }

    [[nodiscard]] std::string nameOf(std::uint64_t span) const
    {
        return std::string(m_side.columns.dictionary->text(m_side.columns.spans.name[span]));
    }

    [[nodiscard]] std::string share(Int128 part) const { return formatShare(double(part) / double(m_time)); }

    const CheckSide& m_side;
    Int128 m_time = 0; // ns, as are the other sums: a few traces that begin in 1970 are too much for 64 bits
    Int128 m_gapTime = 0;
    std::uint64_t m_gaps = 0;
    Duration m_largest{};
    std::uint64_t m_largestIn = 0;
    std::int64_t m_largestAfter = -1;
    std::int64_t m_before = -1; // the span on the path before, -1: none
    Int128 m_guessed = 0;
    std::map<StringId, Int128> m_guessedByName;
};

} // namespace

void findDoubtsOnPath(const CheckSide& side, Diagnostics& doubts)
{
    const std::vector<std::uint32_t>& included = side.population.included;
    if (included.empty() || side.stages.ruleConfidence.empty())
        return;
    PathDoubts found(side);
    const std::size_t step = (included.size() + lookedAt - 1) / lookedAt;
    for (std::size_t i = 0; i < included.size(); i += step)
        found.add(included[i]);
    found.report(doubts);
}

} // namespace chokepoint
