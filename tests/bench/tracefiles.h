// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The workload as files of every kind that the import is measured with.
#pragma once

#include "tests/bench/workload.h"

#include "core/base/result.h"

#include <filesystem>

namespace chokepoint::bench {

struct TraceFile {
    std::filesystem::path path;
    std::uint64_t bytes = 0; // of the trace format; a compressed file's before it was compressed
    std::uint64_t spans = 0;
};

/// Spans in the order in which they end, about 200 a batch, as a collector's file exporter writes them.
struct TraceFiles {
    TraceFile json; // OTLP JSON, one TracesData a line
    TraceFile protobuf; // the same spans; each TracesData after its length, 4 bytes big-endian
    TraceFile document; // the same batches as one JSON document
};

/// Writes all three into \a directory. Fails with CannotWrite.
[[nodiscard]] Result<TraceFiles> writeTraceFiles(const std::filesystem::path& directory, std::uint64_t seed, std::uint64_t requests);

/// The same requests in other tools' JSON, trace after trace.
struct OtherFiles {
    TraceFile jaeger;
    TraceFile zipkin;
    TraceFile chrome;
};
[[nodiscard]] Result<OtherFiles> writeOtherFiles(const std::filesystem::path& directory, std::uint64_t seed, std::uint64_t requests);

/// \a file beside itself as .gz (zlib, level 6) and .zst (level 3). Fails with CannotWrite.
[[nodiscard]] Result<TraceFile> writeGzip(const TraceFile& file);
[[nodiscard]] Result<TraceFile> writeZstd(const TraceFile& file);

} // namespace chokepoint::bench
