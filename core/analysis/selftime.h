// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// selfTimes() for many traces: the same sweep with memory that is kept from trace to trace.
#pragma once

#include "core/analysis/criticalpath.h"

#include <vector>

namespace chokepoint {

/// One a thread.
class SelfTimeSweep {
public:
    /// See selfTimes(). The result is valid until the next call.
    const std::vector<Duration>& run(const TraceView& trace);

private:
    std::vector<Duration> m_self;
    std::vector<Timestamp> m_coveredUntil;
};

} // namespace chokepoint
