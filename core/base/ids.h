// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Strong identifiers: OpenTelemetry's trace and span ids, and 4-byte indices that cannot be confused with each other.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace chokepoint {

/// 128-bit trace id, big-endian halves: hex text is hi then lo. Zero is "no id". Ids that were not hex in the source are
/// a hash of the text (see opaqueTraceId) and the text is kept beside them.
struct TraceId {
    std::uint64_t hi = 0;
    std::uint64_t lo = 0;

    [[nodiscard]] constexpr bool isNull() const { return hi == 0 && lo == 0; }
    friend constexpr auto operator<=>(const TraceId&, const TraceId&) = default;
};

/// 64-bit span id. Zero is "no id" (a root's parent).
struct SpanId {
    std::uint64_t value = 0;

    [[nodiscard]] constexpr bool isNull() const { return value == 0; }
    friend constexpr auto operator<=>(const SpanId&, const SpanId&) = default;
};

[[nodiscard]] std::string toHex(TraceId id); // 32 lower-case digits
[[nodiscard]] std::string toHex(SpanId id); // 16 lower-case digits

/// Parses up to 32 (16) hex digits of any case, padded on the left with zeros; nothing else is accepted.
[[nodiscard]] std::optional<TraceId> traceIdFromHex(std::string_view text);
[[nodiscard]] std::optional<SpanId> spanIdFromHex(std::string_view text);

/// Ids for source texts that are no hex or base64 id: a stable hash of the text, never null. Span ids of up to 8 bytes keep the
/// order of their texts.
[[nodiscard]] TraceId opaqueTraceId(std::string_view text);
[[nodiscard]] SpanId opaqueSpanId(std::string_view text);

/// Stable 64-bit hash (same value on every machine and run), for content hashes and opaque ids. Not cryptographic.
[[nodiscard]] std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

enum class StringId : std::uint32_t {}; // of Dictionary; StringId{0} is the empty text
enum class ResourceId : std::uint32_t {}; // of Dictionary; ResourceId{0} has no attributes
enum class ScopeId : std::uint32_t {}; // of Dictionary; ScopeId{0} has no name
enum class StageId : std::uint16_t {}; // of StageTable

/// Index of a strong id into its table.
template <typename Id> [[nodiscard]] constexpr std::size_t toIndex(Id id)
{
    return static_cast<std::size_t>(id);
}

} // namespace chokepoint

template <> struct std::hash<chokepoint::TraceId> {
    std::size_t operator()(const chokepoint::TraceId& id) const noexcept { return chokepoint::mix64(id.hi ^ chokepoint::mix64(id.lo)); }
};
template <> struct std::hash<chokepoint::SpanId> {
    std::size_t operator()(const chokepoint::SpanId& id) const noexcept { return chokepoint::mix64(id.value); }
};
