// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// SQL over a workspace for people: read-only, with the virtual tables span, attribute, event, link, resource, trace.
#pragma once

#include "core/base/jobcontrol.h"
#include "core/base/result.h"

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace chokepoint {

using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>; // blobs come as lower-case hex text

/// Runs one or more read-only statements; rows of the last SELECT go to \a row (return false to stop). Writing, ATTACH and
/// pragmas that change anything are refused with InvalidQuery; so is a syntax error (detail: SQLite's message and place).
[[nodiscard]] Result<void> runQuery(const std::string& workspacePath, const std::string& sql,
    const std::function<bool(const std::vector<std::string>& columns)>& header,
    const std::function<bool(const std::vector<SqlValue>& row)>& row, const JobControl& job);

} // namespace chokepoint
