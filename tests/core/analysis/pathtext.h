// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Paths as short texts, so that a test can say what it expects in one line.
#pragma once

#include "core/analysis/criticalpath.h"

#include <string>

namespace chokepoint::testkit {

/// "root 0-10, db 10-40, llm:ttft 40-60": name, type unless it is self, begin and end in ns from the window's start.
[[nodiscard]] inline std::string pathText(const CriticalPath& path, const TraceColumns& columns, std::size_t trace = 0)
{
    std::string text;
    const TraceView view = columns.trace(trace);
    for (const PathSegment& segment : path.segments) {
        text += text.empty() ? "" : ", ";
        text += columns.dictionary->text(view.name[segment.span]);
        if (segment.type != SegmentType::Self)
            text += std::string(":") + segmentTypeName(segment.type);
        text += " " + std::to_string(toNs(segment.begin)) + "-" + std::to_string(toNs(segment.end));
    }
    return text;
}

/// "AFTER_ADOPTED 1, SECONDARY_ROOT 2"
[[nodiscard]] inline std::string notesText(const CriticalPath& path)
{
    std::string text;
    for (const PathNote& note : path.notes)
        text += (text.empty() ? "" : ", ") + note.code + " " + std::to_string(note.count);
    return text;
}

/// Segments ascending, without gaps, from 0 to the length; a reason when not.
[[nodiscard]] inline std::string tilingFault(const CriticalPath& path)
{
    Duration at{0};
    for (const PathSegment& segment : path.segments) {
        if (segment.begin != at || segment.end <= segment.begin)
            return "segment does not start at " + std::to_string(toNs(at));
        at = segment.end;
    }
    return at == path.length ? std::string() : "segments end at " + std::to_string(toNs(at));
}

} // namespace chokepoint::testkit
