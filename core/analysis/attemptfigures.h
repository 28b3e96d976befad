// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From the attempt groups of one trace to its figures: nesting, waste of time, tokens and money, amplification.
#pragma once

#include "core/analysis/attemptgroups.h"
#include "core/analysis/clientretries.h"
#include "core/analysis/retryhints.h"

#include <array>

namespace chokepoint::attempts {

/// Sums by cause.
using CauseTable = std::array<CauseFigures, std::size_t(RetryCause::Count_)>;

/// What some traces add to a RetryAnalysis. Indices count within it.
struct Portion {
    std::vector<TraceRetries> traces;
    std::vector<AttemptGroup> groups;
    std::vector<Attempt> attempts;
    std::vector<OpaqueCall> opaqueCalls;
    CauseTable causes;
    std::uint64_t unknownTokenAttempts = 0;
    std::uint64_t unknownTimeAttempts = 0;
    std::uint64_t generateSpans = 0;
};

/// What is known of a trace besides its spans.
struct TraceSetting {
    Duration e2e = unknownDuration;
    bool walksTruncated = false;
    const RequestChain* chain = nullptr; // of requests that were sent again, when the trace is in one
    std::size_t position = 0; // in the chain

    [[nodiscard]] bool isLost() const { return chain != nullptr && position + 1 < chain->attempts.size(); }
};

/// Writes the figures of one trace after another. Reusable.
class FigureWriter {
public:
    FigureWriter(const Context& context, const Billing& billing) : m_context(context), m_billing(billing) { }
    /// \a drafts are put in order.
    void write(const TraceScan& scan, std::vector<Draft>& drafts, const TraceSetting& setting, Portion& out);

private:
    /// A stretch of time that an attempt lost.
    struct Loss {
        Timestamp begin;
        Timestamp end;
        std::uint8_t level;
        RetryCause cause;
    };
    struct Spent {
        TokenCount tokens;
        std::optional<Money> cost;
    };

    void setLevels(std::vector<Draft>& drafts);
    [[nodiscard]] Spent spentIn(std::uint64_t firstSpan, std::uint64_t count) const;
    [[nodiscard]] Spent spentIn(const Draft::Member& member) const;
    void addGroup(const Draft& draft, std::uint8_t level, Portion& out);
    void addChain(Portion& out);
    void addLosses(const Draft& draft, std::uint8_t level);
    static void countCauses(const Draft& draft, Portion& out);
    void chargeTime(Portion& out);
    void chargeCalls(const std::vector<Draft>& drafts, Portion& out);
    void mark(const std::vector<Draft>& drafts, bool counted, std::vector<std::uint8_t>& marks) const;
    void countGenerates(const std::vector<Draft>& drafts, Portion& out);
    [[nodiscard]] bool isOpaque(std::size_t span) const;
    void setDepth(const std::vector<Draft>& drafts);

    const Context& m_context;
    const Billing& m_billing;
    const TraceScan* m_scan = nullptr;
    TraceRetries* m_figures = nullptr;
    const TraceSetting* m_setting = nullptr;
    std::vector<std::uint8_t> m_level; // by draft
    std::vector<std::uint8_t> m_enclosing; // by span: counted groups around it, itself as an attempt included
    std::vector<Loss> m_losses;
    std::vector<std::uint8_t> m_lost; // by span: 1 + cause of the lost attempt it is in, or 0
    std::vector<std::uint8_t> m_folded; // by span: in an attempt that another one replaced
};

} // namespace chokepoint::attempts
