// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What no importer can be faster than: reading the bytes, and touching every value once without keeping any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace chokepoint::bench {

/// Reads the file into one reused buffer; the sum of a byte a page, so that nothing is optimised away.
[[nodiscard]] std::uint64_t readFloor(const std::filesystem::path& path);
/// Reads every key and every value of a JSON-lines file with simdjson on-demand.
[[nodiscard]] std::uint64_t simdjsonFloor(const std::filesystem::path& path);
/// Walks every field of a file of length-framed OTLP protobuf with protozero.
[[nodiscard]] std::uint64_t protozeroFloor(const std::filesystem::path& path);

} // namespace chokepoint::bench
