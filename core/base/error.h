// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How a fallible call reports why it stopped: one code for programs, one sentence for people, one place for the editor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace chokepoint {

enum class ErrorCode : std::uint8_t {
    Cancelled, // the user asked; nothing to show
    CannotOpen, // no such file, no permission, a directory where a file is needed
    CannotRead, // input/output error, damaged container
    CannotWrite, // no permission, disk full, target exists
    EmptyInput, // zero bytes, or nothing but white space
    UnrecognizedFormat, // readable, but not a trace file
    UnsupportedFormat, // recognised by name, not readable; the detail says the way out
    Malformed, // the format is known and broken so that nothing could be kept
    LimitExceeded, // a stated limit (nesting, size, ratio) was passed
    NotAWorkspace, // SQLite file of another program
    WorkspaceTooNew, // written by a later version
    WorkspaceDamaged, // SQLite or block decoding says so
    WorkspaceBusy, // locked by another process
    InvalidRules, // stage rule file
    InvalidQuery, // SQL, filter expression, gate expression
    InvalidArgument, // command line or API misuse that depends on user input
    NotFound, // no such trace, stage, attribute
    Internal // a broken promise of ours
};

/// Where an error was found. Empty fields are unknown. Lines count from 1, bytes from 0 (of the decompressed stream).
struct Place {
    std::string file;
    std::optional<std::uint64_t> line;
    std::optional<std::uint64_t> byte;
};

/// One error. \a detail is a full English sentence without a trailing full stop: what is wrong and what to do.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string detail;
    Place place;

    /// "file.json, line 3, byte 120: detail"; parts that are unknown are left out.
    [[nodiscard]] std::string message() const;
};

/// Stable upper-case name of a code, such as "EMPTY_FILE" or "UNRECOGNIZED_FORMAT"; printed by the command line.
[[nodiscard]] const char* errorCodeName(ErrorCode code);

} // namespace chokepoint
