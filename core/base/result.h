// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Result<T>: a value or an Error. Every fallible function of core returns one; none throws.
#pragma once

#include "core/base/error.h"

#include <tl/expected.hpp>

#include <utility>

namespace chokepoint {

template <typename T = void> using Result = tl::expected<T, Error>;

/// The only way to make a failed Result: `return fail(ErrorCode::Malformed, "…", {.line = 3});`
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string detail, Place place = {})
{
    return tl::unexpected<Error>(Error{code, std::move(detail), std::move(place)});
}

/// Passes an error on: `if (!x) return fail(std::move(x).error());`
[[nodiscard]] inline tl::unexpected<Error> fail(Error error)
{
    return tl::unexpected<Error>(std::move(error));
}

} // namespace chokepoint
