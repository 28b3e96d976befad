// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Traces as one OTLP JSON document, exact enough to import again with equal spans.
#pragma once

#include "core/base/result.h"
#include "core/export/jsonwriter.h"
#include "core/export/outputfile.h"
#include "core/model/trace.h"

namespace chokepoint {

/// One ResourceSpans per trace and resource. Ids that were no hex go out as the source's text; 64-bit numbers as decimal
/// text, enumerations as numbers; unknown times are left out. A time that was clamped to int64 goes out as the first value
/// beyond it, so that a second import marks it again. What OTLP has no word for (FOLLOWS_FROM, a relative clock) is not written.
class OtlpJsonWriter {
public:
    explicit OtlpJsonWriter(OutputFile file);

    [[nodiscard]] Result<void> append(const Trace& trace);
    [[nodiscard]] Result<void> finish();

private:
    [[nodiscard]] Result<void> flush(std::size_t atLeast);

    OutputFile m_file;
    JsonWriter m_json;
};

} // namespace chokepoint
