// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/diagnostics.h"

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

constexpr std::array<const char*, std::size_t(DiagnosticCode::Count_)> names = {
    "TRUNCATED_INPUT",
    "UNTERMINATED_ARRAY",
    "BAD_RECORD",
    "BAD_TIMESTAMP",
    "BAD_ATTRIBUTES",
    "INVALID_ID",
    "UNKNOWN_ENUM",
    "NUMBER_OUT_OF_RANGE",
    "TIME_OUT_OF_RANGE",
    "NAIVE_TIMESTAMP",
    "TIME_UNIT_REPAIRED",
    "TIME_FORMAT",
    "INVALID_UTF8",
    "DUPLICATE_KEY",
    "NON_JSON_TEXT",
    "TRAILING_DATA",
    "OTHER_SIGNAL",
    "DEPTH_LIMIT",
    "SIZE_LIMIT",
    "WIRE_TYPE",
    "NO_SPANS",
    "MISSING_PROCESS",
    "PARTIAL_TRACE",
    "OVERLAPPING_EVENTS",
    "UNMATCHED_EVENT",
    "PARTIAL_SPAN_MERGED",
    "NEGATIVE_DURATION",
    "UNFINISHED_SPAN",
    "MISSING_START",
    "MISSING_PARENT",
    "SELF_PARENT",
    "CYCLE",
    "DUPLICATE_SPAN",
    "SPAN_ID_CONFLICT",
    "CLOCK_SKEW_SUSPECTED",
    "USAGE_ROLLUP_IGNORED",
    "TOKENS_MISSING_CHILDREN",
    "TOKENS_INCLUSIVE_ASSUMED",
    "TOKENS_CONFLICT",
    "UNPRICED_MODEL",
    "COST_MISMATCH",
    "UNIT_UNKNOWN",
    "UNIT_MIXED",
    "SCHEMA_MIXED",
    "VOCAB_CONFLICT",
    "STAGE_LOW_CONF",
    "UNINSTRUMENTED",
    "DUPLICATE_CALL",
    "CLOCK_SKEW",
    "SAMPLED_TRACE",
    "LINK_UNRESOLVED",
    "STREAM_TAIL",
    "ATTEMPT_EARLIER_MISSING",
    "HIDDEN_RETRY_HINT",
    "WALK_TRUNCATED",
    "SCORE_INCOMPARABLE",
    "LOW_N",
    "LABELS_FEW",
    "ASYNC_AFTER_RESPONSE",
    "CONTENT_ABSENT",
};

} // namespace

const char* diagnosticName(DiagnosticCode code)
{
    return code < DiagnosticCode::Count_ ? names[std::size_t(code)] : "UNKNOWN";
}

DiagnosticCode diagnosticFromName(const std::string& name)
{
    return DiagnosticCode(std::find(names.begin(), names.end(), name) - names.begin());
}

DiagnosticEntry& Diagnostics::at(DiagnosticCode code)
{
    const auto place = std::lower_bound(
        m_entries.begin(), m_entries.end(), code, [](const DiagnosticEntry& entry, DiagnosticCode c) { return entry.code < c; });
    if (place != m_entries.end() && place->code == code)
        return *place;
    return *m_entries.insert(place, DiagnosticEntry{code, 0, {}});
}

void Diagnostics::add(DiagnosticCode code, std::uint64_t count, const std::string& first)
{
    if (count == 0)
        return;
    DiagnosticEntry& entry = at(code);
    if (entry.count == 0)
        entry.first = first;
    entry.count += count;
}

void Diagnostics::merge(const Diagnostics& other)
{
    for (const DiagnosticEntry& entry : other.m_entries)
        add(entry.code, entry.count, entry.first);
    if (m_rejected == 0)
        m_firstRejection = other.m_firstRejection;
    m_rejected += other.m_rejected;
}

std::uint64_t Diagnostics::count(DiagnosticCode code) const
{
    for (const DiagnosticEntry& entry : m_entries)
        if (entry.code == code)
            return entry.count;
    return 0;
}

} // namespace chokepoint
