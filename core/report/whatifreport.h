// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint whatif`: what a change would do, as JSON (chokepoint.whatif/1) and as text.
#pragma once

#include "core/analysis/whatif.h"

#include <string>
#include <vector>

namespace chokepoint {

/// What a stage would have to do for a target to be met.
struct NeededFactor {
    std::string stage;
    std::optional<double> factor; // none: not even without any time
};

struct ReportedWhatIf {
    const WhatIfResult& result;
    std::vector<std::string> settings; // as written
    std::string target; // "p95 <= 900ms"; empty when none was asked for
    std::vector<NeededFactor> needed = {};
};

[[nodiscard]] std::string whatIfJson(const ReportedWhatIf& report);
[[nodiscard]] std::string whatIfText(const ReportedWhatIf& report);

} // namespace chokepoint
