// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The records of a whole Chrome trace into spans: the end of reading one.
#pragma once

#include "core/import/chromecollector.h"
#include "core/import/spansink.h"

#include <optional>

namespace chokepoint {

/// What the file says about itself beside its events.
struct ChromeFile {
    std::optional<std::int64_t> baseTime; // baseTimeNanoseconds: Unix time of the clock's zero
    AttributeList attributes; // of its resources
};

/// Adds all spans of \a collector to \a sink, in the order of the file, as one trace. Its id and those of the spans are hashes of what
/// the events say, so that neither their order nor the file's name or compression matters. Fails as the sink does, or when
/// temporary files fail.
[[nodiscard]] Result<void> addChromeSpans(ChromeCollector& collector, const ChromeFile& file, SpanSink& sink);

} // namespace chokepoint
