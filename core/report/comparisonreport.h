// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint compare`: before against after, as JSON (chokepoint.compare/1) and as text.
#pragma once

#include "core/analysis/comparison.h"

#include <string>
#include <vector>

namespace chokepoint {

[[nodiscard]] std::string comparisonJson(
    const Comparison& comparison, const std::string& beforeLabel, const std::string& afterLabel, const std::vector<GroupRow>& groups);
[[nodiscard]] std::string comparisonText(const Comparison& comparison, const std::string& beforeLabel, const std::string& afterLabel);

} // namespace chokepoint
