// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How far a long call is, as text; the same on the Start page and above the charts.
#pragma once

#include "core/base/jobcontrol.h"

#include <QString>

namespace chokepoint {

/// "1 problem", "2,345 problems".
[[nodiscard]] QString problemsText(std::uint64_t count);

/// "412,000 spans, 206,000 spans/s, 9 s left, 2 problems": what is known of it. \a elapsed in ms, 0 when it is not known.
[[nodiscard]] QString progressText(const Progress& progress, qint64 elapsed);

} // namespace chokepoint
