// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Producers that write milliseconds where their format says nanoseconds: found when no time of an input can be meant as it stands.
#pragma once

#include "core/import/spandraft.h"
#include "core/model/spanbatch.h"

#include <cstdint>

namespace chokepoint {

/// Looks at the spans of one input until one of them shows that its times are meant as they stand: they lie in the years 1990
/// to 2099, or do so in no unit, or only in another unit than those of the spans before, or the span
/// would last more than a week. Spans without times show nothing.
class TimeUnitWatch {
public:
    void look(const SpanDraft& draft);
    /// What was seen so far decides.
    void close() { m_isOpen = false; }

    [[nodiscard]] bool isOpen() const { return m_isOpen; }
    /// What all times seen are to be multiplied with, to lie in those years; 1 when they are meant as they stand.
    [[nodiscard]] std::int64_t factor() const { return m_factor; }

private:
    void look(Timestamp time, TimeUnit unit);

    bool m_isOpen = true;
    std::int64_t m_factor = 1;
};

/// Multiplies all times of the spans that then lie in the years 1990 to 2099 with \a factor, those of their events too, and
/// marks them TimeRepaired. Returns how many spans these are.
std::uint64_t repairTimeUnits(SpanBatch& batch, std::int64_t factor, PackedWriter& writer);

} // namespace chokepoint
