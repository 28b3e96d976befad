// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One input in, batches of spans out: detects the format by content, opens containers, and never sees the store.
#pragma once

#include "core/base/diagnostics.h"
#include "core/base/jobcontrol.h"
#include "core/base/result.h"
#include "core/import/filepart.h"
#include "core/model/spanbatch.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace chokepoint {

/// What reading one input came to.
struct InputReport {
    std::string path; // as the user gave it; "-" for standard input
    std::string format; // "otlp-json", "otlp-proto", "jaeger-json", ... (cli-contract)
    std::string compression = "none"; // "gzip", "zstd", "none", ...
    std::uint64_t bytes = 0; // of the file as it lies on disk, up to where it was read
    std::uint64_t spans = 0; // delivered, duplicates included
    std::uint64_t contentHash = 0; // of these bytes; 0 unless FilePart::keepsHash
    RecordPlace from; // where reading began
    std::optional<RecordPlace> resume; // behind the last complete record; absent where reading must begin at the front
    Diagnostics diagnostics;
};

/// Takes a full batch; may move from it. An error stops the reading and is returned by readInput.
using DeliverBatch = std::function<Result<void>(SpanBatch&)>;

/// Reads one file, or standard input for "-". Grows \a dictionary, calls \a deliver for every batch in order, on this
/// thread. Fails with EmptyInput, CannotOpen, CannotRead, UnrecognizedFormat, UnsupportedFormat (detail names the format
/// and the way out), Malformed (nothing could be kept), LimitExceeded, Cancelled, or what \a deliver returned. A damaged
/// part costs that part: it is counted in diagnostics (rejected()) and the rest is delivered. A recognised container without
/// spans succeeds with NO_SPANS.
[[nodiscard]] Result<InputReport> readInput(
    const std::string& path, Dictionary& dictionary, const DeliverBatch& deliver, const JobControl& job);

/// The same for a part of a file.
[[nodiscard]] Result<InputReport> readInput(
    const std::string& path, const FilePart& part, Dictionary& dictionary, const DeliverBatch& deliver, const JobControl& job);

/// The same for bytes in memory (tests, fuzzers, clipboard); \a name stands for the path.
[[nodiscard]] Result<InputReport> readInputBytes(
    const std::string& name, std::string_view bytes, Dictionary& dictionary, const DeliverBatch& deliver, const JobControl& job);

/// The files that an argument stands for: itself, or for a directory all regular files below it whose content looks like a
/// trace file, in name order with rotated segments in time order. \a passed takes why each of the others is none, in the order of
/// their names; hidden files and directories are left out without a word. Fails with CannotOpen, or UnrecognizedFormat for a
/// directory without any trace file.
[[nodiscard]] Result<std::vector<std::string>> expandInput(const std::string& path, std::vector<Error>* passed = nullptr);

} // namespace chokepoint
