// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where in its input a record stands, for the texts of diagnostics.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace chokepoint {

struct RecordPlace {
    std::uint64_t line = 1; // from 1
    std::uint64_t byte = 0; // of the decompressed text

    friend bool operator==(const RecordPlace&, const RecordPlace&) = default;
    [[nodiscard]] std::string text() const { return fmt::format("line {} (byte {})", line, byte); }
};

} // namespace chokepoint
