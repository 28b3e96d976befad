// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a trace file: reading ends, stays in bounds, and says the same thing twice.
#include "core/import/readinput.h"

#include <cstdint>
#include <cstdlib>

using namespace chokepoint;

namespace {

/// A number that stands for everything that reading \a bytes delivered.
std::uint64_t readingOf(std::string_view bytes)
{
    Dictionary dictionary;
    std::uint64_t seen = 0;
    const auto deliver = [&](SpanBatch& batch) -> Result<void> {
        for (std::size_t i = 0; i < batch.size(); ++i) {
            bool ok = false;
            (void)decodePayload(batch.payloadOf(i), batch.spans.start[i], dictionary.strings, &ok);
            if (!ok || toIndex(batch.spans.name[i]) >= dictionary.strings.size()
                || toIndex(batch.spans.resource[i]) >= dictionary.resourceCount())
                std::abort();
            seen = mix64(seen ^ batch.traceId[i].lo ^ batch.spans.spanId[i].value ^ payloadHash(batch.payloadOf(i), dictionary.strings));
        }
        batch.clear();
        return {};
    };
    const Result<InputReport> report = readInputBytes("fuzz", bytes, dictionary, deliver, {});
    return report ? mix64(seen ^ report->spans ^ report->diagnostics.rejected()) : mix64(seen ^ hash64(report.error().detail));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (readingOf(bytes) != readingOf(bytes))
        std::abort();
    return 0;
}
