// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Google Cloud Trace: traces of version 1 and spans of version 2.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffGcloudTrace(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createGcloudTraceReader();

} // namespace chokepoint
