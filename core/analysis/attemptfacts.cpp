// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The reader of attempt facts, and operations on whole sets of them.
#include "core/analysis/attemptfacts.h"

#include "core/analysis/attemptcollector.h"
#include "core/analysis/attemptwords.h"

#include <algorithm>

namespace chokepoint {

struct AttemptFactReader::Impl : attempts::FactCollector {
    using FactCollector::FactCollector;
};

AttemptFactReader::AttemptFactReader(std::shared_ptr<const Dictionary> dictionary) : m_impl(std::make_unique<Impl>(std::move(dictionary)))
{
}

AttemptFactReader::~AttemptFactReader() = default;

void AttemptFactReader::beginSpan(const TraceView& trace, std::size_t i)
{
    m_impl->begin(trace, i);
}

void AttemptFactReader::attribute(StringId key, const PackedValue& value)
{
    if (const AttemptKeyUse& use = m_impl->useOf(key); use.key != AttemptKey::None)
        m_impl->take(use, value);
}

void AttemptFactReader::event(const PackedEvent& event)
{
    if (!event.name.isText())
        return;
    const std::string_view name = event.name.text;
    if (name == "exception" || name.ends_with(".exception"))
        m_impl->takeException(event);
    else if (isOneOf(name,
                 {"retry", "retry.scheduled", "retry.attempt", "gen_ai.retry", "gen_ai.retry.scheduled", "gen_ai.retry.attempt",
                     "attempt failed, scheduling next attempt"}))
        m_impl->takeRetryEvent(event);
}

void AttemptFactReader::remainder(std::string_view payload)
{
    m_impl->readRemainder(payload);
}

void AttemptFactReader::endSpan()
{
    m_impl->finish();
}

AttemptFacts AttemptFactReader::take()
{
    return std::move(m_impl->facts);
}

void AttemptFacts::append(const AttemptFacts& other, std::uint64_t first, std::uint64_t count, std::uint64_t target)
{
    const auto moved = [&](std::uint32_t each) { return std::uint32_t(each - first + target); };
    const auto [begin, end] = other.rows(first, count);
    for (std::size_t row = begin; row < end; ++row) {
        AttemptFact copy = other.fact[row];
        const auto message = other.messages.begin() + copy.firstMessage;
        const auto word = other.words.begin() + copy.firstWord;
        copy.firstMessage = std::uint32_t(messages.size());
        copy.firstWord = std::uint32_t(words.size());
        messages.insert(messages.end(), message, message + copy.messageCount);
        words.insert(words.end(), word, word + copy.wordCount);
        span.push_back(moved(other.span[row]));
        fact.push_back(copy);
    }
    const auto within = [&](std::uint32_t each) { return each >= first && each < first + count; };
    const auto spanOf = [](const auto& row) { return row.span; };
    for (auto link =
             std::lower_bound(other.links.begin(), other.links.end(), first, [](const auto&a, std::uint64_t s) { return a.first < s; });
         link != other.links.end() && within(link->first); ++link)
        links.emplace_back(moved(link->first), link->second);
    for (auto row = std::lower_bound(
             other.requests.begin(), other.requests.end(), first, [&](const auto&a, std::uint64_t s) { return spanOf(a) < s; });
         row != other.requests.end() && within(row->span); ++row)
        requests.push_back({moved(row->span), row->request, row->session});
    for (auto mark =
             std::lower_bound(other.marks.begin(), other.marks.end(), first, [&](const auto&a, std::uint64_t s) { return spanOf(a) < s; });
         mark != other.marks.end() && within(mark->span); ++mark)
        marks.push_back({moved(mark->span), mark->time});
}

std::pair<std::size_t, std::size_t> AttemptFacts::rows(std::uint64_t first, std::uint64_t count) const
{
    const auto begin = std::lower_bound(span.begin(), span.end(), first);
    const auto end = std::lower_bound(begin, span.end(), first + count);
    return {std::size_t(begin - span.begin()), std::size_t(end - span.begin())};
}

} // namespace chokepoint
