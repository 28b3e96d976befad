// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What spans show of mixed instrumentations and of links that lead elsewhere: read once, in the pass over all payloads.
#pragma once

#include "core/analysis/payloadpass.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace chokepoint {

/// What a link points at.
struct LinkTarget {
    std::uint64_t span = 0; // that has the link; of the columns
    TraceId traceId;
    SpanId spanId;
};

/// Facts of a population. Immutable once taken.
struct DoubtFacts {
    /// Of each trace that has attribute names of several generations of the GenAI conventions the first span that adds one; ascending.
    std::vector<std::uint64_t> mixedGenerations;
    std::vector<LinkTarget> links; // by span

    /// Appends those of spans [first, first + count) of \a other as those of spans from \a target on, which come after all so far.
    void append(const DoubtFacts& other, std::uint64_t first, std::uint64_t count, std::uint64_t target);
};

/// Collects facts span after span; a reader for readPayload(). Traces must come in the order of the population. Not thread-safe.
class DoubtFactReader {
public:
    explicit DoubtFactReader(std::shared_ptr<const Dictionary> dictionary);

    void beginSpan(const TraceView& trace, std::size_t i);
    void attribute(StringId key, const PackedValue& value);
    void event(const PackedEvent&) { }
    void link(const PackedLink& link) { m_facts.links.push_back({m_spans, link.traceId, link.spanId}); }
    void endSpan();
    /// The facts of all spans read so far; the reader is spent.
    [[nodiscard]] DoubtFacts take() { return std::move(m_facts); }

private:
    std::shared_ptr<const Dictionary> m_dictionary;
    std::vector<std::uint8_t> m_generationOfKey; // by StringId: 0 not looked at, else the bit of a generation or `noGeneration`
    std::uint8_t m_ofSpan = 0; // bits
    std::uint8_t m_ofTrace = 0;
    std::uint64_t m_spans = 0;
    DoubtFacts m_facts;
};

} // namespace chokepoint
