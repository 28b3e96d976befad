// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A bounded hand-over of batches between the reader's thread and the store's; emptied batches go back to be filled again.
#pragma once

#include "core/model/spanbatch.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace chokepoint {

class BatchQueue {
public:
    /// Gives \a full away and leaves an empty batch, with capacity where one was returned. Blocks while the queue is full.
    /// False when the taking side has given up.
    bool put(SpanBatch& full)
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_full.size() < capacity || m_abandoned; });
        if (m_abandoned)
            return false;
        m_full.push_back(std::move(full));
        full = m_empty.empty() ? SpanBatch{} : std::move(m_empty.back());
        if (!m_empty.empty())
            m_empty.pop_back();
        full.clear();
        m_changed.notify_all();
        return true;
    }

    /// The next batch in order; nothing once the reader has closed the queue and it is empty.
    std::optional<SpanBatch> take()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return !m_full.empty() || m_closed; });
        if (m_full.empty())
            return std::nullopt;
        SpanBatch batch = std::move(m_full.front());
        m_full.pop_front();
        m_changed.notify_all();
        return batch;
    }

    void giveBack(SpanBatch&& batch)
    {
        const std::lock_guard lock(m_mutex);
        m_empty.push_back(std::move(batch));
    }

    /// The reader is done.
    void close()
    {
        const std::lock_guard lock(m_mutex);
        m_closed = true;
        m_changed.notify_all();
    }

    /// The taking side cannot go on; put() fails from now on.
    void abandon()
    {
        const std::lock_guard lock(m_mutex);
        m_abandoned = true;
        m_changed.notify_all();
    }

private:
    static constexpr std::size_t capacity = 4;

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<SpanBatch> m_full;
    std::vector<SpanBatch> m_empty;
    bool m_closed = false;
    bool m_abandoned = false;
};

} // namespace chokepoint
