// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Literal search: texts of the dictionary are compared once each, attribute values as they stand in the payload.
#include "views/waterfall/spansearch.h"

#include "core/base/utf8.h"

#include <algorithm>

namespace chokepoint {

namespace {

class Needle {
public:
    Needle(std::string_view text, const Trace& trace) : m_text(foldedCase(text)), m_trace(trace), m_known(trace.dictionary().strings.size())
    {
    }

    [[nodiscard]] bool isIn(std::string_view text) const { return foldedCase(text).find(m_text) != std::string::npos; }
    [[nodiscard]] bool isIn(StringId id)
    {
        Answer& answer = m_known[toIndex(id)];
        if (answer == Answer::Unknown)
            answer = isIn(m_trace.dictionary().text(id)) ? Answer::Yes : Answer::No;
        return answer == Answer::Yes;
    }
    [[nodiscard]] bool isInValue(const PackedValue& value) const
    {
        if (value.isText() || value.tag == ValueTag::NumberText)
            return isIn(value.text);
        return isIn(toText(owned(value)));
    }
    [[nodiscard]] bool isInAttributes(std::size_t span) const
    {
        bool found = false;
        PackedCursor cursor = payloadAttributes(m_trace.packedPayload(span));
        forEachAttribute(cursor, m_trace.dictionary().strings, [&](StringId, const PackedValue& value) {
            found = isInValue(value);
            return !found;
        });
        return found;
    }

private:
    enum class Answer : std::uint8_t { Unknown, No, Yes };

    [[nodiscard]] AttributeValue owned(const PackedValue& value) const
    {
        switch (value.tag) {
        case ValueTag::False: return {false};
        case ValueTag::True: return {true};
        case ValueTag::Int: return {value.integer};
        case ValueTag::Double: return {value.real};
        case ValueTag::Bytes: return {Bytes{std::string(value.text)}};
        case ValueTag::Array:
        case ValueTag::Map: return container(value);
        default: return {};
        }
    }
    [[nodiscard]] AttributeValue container(const PackedValue& value) const
    {
        std::string packed(1, char(value.tag));
        packed += value.container;
        PackedCursor cursor(packed);
        return decodeValue(cursor, m_trace.dictionary().strings);
    }

    std::string m_text;
    const Trace& m_trace;
    std::vector<Answer> m_known; // by StringId
};

} // namespace

std::vector<std::uint32_t> matchingSpans(const Trace& trace, std::string_view needle, const JobControl& job)
{
    std::vector<std::uint32_t> found;
    if (needle.empty())
        return found;
    Needle text(needle, trace);
    const bool all = text.isIn(trace.idName());
    const SpanColumns& spans = trace.columns().spans;
    for (std::uint32_t i = 0; i < trace.size() && !job.stopRequested(); ++i) {
        const bool matches = all || text.isIn(spans.name[i]) || text.isIn(trace.dictionary().service(spans.resource[i]))
            || text.isIn(trace.spanIdName(i)) || text.isInAttributes(i);
        if (matches)
            found.push_back(i);
    }
    return found;
}

} // namespace chokepoint
