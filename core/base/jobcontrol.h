// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Cancellation and progress travel together into every long call.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace chokepoint {

/// What a long call has done so far. \a total is 0 when unknown (standard input).
struct Progress {
    std::string step; // "Reading b-run.jsonl.gz", "Finding the critical path"
    std::uint64_t done = 0; // bytes or traces
    std::uint64_t total = 0;
    std::uint64_t spans = 0; // read so far
    std::uint64_t faults = 0;
};

/// Cheap to copy. The callback runs on the worker's thread, at most once a batch.
class JobControl {
public:
    JobControl() = default;
    explicit JobControl(std::stop_token stop, std::function<void(const Progress&)> onProgress = {})
        : m_stop(std::move(stop)), m_onProgress(std::move(onProgress))
    {
    }

    [[nodiscard]] bool stopRequested() const { return m_stop.stop_requested(); }
    [[nodiscard]] const std::stop_token& stopToken() const { return m_stop; }
    void report(const Progress& progress) const
    {
        if (m_onProgress)
            m_onProgress(progress);
    }

private:
    std::stop_token m_stop;
    std::function<void(const Progress&)> m_onProgress;
};

} // namespace chokepoint
