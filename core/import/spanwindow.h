// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Spans that wait a while for their events, in formats where an event is a record of its own, before or behind its span.
#pragma once

#include "core/import/treespan.h"

#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace chokepoint {

/// Keeps the last 32,768 spans, and as many events whose span has not come. Events are put in order of time.
class SpanWindow {
public:
    /// Must outlive it.
    explicit SpanWindow(TreeSpan& span) : m_span(span) { }

    /// Takes over the span that is being built. False when the sink failed.
    [[nodiscard]] bool add();
    /// The first event of the span that is being built belongs to the span with its ids.
    void addEvent();
    /// The last call: hands on what waits. Events without a span are counted (OTHER_SIGNAL).
    [[nodiscard]] bool finish();

private:
    struct Key {
        TraceId trace;
        SpanId span;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept { return std::hash<TraceId>()(key.trace) ^ mix64(key.span.value); }
    };
    struct Event {
        Timestamp time;
        std::string name;
        std::string attributes; // packed
    };
    struct Waiting {
        SpanDraft draft;
        std::vector<Event> events;
    };

    [[nodiscard]] bool deliverOldest();
    void leaveOut(const Event& event);

    TreeSpan& m_span;
    std::deque<Waiting> m_spans;
    std::uint64_t m_delivered = 0; // number of the oldest span that waits
    std::unordered_map<Key, std::uint64_t, KeyHash> m_numbers; // of the spans that wait
    std::unordered_map<Key, std::vector<Event>, KeyHash> m_events; // whose span has not come
    std::size_t m_eventCount = 0;
};

} // namespace chokepoint
