// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Apache SkyWalking: the answer of the query for one trace.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffSkyWalking(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createSkyWalkingReader();

} // namespace chokepoint
