// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The order in which a request passes the stages, for charts that read from left to right.
#pragma once

#include <string_view>

namespace chokepoint {

/// Place of a top-level stage in a pipeline, from 0; stages of the user's own rules come last.
[[nodiscard]] int pipelinePlace(std::string_view stage);
/// By place, then by name.
[[nodiscard]] bool pipelineLess(std::string_view a, std::string_view b);

} // namespace chokepoint
