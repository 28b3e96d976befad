// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/search.h"

#include "core/base/utf8.h"

namespace chokepoint {

namespace {

/// Matches texts; each interned text is looked at once, however many spans use it.
class TextMatcher {
public:
    TextMatcher(const std::string& text, const StringPool& strings)
        : m_wanted(foldedCase(text)), m_strings(strings), m_interned(strings.size())
    {
        for (std::size_t id = 0; id < strings.size(); ++id)
            m_interned[id] = matches(strings.text(StringId(id)));
    }

    [[nodiscard]] bool matches(std::string_view text) const { return foldedCase(text).find(m_wanted) != std::string::npos; }
    [[nodiscard]] bool matches(StringId id) const { return m_interned[toIndex(id)]; }

    /// The key of the first attribute whose value matches; "" when none does.
    [[nodiscard]] std::string matchingAttribute(std::string_view payload) const
    {
        PackedCursor cursor = payloadAttributes(payload);
        while (const std::uint64_t key = cursor.varint()) {
            const std::string_view before = cursor.rest();
            PackedCursor value(before);
            const bool interned = !before.empty() && ValueTag(before.front()) == ValueTag::InternedText;
            const bool found = interned ? internedMatches(before) : matches(toText(decodeValue(value, m_strings)));
            cursor.skipValue();
            if (!cursor.ok())
                return {};
            if (found)
                return std::string(m_strings.text(StringId(key - 1)));
        }
        return {};
    }

private:
    [[nodiscard]] bool internedMatches(std::string_view packed) const
    {
        PackedCursor cursor(packed);
        cursor.byte();
        const std::uint64_t id = cursor.varint();
        return id < m_interned.size() && m_interned[id];
    }

    std::string m_wanted;
    const StringPool& m_strings;
    std::vector<bool> m_interned; // by StringId
};

} // namespace

Result<std::vector<SearchHit>> searchSpans(const Dataset& dataset, const std::string& text, const JobControl& job)
{
    std::vector<SearchHit> hits;
    if (text.empty())
        return hits;
    const TraceColumns& columns = dataset.columns;
    const Dictionary& dictionary = *columns.dictionary;
    const TextMatcher matcher(text, dictionary.strings);
    const auto visit = [&](std::size_t index, const std::vector<std::string_view>& payloads) {
        const TraceView trace = columns.trace(index);
        const std::string traceId = columns.traceIdName(index);
        const bool traceMatches = matcher.matches(traceId);
        for (std::size_t i = 0; i < payloads.size(); ++i) {
            std::string field;
            const auto spanId = [&] {
                std::string own = decodePayload(payloads[i], trace.start[i], dictionary.strings).spanIdText;
                return own.empty() ? toHex(trace.spanId[i]) : own;
            };
            if (matcher.matches(trace.name[i]))
                field = "name";
            else if (matcher.matches(dictionary.service(trace.resource[i])))
                field = "service";
            else if (traceMatches)
                field = "trace_id";
            else if (matcher.matches(spanId()))
                field = "span_id";
            else
                field = matcher.matchingAttribute(payloads[i]);
            if (!field.empty())
                hits.push_back({traceId, spanId(), std::move(field)});
        }
        return !job.stopRequested();
    };
    if (Result<void> visited = dataset.store->forEachTracePayloads(columns, visit, job); !visited)
        return fail(std::move(visited).error());
    if (job.stopRequested())
        return fail(ErrorCode::Cancelled, "cancelled");
    return hits;
}

} // namespace chokepoint
