// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Zipkin JSON texts into the sink: single spans, lists of them, lists of traces.
#pragma once

#include "core/import/spansink.h"
#include "core/import/zipkinjsonspan.h"

#include <optional>
#include <string_view>

namespace chokepoint {

class ZipkinJsonRecord {
public:
    ZipkinJsonRecord(SpanSink& sink, const RecordPlace& place);

    /// Adds the spans of a complete text of any shape, which has 64 readable bytes behind it. False when it is malformed or
    /// failure() is set. Call between the sink's hold() and release().
    [[nodiscard]] bool read(std::string_view text);
    /// What the sink failed with.
    [[nodiscard]] const std::optional<Error>& failure() const { return m_failure; }

private:
    [[nodiscard]] bool readValue(json::value value, unsigned depth);
    [[nodiscard]] bool readObject(json::object object, unsigned depth);
    [[nodiscard]] bool add(SpanDraft& draft);

    SpanSink& m_sink;
    const RecordPlace& m_place;
    ZipkinJsonSpan m_reader;
    ZipkinJsonSpan::Emit m_emit;
    JsonDocument m_document;
    std::optional<Error> m_failure;
};

/// Members around Zipkin spans in answers and dumps of its stores.
[[nodiscard]] bool isZipkinWrapper(std::string_view key);

} // namespace chokepoint
