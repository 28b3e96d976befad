// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint checks`: the known traps, as JSON (chokepoint.checks/1) and as text.
#pragma once

#include "core/analysis/checks.h"

#include <string>
#include <vector>

namespace chokepoint {

struct ReportedChecks {
    const std::vector<Check>& checks;
    const TraceColumns& columns; // of AFTER: the traces that checks name
    std::string after;
    std::string before; // "" when there is none
};

[[nodiscard]] std::string checksJson(const ReportedChecks& report);
[[nodiscard]] std::string checksText(const ReportedChecks& report);

} // namespace chokepoint
