// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What every report shares: where text goes, and how an input is named in it.
#pragma once

#include "core/base/diagnostics.h"
#include "core/base/format.h"

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>

namespace chokepoint {

/// Takes the next piece of a report, in order. Core itself prints nothing.
using ReportOutput = std::function<void(std::string_view)>;

/// One input as reports list it. spans: distinct spans that it added.
struct ReportedInput {
    std::string path;
    std::string format;
    std::string compression;
    std::uint64_t bytes = 0;
    std::uint64_t spans = 0;
    Diagnostics diagnostics;
};

/// Above the lines of what makes figures less certain.
inline constexpr const char* doubtsTitle = "How far these figures can be trusted";

/// "12 x LOW_N: ...", nothing escaped.
[[nodiscard]] inline std::string diagnosticText(const DiagnosticEntry& entry)
{
    return fmt::format("{} x {}: {}", formatCount(entry.count), diagnosticName(entry.code), entry.first);
}

} // namespace chokepoint
