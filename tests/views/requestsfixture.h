// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A few requests of both sides that the tests of the trace list show.
#pragma once

#include "tests/testkit/tracebuilder.h"
#include "tests/views/tracefixture.h"
#include "views/traces/tracerows.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace chokepoint::testkit {

constexpr std::int64_t ms = 1'000'000;

struct Request {
    std::string name;
    std::int64_t duration = 0; // ms
    std::int64_t retrieval = 0; // ms, its first part; the rest is generation
    bool isError = false;
};

inline TraceBuilder traces(const std::vector<Request>& requests)
{
    TraceBuilder builder;
    bool isFirst = true;
    for (const Request& request : requests) {
        if (!std::exchange(isFirst, false))
            builder.nextTrace();
        builder.span("ingress", 0, request.duration * ms).named("ingress " + request.name).service("gateway");
        builder.span("retrieve", 0, request.retrieval * ms, "ingress");
        builder.span("generate", request.retrieval * ms, request.duration * ms, "ingress");
        if (request.isError)
            builder.error();
    }
    return builder;
}

/// Before: 100, 200, 300, 400 ms. After: 50 ms (an error), and one that is not finished.
inline std::shared_ptr<const TraceRows> someRows()
{
    const TraceBuilder before = traces({{"a", 300, 30}, {"b", 100, 90}, {"c", 400, 100}, {"d", 200, 20}});
    TraceBuilder after = traces({{"=e", 50, 10, true}});
    after.nextTrace().span("ingress", 0, 10 * ms).named("ingress f").span("open", 0, 0, "ingress").noEnd();
    return makeTraceRows(datasetOf(before, "before"), datasetOf(after, "after"));
}

} // namespace chokepoint::testkit
