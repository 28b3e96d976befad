// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/duplicatefilter.h"

#include "core/store/settle.h"

#include <fmt/format.h>

namespace chokepoint {

ChunkSource DuplicateFilter::filtered(const OpenTrace& trace, Diagnostics& diagnostics)
{
    m_repeatsIds = false;
    m_table.reset(trace.rows.size());
    for (std::uint32_t i = 0; i < trace.rows.size(); ++i)
        if (m_table.insert(trace.rows[i].spanId, i) != i)
            return withoutDuplicates(trace, diagnostics);
    return {trace.rows, trace.payloadSizes, trace.payloads};
}

ChunkSource DuplicateFilter::withoutDuplicates(const OpenTrace& trace, Diagnostics& diagnostics)
{
    m_rows.clear();
    m_payloadSizes.clear();
    m_payloads.clear();
    m_table.reset(trace.rows.size());
    std::vector<std::size_t> payloadBegin; // of the spans kept
    std::size_t begin = 0;
    for (std::size_t i = 0; i < trace.rows.size(); ++i) {
        const SpanRow& row = trace.rows[i];
        const std::string_view payload = std::string_view(trace.payloads).substr(begin, trace.payloadSizes[i]);
        begin += trace.payloadSizes[i];
        const std::uint32_t first = m_table.insert(row.spanId, std::uint32_t(m_rows.size()));
        if (first != m_rows.size()) {
            const std::string_view earlier = std::string_view(m_payloads).substr(payloadBegin[first], m_payloadSizes[first]);
            if (earlier == payload && equalColumns(m_rows[first], row)) {
                diagnostics.report(DiagnosticCode::DuplicateSpan, [&] {
                    return fmt::format(
                        "span {} of trace {}: an identical report was kept, this one is dropped", toHex(row.spanId), toHex(trace.id));
                });
                continue;
            }
            m_repeatsIds = true;
        }
        payloadBegin.push_back(m_payloads.size());
        m_rows.push_back(row);
        m_payloadSizes.push_back(trace.payloadSizes[i]);
        m_payloads += payload;
    }
    return {m_rows, m_payloadSizes, m_payloads};
}

} // namespace chokepoint
