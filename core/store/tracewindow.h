// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Groups arriving spans by trace inside a bounded window, so that most traces are written in one piece.
#pragma once

#include "core/model/spanbatch.h"
#include "core/store/store.h"

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace chokepoint {

/// The spans of one trace that wait in the window, in arrival order.
struct OpenTrace {
    TraceId id;
    std::vector<SpanRow> rows;
    std::vector<std::uint32_t> payloadSizes;
    std::string payloads;
    std::uint64_t lastSeen = 0; // number of spans that had arrived before its newest one

private:
    friend class TraceWindow;
    OpenTrace* m_older = nullptr; // in order of lastSeen
    OpenTrace* m_newer = nullptr;
    [[nodiscard]] std::size_t bytes() const { return rows.size() * (sizeof(SpanRow) + sizeof(std::uint32_t)) + payloads.size(); }
};

class TraceWindow {
public:
    explicit TraceWindow(const WriteWindow& limits) : m_limits(limits) { }

    void add(const SpanBatch& batch);
    /// The trace to write next: one that is long already, though more of it may come; once the window is full, those that were not
    /// seen in its newest quarter, oldest first, and more until it fits; nullptr when there is none.
    [[nodiscard]] OpenTrace* due();
    /// The oldest trace, for the end of the input; nullptr when the window is empty.
    [[nodiscard]] OpenTrace* oldest() const { return m_oldest; }
    /// Forgets a trace that was written; its memory is used again.
    void release(OpenTrace* trace);

private:
    OpenTrace& opened(TraceId id);
    void touch(OpenTrace& trace);
    void unlink(OpenTrace& trace);

    WriteWindow m_limits;
    std::deque<OpenTrace> m_pool;
    std::vector<OpenTrace*> m_free;
    std::unordered_map<TraceId, OpenTrace*> m_byId;
    OpenTrace* m_oldest = nullptr;
    OpenTrace* m_newest = nullptr;
    std::vector<OpenTrace*> m_long;
    std::size_t m_spans = 0;
    std::size_t m_bytes = 0;
    std::uint64_t m_arrived = 0;
    std::uint64_t m_drainBefore = 0;
};

} // namespace chokepoint
