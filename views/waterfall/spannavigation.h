// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where the keys lead from a span: along the path, to errors, siblings and the slowest. Pure; all but the slowest wrap around.
#pragma once

#include "views/waterfall/spanrows.h"
#include "views/waterfall/tracescene.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace chokepoint {

enum class Step : std::int8_t { Previous = -1, Next = 1 };

/// Element of the ascending \a spans next to \a from (which need not be in it); without \a from the first or last.
[[nodiscard]] std::optional<std::uint32_t> steppedIn(std::span<const std::uint32_t> spans, std::optional<std::uint32_t> from, Step step);

/// Part of the path, an index of scene.pathByTime, next to \a part that belongs to another span. A span that was selected by
/// other means is taken at its first part, or where the path is when it starts.
[[nodiscard]] std::optional<std::size_t> steppedOnPath(
    const TraceScene& scene, std::optional<std::uint32_t> from, std::optional<std::size_t> part, Step step);

/// The next child of the same parent (roots are siblings too); nullopt at the end.
[[nodiscard]] std::optional<std::uint32_t> sibling(const TraceView& trace, std::uint32_t span, Step step);

/// The span with the most self time among rows [firstRow, lastRow); nullopt when none has a known one.
[[nodiscard]] std::optional<std::uint32_t> mostSelfTime(
    const TraceScene& scene, const SpanRows& rows, std::size_t firstRow, std::size_t lastRow);

} // namespace chokepoint
