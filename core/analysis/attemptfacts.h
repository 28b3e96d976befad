// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the search for retries needs of a span's payload: read once, in the pass over all payloads; spans without any of it take
// no memory.
#pragma once

#include "core/analysis/usage.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace chokepoint {

/// Why an attempt did not end the work.
enum class RetryCause : std::uint8_t {
    None, // it gave the answer, or no failure is to be seen
    RateLimit, // "429": HTTP 429, RESOURCE_EXHAUSTED, throttling
    Timeout, // "timeout": 408, DEADLINE_EXCEEDED, its own deadline
    ServerError, // "5xx"
    Connection, // "connection"
    Conflict, // "409": 409, 425, ABORTED: may succeed when repeated
    Validation, // "validation": output rejected by schema, parser or guardrail, or cut off
    Quality, // "quality": judged too poor, no documents
    Cancelled, // "cancelled"
    Client, // "4xx": answers that repeating does not change
    Auth, // "auth": 401
    Redirect, // "redirect": 3xx
    Error, // "error": failed without a class
    Count_
};
[[nodiscard]] const char* retryCauseName(RetryCause cause); // "" for None

/// What a check says of what it checked.
enum class CheckVerdict : std::uint8_t { Unknown, Passed, Failed };

/// Facts of one span. 0 is absent for hashes and numbers.
struct AttemptFact {
    enum Flag : std::uint16_t {
        HasTokens = 1U << 0, // reports token usage
        GenericNumber = 1U << 1, // the number comes from a key of the user's own
        NeedsVariety = 1U << 2, // ... that counts only where siblings differ in it
        ReAskNumber = 1U << 3, // a number that counts re-asks
        TransparentRetry = 1U << 4,
        RetriedState = 1U << 5, // ended in a state "to be retried"
        RetriesExhausted = 1U << 6,
        LinksBack = 1U << 7, // has a link to the attempt before it, see AttemptFacts::links
        RetryPrompt = 1U << 8, // its messages end in a correction or an error report
        ToolResult = 1U << 9, // its messages end in a tool's result
        NoResults = 1U << 10, // a search that found nothing
        Http = 1U << 11, // has HTTP or RPC attributes
    };
    std::uint64_t operation = 0; // method and path template, database operation, RPC method, tool: what is called
    std::uint64_t input = 0; // what it is called with
    std::uint64_t identity = 0; // activity, message or call id that all attempts share
    std::uint64_t response = 0; // id of the answer: equal means the same call seen twice
    std::uint32_t endpoint = 0; // server, provider
    std::uint32_t model = 0;
    std::uint32_t firstMessage = 0; // in AttemptFacts::messages
    std::uint32_t firstWord = 0; // in AttemptFacts::words
    std::int32_t outputTokens = -1; // -1: unknown
    std::uint16_t messageCount = 0;
    std::int16_t httpStatus = 0;
    std::uint16_t flags = 0;
    std::uint8_t wordCount = 0;
    std::uint8_t number = 0; // of the attempt, 1-based
    std::uint8_t totalRetries = 0; // attempts after the first that this one span covers
    RetryCause cause = RetryCause::None; // class of its failure, told or not by the status
    FinishReason finish = FinishReason::Unknown;
    CheckVerdict verdict = CheckVerdict::Unknown;

    [[nodiscard]] bool has(Flag flag) const { return (flags & flag) != 0; }
};

/// What joins requests that a client sent again; of root spans.
struct RequestKeys {
    std::uint32_t span = 0; // of the columns
    std::uint64_t request = 0; // x-request-id and the like
    std::uint64_t session = 0; // session, conversation or user
};

/// Times within a span at which it says that it tries again.
struct RetryMark {
    std::uint32_t span = 0; // of the columns
    Timestamp time = unknownTime;
};

/// Facts of a population. Immutable once taken.
struct AttemptFacts {
    std::vector<std::uint32_t> span; // of the columns, ascending; parallel to fact
    std::vector<AttemptFact> fact;
    std::vector<std::uint64_t> messages; // hash of each message list up to and including a message
    std::vector<std::uint32_t> words; // sorted word hashes of a query, at most 16 of them
    std::vector<std::pair<std::uint32_t, SpanId>> links; // span of the columns and the attempt it says it follows; by span
    std::vector<RequestKeys> requests; // by span
    std::vector<RetryMark> marks; // by span, then as recorded

    /// Appends those of spans [first, first + count) of \a other as those of spans from \a target on, which come after all so far.
    void append(const AttemptFacts& other, std::uint64_t first, std::uint64_t count, std::uint64_t target);
    /// Rows whose spans are in [first, first + count).
    [[nodiscard]] std::pair<std::size_t, std::size_t> rows(std::uint64_t first, std::uint64_t count) const;
};

/// Collects facts span after span; a reader for readPayload(). Traces must come in the order of the population. Not thread-safe.
class AttemptFactReader {
public:
    explicit AttemptFactReader(std::shared_ptr<const Dictionary> dictionary);
    ~AttemptFactReader();

    void beginSpan(const TraceView& trace, std::size_t i);
    void attribute(StringId key, const PackedValue& value);
    void event(const PackedEvent& event);
    /// Links and status message, which readPayload() does not hand to this reader; \a payload is that of the span begun last.
    void remainder(std::string_view payload);
    void endSpan();
    /// The facts of all spans read so far; the reader is spent.
    [[nodiscard]] AttemptFacts take();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace chokepoint
