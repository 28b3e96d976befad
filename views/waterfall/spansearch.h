// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Literal search within one trace.
#pragma once

#include "core/base/jobcontrol.h"
#include "core/model/trace.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace chokepoint {

/// Spans, ascending, that contain \a needle in their name, service name, span id or an attribute value (not key), or all of
/// them when the trace id does. Case does not matter, and no character has a special meaning. Nothing for an empty needle; a
/// stopped search returns what it has found.
[[nodiscard]] std::vector<std::uint32_t> matchingSpans(const Trace& trace, std::string_view needle, const JobControl& job);

} // namespace chokepoint
