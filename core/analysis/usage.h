// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What spans tell of calls to models: which model, how many tokens of which kind, what it cost. Read once, in the pass over the payloads.
#pragma once

#include "core/analysis/money.h"
#include "core/analysis/payloadpass.h"
#include "core/analysis/stages.h"
#include "core/analysis/tokens.h"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace chokepoint {

/// Why a call ended, folded over all vendors' words; semantics 1.5.
enum class FinishReason : std::uint8_t { Unknown, Stop, Length, Tool, Filtered, Error, Malformed };

/// Who made the record of a call: the program that called, a proxy between, or the engine that answered.
enum class UsageSource : std::uint8_t { Client, Gateway, Engine };

/// Token counts of one span as its emitter wrote them, before they are made disjoint.
struct ReportedTokens {
    TokenCount input;
    TokenCount output;
    TokenCount total;
    TokenCount cacheRead;
    TokenCount cacheWrite; // without the part below
    TokenCount cacheWrite1h;
    TokenCount reasoning;
    TokenCount audioInput;
    TokenCount audioOutput;
    TokenCount imageInput;

    [[nodiscard]] bool isKnown() const { return input.isKnown() || output.isKnown() || total.isKnown(); }
};

/// How to read ReportedTokens, and how sure that is.
struct TokenReading {
    bool cacheApart = false; // input does not hold the cached tokens
    bool reasoningApart = false; // output does not hold the reasoning tokens
    bool assumed = false; // nothing tells; taken as included
    bool outvoted = false; // the span alone says otherwise than most spans of its scope and provider
};

/// What one span tells of a call to a model.
struct CallFacts {
    std::uint64_t span = 0; // index in the population
    StringId provider{}; // of UsageTable::texts, as are the next three; the empty text is unknown
    StringId requestModel{};
    StringId responseModel{};
    StringId serviceTier{};
    std::uint64_t responseId = 0; // hash of the text; 0 is unknown
    std::uint64_t requestId = 0; // the same of x-request-id
    ReportedTokens reported;
    TokenReading reading;
    std::optional<Money> cost; // as reported
    Duration firstToken = unknownDuration; // from the span's start
    std::int16_t httpStatus = 0; // 0 is unknown
    FinishReason finish = FinishReason::Unknown;
    UsageSource source = UsageSource::Client;
    bool streaming = false;
    bool aggregated = false; // its counts are declared to be sums over calls below
    bool refused = false; // it failed before a model could work: HTTP 4xx, rate limit, no connection
    bool embedding = false; // its keys are those of embedding calls

    [[nodiscard]] bool hasUsage() const { return reported.isKnown() || cost.has_value(); }
    /// The counts made disjoint.
    [[nodiscard]] TokenBuckets tokens() const;
};

/// One judgement of an answer, as found on a span; semantics 8.4.
struct Score {
    enum class Judge : std::uint8_t { Model, Code, Human };
    enum class About : std::uint8_t { Span, Trace, Session };

    std::uint64_t span = 0; // that carries it
    StringId metric{}; // of UsageTable::texts
    StringId label{};
    double value = 0;
    bool hasValue = false;
    Judge judge = Judge::Model;
    About about = About::Span;
    Timestamp time = unknownTime;
    TraceId aboutTrace; // what the carrier's only link points at; null: the carrier itself
    SpanId aboutSpan;
};

/// The facts of all spans that have any, in the order of spans. Immutable; shared between threads.
class UsageTable {
public:
    std::vector<CallFacts> calls; // by span
    std::vector<Score> scores; // by span
    std::shared_ptr<const StringPool> texts = std::make_shared<StringPool>();

    /// The facts of \a span, or nullptr.
    [[nodiscard]] const CallFacts* find(std::uint64_t span) const;
    /// The facts of spans [first, first + count): a trace, or a subtree.
    [[nodiscard]] std::span<const CallFacts> callsOf(std::uint64_t first, std::uint64_t count) const;
    [[nodiscard]] std::span<const Score> scoresOf(std::uint64_t first, std::uint64_t count) const;
    [[nodiscard]] std::string_view text(StringId id) const { return texts->text(id); }
    /// Response model, else request model; empty when unknown.
    [[nodiscard]] std::string_view model(const CallFacts& call) const;
};

/// Collects facts span after span; a reader for readPayload(). Traces must come in the order of the population. Not thread-safe.
class UsageReader {
public:
    /// Keys are those of the rules' aliases, in their order ("in_tok", "req_model", ...; resources/rules/README.md).
    UsageReader(std::shared_ptr<const StageRules> rules, std::shared_ptr<const Dictionary> dictionary);
    ~UsageReader();

    void beginSpan(const TraceView& trace, std::size_t i);
    void attribute(StringId key, const PackedValue& value);
    void event(const PackedEvent& event);
    void link(const PackedLink& link);
    void endSpan();
    /// The table of all spans read so far, the spans of one scope and provider agreed on how they count; the reader is spent.
    [[nodiscard]] UsageTable take();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace chokepoint
