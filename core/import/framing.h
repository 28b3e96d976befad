// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How messages follow each other in a binary file: which of the known framings it is, and the way from frame to frame.
#pragma once

#include "core/import/otlpprotosniff.h"
#include "core/import/protowire.h"

#include <cstdint>
#include <string_view>

namespace chokepoint {

enum class Framing : std::uint8_t {
    None, // one message, or several after each other, which is the same in protobuf
    BigEndianLength, // 4 bytes, then the payload: the collector's file exporter
    VarintLength, // writeDelimitedTo
    Grpc, // 1 byte (0, or 1 for a compressed payload), 4 bytes big endian, then the payload
};

enum class PayloadKind : std::uint8_t { Unknown, Protobuf, Json };

struct FoundFraming {
    Framing framing = Framing::None;
    PayloadKind payload = PayloadKind::Unknown;
    ProtoShape shape = ProtoShape::Unknown; // of the first payload that tells one
};

/// Looks at the first bytes of a decompressed stream; \a isWhole when there are no more. PayloadKind::Unknown: no framing
/// whose payloads make sense. A payload that is one zstd frame or gzip member is looked at inside.
[[nodiscard]] FoundFraming findFraming(std::string_view head, bool isWhole);

/// Longest payload that a length is believed.
inline constexpr std::uint64_t maxFrame = std::uint64_t(1) << 30;

enum class FrameStep : std::uint8_t { Frame, End, Cut, Malformed };

/// Reads the head of the next frame of \a framing (not None) and leaves the stream at its payload. Frames of length 0 are
/// passed over. Malformed: a length beyond maxFrame.
[[nodiscard]] Result<FrameStep> nextFrame(WireStream& stream, Framing framing, std::uint64_t& length);

/// Starts with the magic of zstd or gzip.
[[nodiscard]] bool isCompressed(std::string_view payload);

} // namespace chokepoint
