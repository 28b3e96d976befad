// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Protobuf bytes for tests, field by field, and what the reader makes of bytes, decoded and comparable.
#pragma once

#include "core/base/diagnostics.h"
#include "core/base/result.h"
#include "core/model/dictionary.h"
#include "core/model/packed.h"
#include "core/model/spancolumns.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint::testkit {

// ---- writing: one field a call, right or wrong ----------------------------------------------------------------------

[[nodiscard]] std::string varintBytes(std::uint64_t value);
[[nodiscard]] std::string lengthField(std::uint32_t number, std::string_view content);
[[nodiscard]] std::string varintField(std::uint32_t number, std::uint64_t value);
[[nodiscard]] std::string fixed64Field(std::uint32_t number, std::uint64_t value);
[[nodiscard]] std::string fixed32Field(std::uint32_t number, std::uint32_t value);
[[nodiscard]] std::string bigEndianBytes(std::uint64_t value, std::size_t size);

/// {key, {string_value}} as the content of an attribute.
[[nodiscard]] std::string textAttribute(std::string_view key, std::string_view text);
/// A span with ids (trace 1, span \a id), name, start 1000 and end 2000, as the content of a span field.
[[nodiscard]] std::string spanBytes(std::uint64_t id, std::string_view name);
/// One ResourceSpans (service.name "svc") and ScopeSpans ("scope") with \a spans (contents), as a whole message.
[[nodiscard]] std::string requestBytes(const std::vector<std::string>& spans);
/// ResourceSpans content around one ScopeSpans content, as a whole message.
[[nodiscard]] std::string requestOfScope(std::string_view scopeSpans);

// ---- reading ------------------------------------------------------------------------------------------------------

struct DecodedSpan {
    TraceId traceId;
    SpanId spanId;
    SpanId parentId;
    Timestamp start = unknownTime;
    Timestamp end = unknownTime;
    SpanKind kind = SpanKind::Unspecified;
    SpanStatus status = SpanStatus::Unset;
    bool timeOutOfRange = false;
    std::string name;
    SpanPayload payload;
    Resource resource;
    Scope scope;

    friend bool operator==(const DecodedSpan&, const DecodedSpan&) = default;
};

struct ReadOutcome {
    Result<void> result;
    std::vector<DecodedSpan> spans;
    Diagnostics diagnostics;
};

/// Reads \a bytes with the OTLP protobuf reader. \a blockSize as in ByteSource::openMemory.
[[nodiscard]] ReadOutcome readOtlpProto(std::string_view bytes, std::size_t blockSize = 0);

} // namespace chokepoint::testkit
