// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The workload as files, the way a collector's file exporter writes them: spans in the order in which they end, about 200 a batch.
#pragma once

#include "tests/bench/workload.h"

#include "core/base/result.h"

#include <filesystem>

namespace chokepoint::bench {

struct TraceFile {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    std::uint64_t spans = 0;
};

struct TraceFiles {
    TraceFile json; // OTLP JSON, one TracesData a line
    TraceFile protobuf; // the same spans; each TracesData after its length, 4 bytes big-endian
};

/// Writes both files into \a directory. Fails with CannotWrite.
[[nodiscard]] Result<TraceFiles> writeTraceFiles(const std::filesystem::path& directory, std::uint64_t seed, std::uint64_t requests);

} // namespace chokepoint::bench
