// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What Langfuse exports as JSON: downloads of the interface, answers of the API, table and blob storage exports.
#pragma once

#include "core/import/tracereader.h"

namespace chokepoint {

[[nodiscard]] Sniffed sniffLangfuse(std::string_view head, bool isWhole);
[[nodiscard]] std::unique_ptr<TraceReader> createLangfuseReader();

} // namespace chokepoint
