// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Trace and span ids in every spelling that producers use.
#pragma once

#include "core/base/ids.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace chokepoint {

/// A null id is absent, empty or all zero.
template <typename Id> struct DecodedId {
    Id id;
    bool isOpaque = false; // neither hex nor base64: id is a hash of the text, which is to be kept beside it

    friend bool operator==(const DecodedId&, const DecodedId&) = default;
};

/// Text forms, in this order: white space and 0x around it are dropped; hex of any case, short ones padded on the left;
/// hex of base64-decoded hex (48 or 24 digits); base64 of the bytes; base64 of the hex text; UUID (trace ids); else opaque.
[[nodiscard]] DecodedId<TraceId> decodeTraceId(std::string_view text);
[[nodiscard]] DecodedId<SpanId> decodeSpanId(std::string_view text);

/// Bytes fields of protobuf and byte arrays: 16 (8) bytes; fewer are padded on the left; 24 (12) base64 characters and
/// 32 (16) hex digits are ids that were encoded once too often; others are opaque.
[[nodiscard]] DecodedId<TraceId> decodeTraceIdBytes(std::string_view bytes);
[[nodiscard]] DecodedId<SpanId> decodeSpanIdBytes(std::string_view bytes);

/// The bits of an id that is written as a decimal: an unsigned 64-bit number, or the negative number of the same bits.
[[nodiscard]] std::optional<std::uint64_t> idFromDecimal(std::string_view text);

} // namespace chokepoint
