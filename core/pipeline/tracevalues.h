// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the traces of a dataset say under a key, for splitting and grouping them.
#pragma once

#include "core/pipeline/dataset.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

enum class ValueScope : std::uint8_t {
    Root, // attributes of the root span, then those of its resource
    AnySpan, // attributes of the root span, then of any span in their order, then of the root's resource
};

/// By trace index, as text: the value of the first of \a keys that is found; "" where the trace has none or no root.
[[nodiscard]] Result<std::vector<std::string>> valuesByTrace(
    const Dataset& dataset, std::span<const std::string_view> keys, ValueScope scope, const JobControl& job);

/// The same from the resource of the root span alone; reads no payload.
[[nodiscard]] std::string resourceValue(const Dataset& dataset, std::size_t trace, std::span<const std::string_view> keys);

} // namespace chokepoint
