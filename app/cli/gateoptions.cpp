// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/gateoptions.h"

#include "app/cli/commands.h"

#include <algorithm>

namespace chokepoint::cli {

Result<std::vector<Gate>> parseGates(const std::vector<std::string>& expressions)
{
    std::vector<Gate> gates;
    for (const std::string& expression : expressions) {
        Result<Gate> gate = parseGate(expression);
        if (!gate)
            return fail(std::move(gate).error());
        gates.push_back(std::move(*gate));
    }
    return gates;
}

/// A failed gate counts before an inconclusive one.
int statusOfGates(const std::vector<GateResult>& gates)
{
    const auto has = [&gates](GateStatus status) {
        return std::any_of(gates.begin(), gates.end(), [status](const GateResult& gate) { return gate.status == status; });
    };
    return has(GateStatus::Fail) ? GateFailed : has(GateStatus::Inconclusive) ? Inconclusive : Done;
}

} // namespace chokepoint::cli
