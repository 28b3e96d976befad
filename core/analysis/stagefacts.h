// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Answers the probes of the stage rules for one span after another; each distinct text is matched once.
#pragma once

#include "core/analysis/payloadpass.h"
#include "core/analysis/rulebook.h"

#include <array>
#include <unordered_map>

namespace chokepoint {

/// Latencies that a span tells of itself, as written; NaN is absent.
enum class Latency : std::uint8_t { Preprocess, Queue, TimeToFirstToken, Total, Prefill, Decode, Count_ };
inline constexpr std::size_t latencyCount = std::size_t(Latency::Count_);

/// Points in time that Triton records as events.
enum class EngineEvent : std::uint8_t { QueueStart, ComputeStart, ComputeInputEnd, Count_ };
/// Offsets from the span's start; unknownDuration where not told.
using EngineEvents = std::array<Duration, std::size_t(EngineEvent::Count_)>;
inline constexpr EngineEvents noEngineEvents{unknownDuration, unknownDuration, unknownDuration};

struct LatencyReading {
    double value = 0;
    StringId key{};
    bool isNs = false; // the text named its unit ("35.2ms"): nanoseconds already
};
using LatencyReadings = std::array<std::optional<LatencyReading>, latencyCount>;

/// Reads what rules ask of a span; a reader for readPayload(). Not thread-safe. The rules and the dictionary outlive it.
class StageFacts {
public:
    StageFacts(const StageRules& rules, const Dictionary& dictionary);

    void beginSpan(const TraceView& trace, std::size_t i);
    void attribute(StringId key, const PackedValue& value);
    void event(const PackedEvent& event);
    void endSpan();
    /// Of the span read last: bit p belongs to probe p.
    [[nodiscard]] const std::vector<std::uint64_t>& answers() const { return m_answers; }
    /// Of the span read last, in the order of Latency.
    [[nodiscard]] const LatencyReadings& latencies() const { return m_latencies; }
    [[nodiscard]] const EngineEvents& engineEvents() const { return m_engineEvents; }

private:
    using ProbeList = std::vector<std::uint16_t>;
    /// What rules want of one attribute key.
    struct KeyUse {
        ProbeList present;
        ProbeList valued;
        std::shared_ptr<const re2::RE2> anyPattern; // fits when one of the valued patterns does
        bool isEntityName = false;
        bool isTransport = false; // http., rpc., messaging.: the span's name is no step name
        std::optional<Latency> latency;
        std::uint8_t latencyRank = 0; // among the aliases: the first that a span has counts
        std::unordered_map<const char*, ProbeList> known; // by interned text: it stays where it is
    };
    struct NameAnswers {
        ProbeList name;
        ProbeList step;
    };

    void set(std::uint16_t probe) { m_answers[probe / 64] |= std::uint64_t(1) << (probe % 64); }
    void setAll(const ProbeList& probes);
    KeyUse* useOf(StringId key);
    [[nodiscard]] KeyUse describeKey(std::string_view key) const;
    void readValue(KeyUse& use, const PackedValue& value);
    void readText(KeyUse& use, std::string_view text, bool interned);
    void readLatency(const KeyUse& use, StringId key, const PackedValue& value);
    void readShape(const TraceView& trace, std::size_t i);
    [[nodiscard]] ProbeList matching(Probe::Subject subject, std::string_view text) const;
    [[nodiscard]] ProbeList matchingSteps(std::string_view name) const;
    const NameAnswers& answersForName(StringId name);

    const StageRules& m_rules;
    const Dictionary& m_dictionary;
    std::array<ProbeList, 9> m_bySubject;
    std::vector<std::uint64_t> m_answers;
    LatencyReadings m_latencies;
    std::array<std::uint8_t, latencyCount> m_latencyRanks{};
    EngineEvents m_engineEvents = noEngineEvents;
    std::vector<std::int32_t> m_keySlot; // by StringId: -2 not looked at, -1 of no use, else index into m_keys
    std::vector<KeyUse> m_keys;
    std::vector<std::int32_t> m_nameSlot; // by StringId, into m_names
    std::vector<NameAnswers> m_names;
    std::vector<std::optional<ProbeList>> m_scopes; // by ScopeId
    std::vector<std::optional<ProbeList>> m_services; // by ResourceId
    struct EventUse {
        ProbeList fitting;
        std::optional<EngineEvent> engine;
    };
    std::unordered_map<const char*, EventUse> m_events; // by interned text
    std::unordered_map<std::string, ProbeList> m_entities;
    std::string m_entity; // entity name of the span being read
    bool m_hasEntity = false;
    bool m_isTransport = false;
    bool m_startIsKnown = false;
    StringId m_name{}; // of the span being read, as are the next two
    ScopeId m_scope{};
    ResourceId m_resource{};
    std::string m_scratch;
};

/// "RetrieverQueryEngine", "get_query_embedding" -> "Retriever Query Engine", "get query embedding", or with another \a separator.
[[nodiscard]] std::string splitWords(std::string_view name, char separator = ' ');

/// "1.204s", "35.2ms", "812.5us" and the like in nanoseconds; nothing for other texts.
[[nodiscard]] std::optional<double> parseUnitDuration(std::string_view text);

} // namespace chokepoint
