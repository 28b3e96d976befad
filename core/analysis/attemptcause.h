// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Classes of failures: which status or message means what, and whether repeating can help.
#pragma once

#include "core/analysis/attemptfacts.h"

#include <memory>
#include <string_view>

namespace chokepoint {

/// None for 1xx, 2xx and numbers that are no HTTP status.
[[nodiscard]] RetryCause causeOfHttpStatus(std::int64_t status);
/// None for 0 and unknown codes.
[[nodiscard]] RetryCause causeOfGrpcStatus(std::int64_t code);
/// From the name ("UNAVAILABLE"); None for OK and other texts.
[[nodiscard]] RetryCause causeOfGrpcStatus(std::string_view name);

/// The class can be cured by trying the same again.
[[nodiscard]] constexpr bool isRepeatable(RetryCause cause)
{
    return cause != RetryCause::None && cause != RetryCause::Client && cause != RetryCause::Auth && cause != RetryCause::Redirect
        && cause != RetryCause::Cancelled;
}

/// Classes of error types ("RateLimitError") and messages ("429 Rate limit reached").
class CauseTexts {
public:
    CauseTexts();
    ~CauseTexts();
    [[nodiscard]] RetryCause ofType(std::string_view type) const; // None for an empty or unknown one
    [[nodiscard]] RetryCause ofMessage(std::string_view message) const;

private:
    struct Patterns;
    std::unique_ptr<Patterns> m_patterns;
};

} // namespace chokepoint
