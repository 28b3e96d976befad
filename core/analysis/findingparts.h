// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about one deployment that a comparison tells of AFTER as well.
#pragma once

#include "core/analysis/findings.h"

namespace chokepoint {

void addNotEnough(const FindingsSide& side, std::vector<Finding>& findings); // not-enough-data, traces-left-out
void addFailures(const FindingsSide& side, std::vector<Finding>& findings);
void addRetries(const FindingsSide& side, std::vector<Finding>& findings);
void addCascades(const FindingsSide& side, std::vector<Finding>& findings);
void addUninstrumented(const FindingsSide& side, std::vector<Finding>& findings); // and unmapped-time
/// check-ID for each that is suspect, unless a finding of that id says it already.
void addChecks(const std::vector<Check>& checks, const TraceColumns& columns, std::vector<Finding>& findings);
void addMoney(const FindingsSide& side, std::vector<Finding>& findings);
void addTryNext(const FindingsSide& side, std::vector<Finding>& findings);

} // namespace chokepoint
