// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One OTLP TracesData message of workload spans, as JSON and as protobuf.
#pragma once

#include "tests/bench/workload.h"

#include <span>
#include <string>

namespace chokepoint::bench {

/// One line of JSON without the newline.
[[nodiscard]] std::string otlpJson(std::span<const RequestSpan> spans);
/// The message without framing.
[[nodiscard]] std::string otlpProtobuf(std::span<const RequestSpan> spans);

} // namespace chokepoint::bench
