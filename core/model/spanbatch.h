// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What readers hand to the store: a reused set of columns with about 4,000 spans of any traces, in the source's order.
#pragma once

#include "core/model/packed.h"
#include "core/model/spancolumns.h"

#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// Ids and texts refer to the Dictionary that the reader was given.
struct SpanBatch {
    std::vector<TraceId> traceId;
    SpanColumns spans;
    std::vector<std::uint32_t> payloadEnd; // payload of span i is [payloadEnd[i-1], payloadEnd[i])
    std::string payload;

    [[nodiscard]] std::size_t size() const { return spans.size(); }
    [[nodiscard]] std::string_view payloadOf(std::size_t i) const
    {
        const std::size_t begin = i == 0 ? 0 : payloadEnd[i - 1];
        return std::string_view(payload).substr(begin, payloadEnd[i] - begin);
    }
    void clear()
    {
        traceId.clear();
        spans.clear();
        payloadEnd.clear();
        payload.clear();
    }
};

} // namespace chokepoint
