// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Judgements of answers, read from attributes and events of spans.
#pragma once

#include "core/analysis/usage.h"
#include "core/analysis/usagekeys.h"

#include <vector>

namespace chokepoint {

/// What readers of usage know of the span at hand.
struct SpanIdentity {
    std::uint64_t span = 0; // index in the population
    StringId name{};
    ScopeId scope{};
    SpanFlags flags;
    Timestamp start = unknownTime;
    Timestamp firstToken = unknownTime;
};

/// Collects Scores. \a dictionary and \a texts outlive it.
class ScoreReader {
public:
    ScoreReader(const Dictionary& dictionary, StringPool& texts);

    void attribute(const UsageKey& key, const PackedValue& value);
    void event(const PackedEvent& event, const SpanIdentity& span);
    void link(const PackedLink& link);
    void endSpan(const SpanIdentity& span);
    [[nodiscard]] std::vector<Score> take() { return std::move(m_scores); }

private:
    struct Part {
        std::uint64_t place = 0; // judgements of one span apart: what it is about, then its number
        Score score;
    };
    Score& partAt(std::uint64_t place);
    void set(Score& score, ScorePart part, const PackedValue& value);
    void add(Score score, const SpanIdentity& span);

    const Dictionary& m_dictionary;
    StringPool& m_texts;
    std::vector<Part> m_parts; // of the span at hand
    bool m_isJudge = false;
    PackedValue m_output;
    PackedLink m_link;
    std::uint32_t m_links = 0;
    std::vector<Score> m_scores;
};

} // namespace chokepoint
