// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Drops spans that repeat another one of the same part byte for byte, which needs no texts and so can be done while reading.
#pragma once

#include "core/base/diagnostics.h"
#include "core/store/chunks.h"
#include "core/store/tracewindow.h"

namespace chokepoint {

class DuplicateFilter {
public:
    /// The spans of \a trace without exact duplicates (DUPLICATE_SPAN). Valid until the next call and while \a trace is.
    [[nodiscard]] ChunkSource filtered(const OpenTrace& trace, Diagnostics& diagnostics);
    /// Whether some id still occurs twice in what the last call returned.
    [[nodiscard]] bool repeatsIds() const { return m_repeatsIds; }

private:
    [[nodiscard]] ChunkSource withoutDuplicates(const OpenTrace& trace, Diagnostics& diagnostics);

    SpanIndexTable m_table;
    std::vector<SpanRow> m_rows;
    std::vector<std::uint32_t> m_payloadSizes;
    std::string m_payloads;
    bool m_repeatsIds = false;
};

} // namespace chokepoint
