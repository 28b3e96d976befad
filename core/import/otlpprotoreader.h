// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// OTLP traces as protobuf, bare or in frames, and frames of OTLP JSON: streamed span by span, whatever the file's size.
#pragma once

#include "core/import/tracereader.h"

#include <memory>
#include <string_view>

namespace chokepoint {

/// For the table of readers. Yes also for the other OTLP signals, Zipkin protobuf, pprof and Perfetto: the reader refuses them
/// by name (UnsupportedFormat).
[[nodiscard]] Sniffed sniffOtlpProto(std::string_view head, bool isWhole);
/// Frames whose payloads are JSON texts.
[[nodiscard]] Sniffed sniffFramedOtlpJson(std::string_view head, bool isWhole);

/// Reads what either of the two recognises. Memory: the spans of one ResourceSpans are held, packed, until its end, where its
/// resource is known, unless it is larger than 64 MiB and begins with its resource; a single field, a compressed frame and a
/// frame of JSON are held whole, up to 1 GiB each (SIZE_LIMIT beyond). A file that ends early gives every span before the cut.
[[nodiscard]] std::unique_ptr<TraceReader> createOtlpProtoReader();

} // namespace chokepoint
