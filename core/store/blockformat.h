// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the encoder and the decoder of blocks agree on; block.h describes the format.
#pragma once

#include "core/base/time.h"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace chokepoint::blockformat {

static_assert(std::endian::native == std::endian::little, "columns are copied as little-endian integers");

inline constexpr std::uint8_t chunkVersion = 1;
inline constexpr std::uint8_t segmentVersion = 2;
inline constexpr std::size_t checksumSize = 4;

inline constexpr std::uint32_t startUnknown = 1U << 20;
inline constexpr std::uint32_t endUnknown = 1U << 21;
inline constexpr std::uint32_t firstTokenKnown = 1U << 22;
inline constexpr std::uint32_t storedFlags = 0xfffffU;
inline constexpr std::uint64_t signBit = std::uint64_t(1) << 63;

/// Times are written as differences to this.
[[nodiscard]] inline std::uint64_t startOrZero(Timestamp start)
{
    return isKnown(start) ? std::uint64_t(toNs(start)) : 0;
}

} // namespace chokepoint::blockformat
