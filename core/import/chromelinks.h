// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What slices of a Chrome trace say about each other: flows, launches of device work, and Python's own call tree.
#pragma once

#include "core/import/chromenesting.h"
#include "core/import/chromerecords.h"
#include "core/model/dictionary.h"

#include <span>

namespace chokepoint {

/// \a from happened because of \a to, which was earlier.
struct ChromeLink {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    StringId name{}; // what connects them, such as "ac2g"
};

struct ChromeLinks {
    std::vector<ChromeLink> links; // ordered by from; none twice
    std::uint64_t unmatched = 0; // steps of flows without a beginning, or without a slice to belong to
};

/// Links from every step of a flow to the step before it, and from device work to the call that started it (by "correlation"), or to
/// the operator with the same "External id" when no call is known. \a flowMarks are where the flows of \a records belong.
[[nodiscard]] ChromeLinks linkChromeSlices(ChromeRecords& records, std::span<const NestedMark> flowMarks, StringPool& strings);

/// A slice with a "Python parent id" hangs under that slice. Where nesting found a parent that lies inside that one, it is kept:
/// it says the same, more closely.
void applyPythonParents(ChromeRecords& records, std::vector<std::uint32_t>& parents);

} // namespace chokepoint
