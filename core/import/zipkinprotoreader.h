// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Zipkin's protobuf: a ListOfSpans, or several in a row, which is the same.
#pragma once

#include "core/import/tracereader.h"

#include <memory>
#include <string_view>

namespace chokepoint {

/// Yes when the first bytes are spans of a ListOfSpans. To be asked before OTLP's protobuf, whose sniff takes all shapes to say
/// what they are.
[[nodiscard]] Sniffed sniffZipkinProto(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createZipkinProtoReader();

} // namespace chokepoint
