// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `chokepoint critical-path`: the segments of each trace, as JSON (chokepoint.critical-path/1) and as text.
#pragma once

#include "core/analysis/criticalpath.h"
#include "core/analysis/stages.h"
#include "core/model/trace.h"
#include "core/report/report.h"

namespace chokepoint {

/// One trace's path with what names its spans. \a spanName gives the id of a span as people know it.
struct ReportedPath {
    const TraceColumns& columns;
    std::size_t traceIndex;
    const StageMap& stages;
    const CriticalPath& path;
    std::function<std::string(std::size_t span)> spanIdName;
};

/// Streams a document: begin, a call a trace, end.
class PathJsonWriter {
public:
    explicit PathJsonWriter(ReportOutput out);
    void add(const ReportedPath& reported);
    void finish();

private:
    ReportOutput m_out;
    bool m_first = true;
};

[[nodiscard]] std::string pathText(const ReportedPath& reported);

} // namespace chokepoint
