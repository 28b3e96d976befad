// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Facts that analysis wants as columns, told from attributes, status and events: once, for every format alike.
#pragma once

#include "core/import/spandraft.h"
#include "core/model/packed.h"

#include <cstdint>
#include <vector>

namespace chokepoint {

/// Remembers which attribute keys mean something, so that a span costs one table look-up an attribute.
class SpanFacts {
public:
    explicit SpanFacts(const StringPool& strings) : m_strings(strings) { }

    /// Sets Async, Cancelled, TimedOut and Streaming, and firstToken where it lies inside the span. Flags that the reader
    /// has set stay.
    void derive(SpanDraft& draft);

private:
    struct Found;
    void readAttributes(const SpanDraft& draft, Found& found);
    [[nodiscard]] std::uint8_t roleOf(StringId key);

    const StringPool& m_strings;
    std::vector<std::uint8_t> m_roles; // by StringId of the key
};

} // namespace chokepoint
