// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One small request that the tests of the waterfall draw, and its spans by name.
#pragma once

#include "tests/testkit/tracebuilder.h"
#include "tests/views/tracefixture.h"

#include <string_view>

namespace chokepoint::testkit {

/// A request of 100 ns: retrieval with two shards, then generation with a failed attempt.
inline TraceBuilder request()
{
    TraceBuilder builder;
    builder.span("ingress", 0, 100).service("gateway");
    builder.span("retrieve", 10, 40, "ingress");
    builder.span("retrieve a", 10, 40, "retrieve");
    builder.span("retrieve b", 10, 20, "retrieve");
    builder.span("generate", 40, 90, "ingress").service("llm");
    builder.span("generate first", 40, 60, "generate").error();
    builder.span("generate second", 60, 90, "generate");
    return builder;
}

inline std::uint32_t named(const TraceScene& scene, std::string_view name)
{
    return spanNamed(scene.trace->columns(), name);
}

} // namespace chokepoint::testkit
