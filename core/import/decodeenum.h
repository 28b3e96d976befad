// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Span kinds and status codes by number or by name.
#pragma once

#include "core/model/spancolumns.h"

#include <optional>
#include <string_view>

namespace chokepoint {

/// OTLP's numbers as text, or a name of any case, with or without "SPAN_KIND_" or "SpanKind." before it.
[[nodiscard]] std::optional<SpanKind> decodeSpanKind(std::string_view text);
/// The same for "STATUS_CODE_" and "StatusCode.".
[[nodiscard]] std::optional<SpanStatus> decodeSpanStatus(std::string_view text);

} // namespace chokepoint
