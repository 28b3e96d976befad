// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What waits for what where somebody says it: links between spans of one trace, and the order of stages in a rule file
// (algorithms.md 2.6, 5.1).
#pragma once

#include "core/analysis/payloadpass.h"
#include "core/analysis/stages.h"

#include <cstdint>
#include <span>
#include <vector>

namespace chokepoint {

/// A span whose link says that another one of its trace went before; both are spans of the columns.
struct DeclaredLink {
    std::uint32_t span = 0;
    std::uint32_t predecessor = 0;
    friend auto operator<=>(const DeclaredLink&, const DeclaredLink&) = default;
};

/// All links of a population within its traces, by span.
struct DeclaredLinks {
    std::vector<DeclaredLink> links;

    /// Those of spans [first, first + count).
    [[nodiscard]] std::span<const DeclaredLink> of(std::uint64_t first, std::uint64_t count) const;
    /// Appends those of spans [first, first + count) of \a other as those of spans from \a target on, which come after all so far.
    void append(const DeclaredLinks& other, std::uint64_t first, std::uint64_t count, std::uint64_t target);
};

/// Calls of a stage wait for those of these stages, which had ended, and for no others.
struct StageOrder {
    StageId stage{};
    std::vector<StageId> after; // a top-level stage stands for its sub-stages too; empty: for none but earlier calls of the same stage
};

/// \a orders of stages of \a from, in ids of \a to. Stages that \a to lacks are left out: nothing is of them.
[[nodiscard]] std::vector<StageOrder> ordersIn(const StageTable& to, const StageTable& from, std::span<const StageOrder> orders);

/// Both, of a population; what is absent declares nothing.
struct DeclaredOrders {
    const DeclaredLinks* links = nullptr;
    std::span<const StageOrder> stages;

    [[nodiscard]] bool empty() const { return (links == nullptr || links->links.empty()) && stages.empty(); }
};

/// Collects links; a reader for readPayload(). Traces must come in the order of the population.
class DeclaredLinkReader {
public:
    void beginSpan(const TraceView& trace, std::size_t i);
    void attribute(StringId, const PackedValue&) { }
    void event(const PackedEvent&) { }
    void link(const PackedLink& link);
    void endSpan() { ++m_span; }
    /// Finds the spans that links of the trace name.
    void endTrace(const TraceView& trace);
    [[nodiscard]] DeclaredLinks take() { return std::move(m_links); }

private:
    struct Named {
        std::uint32_t span = 0; // of the trace
        SpanId predecessor;
    };
    TraceId m_trace;
    std::uint32_t m_index = 0; // in the trace
    std::uint64_t m_span = 0; // in the population
    std::vector<Named> m_named;
    DeclaredLinks m_links;
};

} // namespace chokepoint
