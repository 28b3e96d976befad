// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The one interface between "which format is this" and "read it", and the table of all formats.
#pragma once

#include "core/base/result.h"

#include <memory>
#include <span>
#include <string_view>

namespace chokepoint {

class ByteSource;
class SpanSink;

/// Reads one format. One object reads one stream.
class TraceReader {
public:
    virtual ~TraceReader() = default;

    /// Reads \a bytes to the end. Faults of the data are counted in the sink's diagnostics; fails with Cancelled, CannotRead,
    /// LimitExceeded, Malformed (nothing could be kept), UnrecognizedFormat, UnsupportedFormat, or what the sink returned.
    virtual Result<void> read(ByteSource& bytes, SpanSink& sink) = 0;
};

/// What sniffing a head of bytes came to.
enum class Sniffed { No, Yes };

/// One row of the table. \a sniff sees the first bytes of the decompressed stream (at most 256 KiB, and all of it when
/// \a isWhole); rows are asked in order and the first Yes reads.
struct ReaderEntry {
    const char* format; // as in InputReport::format
    Sniffed (*sniff)(std::string_view head, bool isWhole);
    std::unique_ptr<TraceReader> (*create)();
};

/// All formats, binary ones first: they must see the bytes before white space is skipped.
[[nodiscard]] std::span<const ReaderEntry> readerTable();

} // namespace chokepoint
