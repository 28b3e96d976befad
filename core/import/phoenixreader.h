// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What Arize Phoenix exports as JSON: spans of its interface and its client, traces of its command line, and data frames in every
// orientation of pandas.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffPhoenix(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createPhoenixReader();

} // namespace chokepoint
