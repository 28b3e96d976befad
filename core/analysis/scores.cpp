// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/scores.h"

#include "core/analysis/usagevalues.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

/// Members of an event that carries a judgement: the conventions' event, and the one that the Langfuse reader makes of its scores.
struct ScoreEvent {
    std::string_view name;
    std::array<std::pair<std::string_view, ScorePart>, 4> parts;
};
constexpr std::array events{ScoreEvent{"gen_ai.evaluation.result",
                                {{{"gen_ai.evaluation.name", ScorePart::Metric}, {"gen_ai.evaluation.score.value", ScorePart::Value},
                                    {"gen_ai.evaluation.score.label", ScorePart::Label}, {"", ScorePart::None}}}},
    ScoreEvent{"langfuse.score",
        {{{"name", ScorePart::Metric}, {"value", ScorePart::Value}, {"string_value", ScorePart::Label}, {"source", ScorePart::Judge}}}}};

bool isJudgeWord(std::string_view text)
{
    const std::string_view word = unquoted(text);
    return word == "EVALUATOR" || word == "evaluator";
}

Score::Judge judgeOf(std::string_view word)
{
    if (word == "HUMAN" || word == "ANNOTATION")
        return Score::Judge::Human;
    return word == "CODE" || word == "API" ? Score::Judge::Code : Score::Judge::Model;
}

} // namespace

ScoreReader::ScoreReader(const Dictionary& dictionary, StringPool& texts) : m_dictionary(dictionary), m_texts(texts) { }

Score& ScoreReader::partAt(std::uint64_t place)
{
    const auto found = std::find_if(m_parts.begin(), m_parts.end(), [place](const Part& part) { return part.place == place; });
    if (found != m_parts.end())
        return found->score;
    m_parts.push_back({place, {}});
    m_parts.back().score.about = Score::About(place >> 32);
    return m_parts.back().score;
}

void ScoreReader::set(Score& score, ScorePart part, const PackedValue& value)
{
    const std::string_view text = value.isText() ? unquoted(value.text) : std::string_view();
    switch (part) {
    case ScorePart::Metric: score.metric = m_texts.intern(text); break;
    case ScorePart::Label: score.label = m_texts.intern(text); break;
    case ScorePart::Judge: score.judge = judgeOf(text); break;
    case ScorePart::Value:
        if (const std::optional<double> number = numberOf(value)) {
            score.value = *number;
            score.hasValue = true;
        } else {
            score.label = m_texts.intern(text);
        }
        break;
    case ScorePart::None: break;
    }
}

void ScoreReader::attribute(const UsageKey& key, const PackedValue& value)
{
    if (key.score != ScorePart::None)
        set(partAt(std::uint64_t(key.about) << 32 | key.index), key.score, value);
    m_isJudge |= key.isJudgeKind && value.isText() && isJudgeWord(value.text);
    if (key.isOutput)
        m_output = value;
}

void ScoreReader::event(const PackedEvent& event, const SpanIdentity& span)
{
    const auto known = std::find_if(events.begin(), events.end(), [&](const ScoreEvent& entry) { return entry.name == event.name.text; });
    if (known == events.end())
        return;
    Score score;
    PackedCursor cursor(event.attributes);
    forEachAttribute(cursor, m_dictionary.strings, [&](StringId id, const PackedValue& value) {
        for (const auto& [key, part] : known->parts) {
            if (!key.empty() && m_dictionary.text(id) == key)
                set(score, part, value);
        }
        return true;
    });
    score.time = isKnown(span.start) ? span.start + event.offset : unknownTime;
    add(score, span);
}

void ScoreReader::add(Score score, const SpanIdentity& span)
{
    if (!score.hasValue && score.label == StringId{})
        return;
    score.span = span.span;
    if (!isKnown(score.time))
        score.time = span.start;
    if (score.metric == StringId{}) // a judge's span is named after what it judges
        score.metric = m_texts.intern(m_dictionary.text(span.name));
    m_scores.push_back(score);
}

void ScoreReader::link(const PackedLink& link)
{
    m_link = link;
    ++m_links;
}

void ScoreReader::endSpan(const SpanIdentity& span)
{
    for (Part& part : m_parts) {
        if (m_links == 1) { // feedback that came later: a span of its own, linked to what it judges
            part.score.aboutTrace = m_link.traceId;
            part.score.aboutSpan = m_link.spanId;
        }
        add(part.score, span);
    }
    if (m_isJudge && m_parts.empty()) {
        const StructuredValue output(m_output, m_dictionary.strings);
        Score score;
        if (const auto value = output.first({"score", "value"}))
            set(score, ScorePart::Value, *value);
        if (const auto label = output.first({"label", "verdict"}))
            set(score, ScorePart::Label, *label);
        add(score, span);
    }
    m_parts.clear();
    m_isJudge = false;
    m_output = {};
    m_links = 0;
}

} // namespace chokepoint
