// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What to keep when spans of one trace carry the same id: duplicates go, partial reports are merged, the rest stays.
#pragma once

#include "core/base/diagnostics.h"
#include "core/model/dictionary.h"
#include "core/model/spancolumns.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// All columns are the same, the span id included.
[[nodiscard]] bool equalColumns(const SpanRow& a, const SpanRow& b);

/// All reports of one trace, those that are already stored first.
struct SpanReports {
    const SpanColumns& rows;
    const std::vector<std::string_view>& payloads;
    std::size_t stored = 0; // the first ones
};

struct SettledReports {
    std::vector<bool> dropped; // by report
    std::map<std::uint32_t, std::string> rewritten; // payloads that took in what partial reports had to say, by report
    std::uint64_t droppedCount = 0;
    bool storedChanged = false; // a stored report was dropped or rewritten
};

/// Rules (bugs.md 6), for reports with one span id:
///  - equal columns, and every attribute, event and link of one also in the other: one is kept (DUPLICATE_SPAN). So a report
///    that was merged before stays one when the file is imported again;
///  - same kind and known start, one of them without an end: the finished report stays and takes in the attributes, events and
///    links that only the unfinished one has (PARTIAL_SPAN_MERGED);
///  - all others are kept.
/// The outcome does not depend on the order of the reports. \a strings grows when payloads are rewritten.
[[nodiscard]] SettledReports settleReports(
    const SpanReports& reports, StringPool& strings, const std::string& traceName, Diagnostics& diagnostics);

} // namespace chokepoint
