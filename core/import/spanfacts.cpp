// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/spanfacts.h"

#include "core/import/decodetime.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace chokepoint {

namespace {

enum class Role : std::uint8_t { Unknown, None, Async, ErrorText, HttpStatus, GrpcStatus, Streaming, OperationId, FirstToken };

struct RoleOfKey {
    std::string_view key;
    Role role;
};

constexpr std::array roles = {
    RoleOfKey{"async", Role::Async},
    RoleOfKey{"is_async", Role::Async},
    RoleOfKey{"span.async", Role::Async},
    RoleOfKey{"error.type", Role::ErrorText},
    RoleOfKey{"otel.status_description", Role::ErrorText},
    RoleOfKey{"http.response.status_code", Role::HttpStatus},
    RoleOfKey{"http.status_code", Role::HttpStatus},
    RoleOfKey{"rpc.grpc.status_code", Role::GrpcStatus},
    RoleOfKey{"rpc.response.status_code", Role::GrpcStatus},
    RoleOfKey{"grpc.status_code", Role::GrpcStatus},
    RoleOfKey{"gen_ai.request.stream", Role::Streaming},
    RoleOfKey{"gen_ai.is_streaming", Role::Streaming},
    RoleOfKey{"llm.is_streaming", Role::Streaming},
    RoleOfKey{"gen_ai.request.is_stream", Role::Streaming},
    RoleOfKey{"langsmith.request.streaming", Role::Streaming},
    RoleOfKey{"litellm.request.streaming", Role::Streaming},
    RoleOfKey{"ai.operationId", Role::OperationId},
    RoleOfKey{"operation.name", Role::OperationId},
};

enum class FirstTokenUnit : std::uint8_t { Seconds, Milliseconds, UnixTime };

struct FirstTokenKey {
    std::string_view key;
    FirstTokenUnit unit;
};

/// In the order of preference; the first that is present and lies inside the span is used.
constexpr std::array firstTokenKeys = {
    FirstTokenKey{"gen_ai.response.time_to_first_chunk", FirstTokenUnit::Seconds},
    FirstTokenKey{"gen_ai.client.operation.time_to_first_chunk", FirstTokenUnit::Seconds},
    FirstTokenKey{"gen_ai.latency.time_to_first_token", FirstTokenUnit::Seconds},
    FirstTokenKey{"gen_ai.server.time_to_first_token", FirstTokenUnit::Seconds},
    FirstTokenKey{"ai.response.msToFirstChunk", FirstTokenUnit::Milliseconds},
    FirstTokenKey{"ai.stream.msToFirstChunk", FirstTokenUnit::Milliseconds},
    FirstTokenKey{"langfuse.observation.completion_start_time", FirstTokenUnit::UnixTime},
    FirstTokenKey{"time_to_first_token_ms", FirstTokenUnit::Milliseconds},
    FirstTokenKey{"first_token_time", FirstTokenUnit::UnixTime},
};

constexpr std::array<std::string_view, 6> firstTokenEvents = {
    "first_token",
    "First Token Stream Event",
    "ai.stream.firstChunk",
    "gen_ai.content.completion.chunk",
    "llm.content.completion.chunk",
    "gen_ai.first_chunk",
};

constexpr std::array<std::string_view, 4> cancelWords = {"cancelled", "canceled", "cancellation", "aborterror"};
constexpr std::array<std::string_view, 5> timeoutWords = {"timeout", "timed out", "timedout", "deadline exceeded", "deadline_exceeded"};

/// Case-insensitive (ASCII) search for any of \a words, which are lower case.
template <std::size_t N> bool names(std::string_view text, const std::array<std::string_view, N>& words)
{
    const auto sameLetter = [](char c, char word) { return (c >= 'A' && c <= 'Z' ? char(c + 32) : c) == word; };
    return std::any_of(words.begin(), words.end(),
        [&](std::string_view word) { return std::search(text.begin(), text.end(), word.begin(), word.end(), sameLetter) != text.end(); });
}

std::optional<double> number(const PackedValue& value)
{
    if (value.tag == ValueTag::Int)
        return double(value.integer);
    if (value.tag == ValueTag::Double)
        return std::isfinite(value.real) ? std::optional(value.real) : std::nullopt;
    double parsed = 0;
    if (value.isText() && !value.text.empty()) {
        const char* end = value.text.data() + value.text.size();
        if (const auto result = std::from_chars(value.text.data(), end, parsed);
            result.ec == std::errc() && result.ptr == end && std::isfinite(parsed))
            return parsed;
    }
    return std::nullopt;
}

bool isTrue(const PackedValue& value)
{
    return value.tag == ValueTag::True || (value.isText() && (value.text == "true" || value.text == "True"));
}

Timestamp firstTokenTime(const PackedValue& value, FirstTokenUnit unit, Timestamp start)
{
    if (!isKnown(start))
        return unknownTime;
    if (unit == FirstTokenUnit::UnixTime) {
        std::string_view text = value.isText() ? value.text : std::string_view();
        if (text.size() > 2 && text.front() == '"' && text.back() == '"') // JSON text inside the text
            text = text.substr(1, text.size() - 2);
        const auto decoded = decodeTime(text, TimeUnit::Nanoseconds);
        return decoded ? decoded->time : unknownTime;
    }
    const double ns = number(value).value_or(-1) * (unit == FirstTokenUnit::Seconds ? 1e9 : 1e6);
    constexpr double longest = 9007199254740992.0; // 2^53 ns are 104 days
    if (!(ns > 0) || ns > longest || start > Timestamp::max() - Duration{std::llround(longest)})
        return unknownTime;
    return start + Duration{std::llround(ns)};
}

} // namespace

struct SpanFacts::Found {
    bool async = false;
    bool cancelled = false;
    bool timedOut = false;
    bool streaming = false;
    std::size_t firstTokenRank = firstTokenKeys.size();
    Timestamp firstToken = unknownTime;
};

std::uint8_t SpanFacts::roleOf(StringId key)
{
    if (toIndex(key) >= m_roles.size())
        m_roles.resize(std::max(m_strings.size(), toIndex(key) + 1), std::uint8_t(Role::Unknown));
    std::uint8_t& role = m_roles[toIndex(key)];
    if (role != std::uint8_t(Role::Unknown))
        return role;
    role = std::uint8_t(Role::None);
    const std::string_view text = m_strings.text(key);
    for (const RoleOfKey& entry : roles)
        if (entry.key == text)
            role = std::uint8_t(entry.role);
    for (std::size_t rank = 0; rank < firstTokenKeys.size(); ++rank)
        if (firstTokenKeys[rank].key == text)
            role = std::uint8_t(std::size_t(Role::FirstToken) + rank);
    return role;
}

void SpanFacts::readAttributes(const SpanDraft& draft, Found& found)
{
    PackedCursor cursor(draft.attributes);
    const SpanRow& row = draft.row;
    while (!cursor.atEnd()) {
        const std::uint64_t key = cursor.varint();
        if (!cursor.ok() || key == 0)
            return;
        const std::uint8_t role = roleOf(StringId(std::uint32_t(key - 1)));
        if (role == std::uint8_t(Role::None)) {
            cursor.skipValue();
            continue;
        }
        const PackedValue value = readValue(cursor, m_strings);
        switch (Role(role)) {
        case Role::Unknown:
        case Role::None: break;
        case Role::Async: found.async |= isTrue(value); break;
        case Role::ErrorText:
            found.cancelled |= names(value.text, cancelWords);
            found.timedOut |= names(value.text, timeoutWords) || value.text == "504";
            break;
        case Role::HttpStatus:
            found.cancelled |= number(value) == 499.0; // the client went away
            found.timedOut |= number(value) == 504.0;
            break;
        case Role::GrpcStatus:
            found.cancelled |= number(value) == 1.0 || names(value.text, cancelWords);
            found.timedOut |= number(value) == 4.0 || names(value.text, timeoutWords);
            break;
        case Role::Streaming: found.streaming |= isTrue(value); break;
        case Role::OperationId: found.streaming |= value.text.find("ai.stream") != std::string_view::npos; break;
        default: {
            const std::size_t rank = std::size_t(role) - std::size_t(Role::FirstToken);
            const FirstTokenUnit unit = firstTokenKeys[rank].unit;
            found.streaming = true;
            const Timestamp time = rank < found.firstTokenRank ? firstTokenTime(value, unit, row.start) : unknownTime;
            if (isKnown(time) && time > row.start && time < row.end) {
                found.firstTokenRank = rank;
                found.firstToken = time;
            }
        }
        }
    }
}

void SpanFacts::derive(SpanDraft& draft)
{
    Found found;
    readAttributes(draft, found);
    found.cancelled |= names(draft.statusMessage, cancelWords);
    found.timedOut |= names(draft.statusMessage, timeoutWords);
    Timestamp firstEvent = unknownTime;
    for (const EventDraft& event : draft.events()) {
        if (std::find(firstTokenEvents.begin(), firstTokenEvents.end(), event.name) == firstTokenEvents.end())
            continue;
        found.streaming = true;
        const bool inside = isKnown(event.time) && isKnown(draft.row.start) && event.time > draft.row.start && event.time < draft.row.end;
        if (inside && (!isKnown(firstEvent) || event.time < firstEvent))
            firstEvent = event.time;
    }
    SpanFlags& flags = draft.row.flags;
    for (const auto& [present, bit] : {std::pair{found.async, SpanFlags::Async}, std::pair{found.cancelled, SpanFlags::Cancelled},
             std::pair{found.timedOut, SpanFlags::TimedOut}, std::pair{found.streaming, SpanFlags::Streaming}})
        if (present)
            flags.set(bit);
    if (!isKnown(draft.row.firstToken))
        draft.row.firstToken = isKnown(firstEvent) ? firstEvent : found.firstToken;
}

} // namespace chokepoint
