// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// AWS X-Ray: segment documents alone, behind the daemon's headers, and as the text of documents in BatchGetTraces.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffXRay(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createXRayReader();

} // namespace chokepoint
