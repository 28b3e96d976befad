// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes to the readers of one format, whatever detection would say of them: reading ends, stays in bounds, says the same
// thing twice, and says it of small blocks too. CHOKEPOINT_FUZZ_FORMAT names the format; one executable is built for each.
#include "core/import/bytesource.h"
#include "core/import/spansink.h"
#include "core/import/tracereader.h"

#include <cstdint>
#include <cstdlib>

using namespace chokepoint;

namespace {

/// A number that stands for everything that \a reader made of \a bytes.
std::uint64_t readingOf(const ReaderEntry& reader, std::string_view bytes, std::size_t blockSize)
{
    Dictionary dictionary;
    std::uint64_t seen = 0;
    const DeliverBatch deliver = [&](SpanBatch& batch) -> Result<void> {
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
    const auto source = ByteSource::openMemory(bytes, blockSize);
    if (!source)
        return 0;
    const JobControl job;
    InputReport report;
    report.path = "fuzz";
    SpanSink sink(dictionary, deliver, job, (*source)->count(), report);
    Result<void> read = reader.create()->read(**source, sink);
    if (read)
        read = sink.finish();
    return read ? mix64(seen ^ report.spans ^ report.diagnostics.rejected()) : mix64(seen ^ hash64(read.error().detail));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    for (const ReaderEntry& reader : readerTable()) {
        if (std::string_view(reader.format) != CHOKEPOINT_FUZZ_FORMAT)
            continue;
        if (readingOf(reader, bytes, 0) != readingOf(reader, bytes, size % 13 + 1))
            std::abort();
    }
    return 0;
}
