// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Traces under 64 bits of a 128-bit id: older services cut it down, and Zipkin joins the two by the bits that are left.
#pragma once

#include "core/base/ids.h"
#include "core/store/sqlite.h"

#include <string>
#include <vector>

namespace chokepoint {

/// The same trace under two ids, as keys of trace_summary.
struct ShortIdPair {
    std::int64_t shortKey = 0;
    std::int64_t longKey = 0;
    TraceId longId;
};

/// Pairs of one deployment, by key: a 64-bit id that is the end of exactly one 128-bit id. None when the deployment has no input
/// from Zipkin and \a format is none of Zipkin's: other producers do not cut ids.
[[nodiscard]] Result<std::vector<ShortIdPair>> findShortIds(
    const sqlite::Connection& db, std::int64_t deployment, const std::string& format);

} // namespace chokepoint
