// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint graph`: the graph of stages as JSON (chokepoint.graph/1), as DOT for Graphviz, and as text.
#pragma once

#include "core/analysis/stagegraph.h"

#include <string>

namespace chokepoint {

[[nodiscard]] std::string graphJson(const StageGraph& graph);
/// Labels are escaped; nodes have names of their own, so that no text is one.
[[nodiscard]] std::string graphDot(const StageGraph& graph);
[[nodiscard]] std::string graphText(const StageGraph& graph);

} // namespace chokepoint
