// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/spandraft.h"

namespace chokepoint {

void SpanDraft::clear()
{
    traceId = {};
    row = {};
    timeUnit = TimeUnit::Nanoseconds;
    w3cFlags = droppedAttributes = droppedEvents = droppedLinks = 0;
    for (std::string* text : {&traceIdText, &spanIdText, &parentIdText, &traceState, &statusMessage, &attributes, &nested})
        text->clear();
    clearEvents();
    clearLinks();
}

EventDraft& SpanDraft::addEvent()
{
    if (m_eventCount == m_events.size())
        m_events.emplace_back();
    EventDraft& event = m_events[m_eventCount++];
    event.time = unknownTime;
    event.name.clear();
    event.droppedAttributes = 0;
    event.attributes = {};
    return event;
}

LinkDraft& SpanDraft::addLink()
{
    if (m_linkCount == m_links.size())
        m_links.emplace_back();
    LinkDraft& link = m_links[m_linkCount++];
    link.traceId = {};
    link.spanId = {};
    link.flags = link.droppedAttributes = 0;
    for (std::string* text : {&link.traceState, &link.traceIdText, &link.spanIdText})
        text->clear();
    link.attributes = {};
    return link;
}

} // namespace chokepoint
