// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How many threads parallel loops may use.
#pragma once

#include <tbb/task_arena.h>

#include <algorithm>

namespace chokepoint {

/// Room for \a threads at a time; for as many as there are cores when it is 0, or more than that.
[[nodiscard]] inline tbb::task_arena arenaFor(unsigned threads)
{
    const int available = tbb::this_task_arena::max_concurrency(); // asking for more makes the library complain aloud
    return tbb::task_arena(threads == 0 ? available : int(std::min(threads, unsigned(available))));
}

} // namespace chokepoint
