// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The second channel beside Error: recoverable faults of the data, counted by code, each with its first place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chokepoint {

/// Faults that were repaired or skipped. Names are stable and printed in upper case; rejected records count as errors.
enum class DiagnosticCode : std::uint8_t {
    // import
    TruncatedInput,
    UnterminatedArray,
    BadRecord,
    BadTimestamp,
    BadAttributes,
    InvalidId,
    UnknownEnum,
    NumberOutOfRange,
    TimeOutOfRange,
    NaiveTimestamp,
    TimeUnitRepaired,
    TimeFormat,
    InvalidUtf8,
    DuplicateKey,
    NonJsonText,
    TrailingData,
    OtherSignal,
    DepthLimit,
    SizeLimit,
    WireType,
    NoSpans,
    MissingProcess,
    PartialTrace,
    OverlappingEvents,
    UnmatchedEvent,
    PartialSpanMerged,
    // tree
    NegativeDuration,
    UnfinishedSpan,
    MissingStart,
    MissingParent,
    SelfParent,
    Cycle,
    DuplicateSpan,
    SpanIdConflict,
    ClockSkewSuspected,
    // usage: found by analysis, never stored
    UsageRollupIgnored,
    TokensMissingChildren,
    TokensInclusiveAssumed,
    TokensConflict,
    UnpricedModel,
    CostMismatch,
    // how far the analysis can be trusted: never stored, never a fault of the input
    UnitUnknown,
    UnitMixed,
    SchemaMixed,
    VocabConflict,
    StageLowConf,
    Uninstrumented,
    DuplicateCall,
    ClockSkew,
    SampledTrace,
    LinkUnresolved,
    StreamTail,
    AttemptEarlierMissing,
    HiddenRetryHint,
    WalkTruncated,
    ScoreIncomparable,
    LowN,
    LabelsFew,
    AsyncAfterResponse,
    ContentAbsent,
    Count_
};

/// "MISSING_PARENT" and so on.
[[nodiscard]] const char* diagnosticName(DiagnosticCode code);
/// Back from the name, as stored in a workspace; Count_ for a name of a later version.
[[nodiscard]] DiagnosticCode diagnosticFromName(const std::string& name);

struct DiagnosticEntry {
    DiagnosticCode code{};
    std::uint64_t count = 0;
    std::string first; // what, where (line or byte offset), and what was done

    friend bool operator==(const DiagnosticEntry&, const DiagnosticEntry&) = default;
};

/// Bounded memory whatever the input: one entry a code.
class Diagnostics {
public:
    /// Counts one fault. \a describe is called for the first of its code only and returns the text to keep.
    template <typename Describe> void report(DiagnosticCode code, Describe&& describe)
    {
        if (DiagnosticEntry& entry = at(code); entry.count++ == 0)
            entry.first = describe();
    }
    void report(DiagnosticCode code, const char* text)
    {
        report(code, [text] { return std::string(text); });
    }
    void add(DiagnosticCode code, std::uint64_t count, const std::string& first);

    /// A record (or file) that had to be given up. \a code says why and is counted as a fault too.
    template <typename Describe> void reject(DiagnosticCode code, Describe&& describe)
    {
        report(code, describe);
        if (m_rejected++ == 0)
            m_firstRejection = describe();
    }

    /// Restores rejections whose codes were added separately (a workspace's record of an input).
    void addRejected(std::uint64_t count, const std::string& first)
    {
        if (m_rejected == 0)
            m_firstRejection = first;
        m_rejected += count;
    }

    void merge(const Diagnostics& other);
    [[nodiscard]] std::uint64_t count(DiagnosticCode code) const;
    [[nodiscard]] std::uint64_t rejected() const { return m_rejected; }
    [[nodiscard]] const std::string& firstRejection() const { return m_firstRejection; }
    [[nodiscard]] bool empty() const { return m_entries.empty(); }
    /// Ordered by code.
    [[nodiscard]] const std::vector<DiagnosticEntry>& entries() const { return m_entries; }

private:
    DiagnosticEntry& at(DiagnosticCode code);

    std::vector<DiagnosticEntry> m_entries;
    std::uint64_t m_rejected = 0;
    std::string m_firstRejection;
};

} // namespace chokepoint
