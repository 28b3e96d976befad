// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Traces as indented text, each line with the stage and rule that its span must get.
#pragma once

#include "core/analysis/stages.h"
#include "core/model/traceassembler.h"

#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// One trace a text, a span a line, two spaces of indentation a level:
///
///     POST /query | SERVER -> ingress T8-30
///       chat gpt | CLIENT | gen_ai.operation.name=chat -> generate T2-10
///
/// Fields: a kind (INTERNAL if left out), "@scope", "%service", "!event" or "!event@ms" (after the start), "500ms" (duration; else 1000 ms
/// less 1 ms a span before it), "key=text", "key:=number". What follows "->" is expected: stage and rule, or the stage alone; lines without
/// it are not checked.
struct StageCase {
    TraceColumns columns;
    std::vector<std::string> payloads; // by span of the columns, over all traces
    std::vector<std::string> expected; // by span; "" is not checked
};

[[nodiscard]] StageCase stageCase(const std::vector<std::string>& traces);

/// Classifies all traces of \a given with the built-in rules and \a userRules.
[[nodiscard]] StageMap classified(const StageCase& given, std::string_view userRules = {});

/// "generate T2-10" of span \a i.
[[nodiscard]] std::string stageAndRule(const StageMap& map, std::size_t i);

/// The spans that got something else than expected, a line each; "" when all are right.
[[nodiscard]] std::string mismatches(const StageCase& given, const StageMap& map);

} // namespace chokepoint
