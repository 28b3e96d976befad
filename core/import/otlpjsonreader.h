// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// OTLP JSON in every framing: lines, one document of any size, documents one after another, lists, wrappers, text between.
#pragma once

#include "core/import/tracereader.h"

#include <memory>
#include <string_view>

namespace chokepoint {

/// Also yes for files of OTLP metrics or logs: whether traces follow shows at the end.
[[nodiscard]] Sniffed sniffOtlpJson(std::string_view head, bool isWhole);

/// A record is one value at the top of the file. A record that is malformed or cut costs itself; when it is the first, what is
/// complete inside it is kept. Memory: one record, or of records above 8 MiB one element of them.
[[nodiscard]] std::unique_ptr<TraceReader> createOtlpJsonReader();

} // namespace chokepoint
