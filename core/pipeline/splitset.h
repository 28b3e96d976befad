// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One dataset as two: traces split by the value of an attribute, such as service.version.
#pragma once

#include "core/pipeline/dataset.h"

namespace chokepoint {

struct SplitSides {
    std::shared_ptr<const Dataset> before;
    std::shared_ptr<const Dataset> after;
};

/// Splits \a whole by \a attribute, read from the primary root span, else from its resource. Empty values: the two that occur,
/// the one seen first in time being before. Traces with another value, or without one, belong to neither side. Fails with
/// InvalidArgument when that does not give two sides (detail lists the values found), or with what the store returned.
[[nodiscard]] Result<SplitSides> splitByAttribute(const std::shared_ptr<const Dataset>& whole, const std::string& attribute,
    std::string before, std::string after, const JobControl& job);

} // namespace chokepoint
