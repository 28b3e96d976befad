// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/spanwindow.h"

#include "core/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr std::size_t waitingAtMost = 32768;

} // namespace

bool SpanWindow::add()
{
    m_span.endNested();
    const SpanDraft& draft = m_span.draft();
    const Key key{draft.traceId, draft.row.spanId};
    if (key.trace.isNull() || key.span.isNull())
        return m_span.add(); // its record gives it a trace
    Waiting waiting{draft, {}};
    if (const auto events = m_events.find(key); events != m_events.end()) {
        m_eventCount -= events->second.size();
        waiting.events = std::move(events->second);
        m_events.erase(events);
    }
    m_numbers.try_emplace(key, m_delivered + m_spans.size());
    m_spans.push_back(std::move(waiting));
    return m_spans.size() <= waitingAtMost || deliverOldest();
}

void SpanWindow::addEvent()
{
    m_span.endNested();
    const SpanDraft& draft = m_span.draft();
    const EventDraft& event = draft.events().front();
    const NestedAttributes at = event.attributes;
    Event loose{event.time, event.name, draft.nested.substr(at.begin, at.end - at.begin)};
    const Key key{draft.traceId, draft.row.spanId};
    if (const auto number = m_numbers.find(key); number != m_numbers.end()) {
        m_spans[std::size_t(number->second - m_delivered)].events.push_back(std::move(loose));
        return;
    }
    if (m_eventCount >= waitingAtMost) {
        leaveOut(loose);
        return;
    }
    ++m_eventCount;
    m_events[key].push_back(std::move(loose));
}

void SpanWindow::leaveOut(const Event& event)
{
    m_span.sink().diagnostics().report(DiagnosticCode::OtherSignal,
        [&] { return fmt::format("the event \"{}\" belongs to no span of this input; it was left out", elided(event.name, 60)); });
}

bool SpanWindow::deliverOldest()
{
    Waiting& oldest = m_spans.front();
    SpanDraft& draft = oldest.draft;
    std::stable_sort(oldest.events.begin(), oldest.events.end(),
        [](const Event& a, const Event& b) { return std::tie(a.time, a.name, a.attributes) < std::tie(b.time, b.name, b.attributes); });
    for (const Event& event : oldest.events) {
        EventDraft& added = draft.addEvent();
        added.time = event.time;
        added.name = event.name;
        added.attributes.begin = draft.nested.size();
        draft.nested += event.attributes;
        added.attributes.end = draft.nested.size();
    }
    if (const auto number = m_numbers.find({draft.traceId, draft.row.spanId}); number != m_numbers.end() && number->second == m_delivered)
        m_numbers.erase(number);
    const bool isGood = m_span.add(draft);
    m_spans.pop_front();
    ++m_delivered;
    return isGood;
}

bool SpanWindow::finish()
{
    while (!m_spans.empty())
        if (!deliverOldest())
            return false;
    for (const auto& [key, events] : m_events)
        for (const Event& event : events)
            leaveOut(event);
    m_events.clear();
    m_eventCount = 0;
    return true;
}

} // namespace chokepoint
