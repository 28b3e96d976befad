// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Traces that are no requests: offline indexing, and inference servers that start.
#pragma once

#include "core/analysis/population.h"

namespace chokepoint {

/// Tells the kinds of traces. Cheap to ask: names and services are looked at once.
class PipelineKinds {
public:
    PipelineKinds(const Dictionary& dictionary, const StageMap& stages);

    /// Startup: a model is loaded and nothing answered. Ingest: nothing is generated, and an index is written to, or something is embedded
    /// and the root or its service is named after it. \a root: index in the trace, or -1.
    [[nodiscard]] PipelineKind kindOf(const TraceView& trace, std::uint64_t firstSpan, std::int32_t root) const;

private:
    const Dictionary& m_dictionary;
    const StageMap& m_stages;
    StageId m_ingest;
    StageId m_load;
    StageId m_generate;
    StageId m_embed;
};

} // namespace chokepoint
