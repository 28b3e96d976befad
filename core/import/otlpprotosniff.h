// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Protobuf carries no name of its format: telling OTLP traces from everything else by the shape of the first fields.
#pragma once

#include <string_view>

namespace chokepoint {

enum class ProtoShape {
    Unknown,
    OtlpTraces,
    OtlpEmpty, // OTLP with resources or scopes but no item: of which signal cannot be told
    OtlpMetrics,
    OtlpLogs,
    OtlpProfiles,
    ZipkinSpans,
    Pprof,
    Perfetto,
};

/// \a head is the start of a message (64 KiB are enough); \a isCut when the message goes on behind it.
[[nodiscard]] ProtoShape protoShape(std::string_view head, bool isCut);
/// The same for one element of field 1 of an OTLP message (ResourceSpans, ResourceMetrics, ...): one of the Otlp shapes, or
/// Unknown.
[[nodiscard]] ProtoShape otlpElementShape(std::string_view head, bool isCut);
/// "OTLP metrics", "a Perfetto trace" and so on, for messages.
[[nodiscard]] const char* protoShapeName(ProtoShape shape);
/// What to do with a file of that shape that cannot be read; a full clause.
[[nodiscard]] const char* protoShapeAdvice(ProtoShape shape);

} // namespace chokepoint
