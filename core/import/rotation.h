// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The collector's rotated files: which belong together, in what order, and records that the rotation cut in two.
#pragma once

#include <string>

namespace chokepoint {

/// Where the exporter's time stamp stands in a rotated file's name: "traces-2026-11-30T06-58-44.123.jsonl".
struct Rotation {
    std::string family; // the path without the stamp
    std::string stamp; // empty for the file that is still written, which comes last
};

[[nodiscard]] Rotation rotationOf(const std::string& path);

/// The first bytes of \a next that are the end of the last record of \a segment, its line end included: both are plain JSON
/// lines of one family, \a segment ends inside a line, and \a next does not begin with a record. Empty when they do not fit,
/// cannot be read, or when that line is longer than 64 MiB.
[[nodiscard]] std::string cutRecordEnd(const std::string& segment, const std::string& next);

} // namespace chokepoint
