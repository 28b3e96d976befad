// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens and the parser of filter expressions: operator precedence with a stack, no recursion.
#pragma once

#include "core/analysis/tracefilter.h"

namespace chokepoint {

struct ParsedFilter {
    std::vector<TraceFilter::Step> program; // postfix
    std::vector<std::string> clauses;
};

[[nodiscard]] Result<ParsedFilter> parseFilter(std::string_view text);

} // namespace chokepoint
