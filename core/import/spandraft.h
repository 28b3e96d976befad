// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One span while it is being read: its fields may arrive in any order, and every buffer is reused for the next span.
#pragma once

#include "core/import/decodetime.h"
#include "core/model/spancolumns.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace chokepoint {

/// A stretch of SpanDraft::nested that holds packed attributes, without their terminator.
struct NestedAttributes {
    std::size_t begin = 0;
    std::size_t end = 0;
};

struct EventDraft {
    Timestamp time = unknownTime;
    std::string name;
    std::uint32_t droppedAttributes = 0;
    NestedAttributes attributes;
};

struct LinkDraft {
    TraceId traceId;
    SpanId spanId;
    std::uint32_t flags = 0;
    std::uint32_t droppedAttributes = 0;
    std::string traceState;
    std::string traceIdText; // the source's text when it was no plain hex id; else empty
    std::string spanIdText;
    NestedAttributes attributes;
};

class SpanDraft {
public:
    TraceId traceId;
    SpanRow row; // kind, status and Follows belong to the reader; SpanSink adds the derived flags and firstToken
    TimeUnit timeUnit = TimeUnit::Nanoseconds; // the longest that a start or end is in; dates count as seconds
    std::uint32_t w3cFlags = 0;
    std::uint32_t droppedAttributes = 0;
    std::uint32_t droppedEvents = 0;
    std::uint32_t droppedLinks = 0;
    std::string traceIdText; // the source's text when it was no plain hex id; else empty
    std::string spanIdText;
    std::string parentIdText;
    std::string traceState;
    std::string statusMessage;
    std::string attributes; // packed (key, value)*, written with PackedWriter, without the terminator
    std::string nested; // the same of all events and links, cut by their NestedAttributes

    /// Ready for the next span; keeps every capacity.
    void clear();

    /// An empty event (link) at the end of the list; the reference is good until the next one is added.
    EventDraft& addEvent();
    LinkDraft& addLink();
    void clearEvents() { m_eventCount = 0; }
    void clearLinks() { m_linkCount = 0; }
    [[nodiscard]] std::span<const EventDraft> events() const { return {m_events.data(), m_eventCount}; }
    [[nodiscard]] std::span<const LinkDraft> links() const { return {m_links.data(), m_linkCount}; }

private:
    std::vector<EventDraft> m_events; // the first m_eventCount are in use, the others keep their buffers
    std::vector<LinkDraft> m_links;
    std::size_t m_eventCount = 0;
    std::size_t m_linkCount = 0;
};

} // namespace chokepoint
