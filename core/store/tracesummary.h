// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of one trace that the trace list sorts and filters by.
#pragma once

#include "core/model/traceassembler.h"

#include <optional>

namespace chokepoint {

struct TraceSummary {
    std::optional<std::int64_t> startNs; // earliest known start
    std::optional<std::int64_t> durationNs; // extent: first start to last start or end
    std::optional<std::int64_t> e2eNs; // of the primary root
    std::uint64_t spans = 0;
    std::uint64_t errors = 0;
    StringId rootName{};
    ResourceId rootResource{};
};

/// Links one trace after the other with reused memory. Never looks at texts, so a reader may intern meanwhile.
class TraceSummarizer {
public:
    [[nodiscard]] TraceSummary summarize(const SpanColumns& rows);
    /// Whether some id occurs more than once in the trace of the last call.
    [[nodiscard]] bool repeatsIds() const { return m_linked.repeatsIds(); }

private:
    LinkedTrace m_linked;
};

} // namespace chokepoint
