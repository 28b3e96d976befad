// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Zipkin's JSON: lists of spans, lists of traces, single spans, lines; version 2 and version 1.
#pragma once

#include "core/import/tracereader.h"

#include <memory>
#include <string_view>

namespace chokepoint {

/// Yes when spans with Zipkin's members stand among the first bytes.
[[nodiscard]] Sniffed sniffZipkinJson(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createZipkinJsonReader();

} // namespace chokepoint
