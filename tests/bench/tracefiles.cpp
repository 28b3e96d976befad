// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/tracefiles.h"

#include "tests/bench/otlpbatch.h"

#include <algorithm>
#include <fstream>
#include <limits>

namespace chokepoint::bench {
namespace {

constexpr std::size_t spansPerBatch = 200;

bool endsLater(const RequestSpan& a, const RequestSpan& b)
{
    return a.end > b.end;
}

/// Appends batches to both files.
class BatchFiles {
public:
    explicit BatchFiles(const std::filesystem::path& directory)
        : m_files{{directory / "workload.jsonl", 0, 0}, {directory / "workload.pb", 0, 0}}, m_json(m_files.json.path, std::ios::binary),
          m_protobuf(m_files.protobuf.path, std::ios::binary)
    {
    }

    void add(RequestSpan span)
    {
        m_batch.push_back(std::move(span));
        if (m_batch.size() == spansPerBatch)
            flush();
    }

    Result<TraceFiles> finish()
    {
        flush();
        m_json.close();
        m_protobuf.close();
        if (!m_json || !m_protobuf)
            return fail(ErrorCode::CannotWrite, "the benchmark's trace files could not be written; is the disk full?",
                {m_files.json.path.string(), {}, {}});
        return m_files;
    }

private:
    void flush()
    {
        if (m_batch.empty())
            return;
        const std::string line = otlpJson(m_batch) + '\n';
        m_json.write(line.data(), std::streamsize(line.size()));
        const std::string message = otlpProtobuf(m_batch);
        for (int shift = 24; shift >= 0; shift -= 8)
            m_protobuf.put(char(message.size() >> shift));
        m_protobuf.write(message.data(), std::streamsize(message.size()));

        m_files.json.bytes += line.size();
        m_files.protobuf.bytes += message.size() + 4;
        m_files.json.spans += m_batch.size();
        m_files.protobuf.spans += m_batch.size();
        m_batch.clear();
    }

    TraceFiles m_files;
    std::ofstream m_json;
    std::ofstream m_protobuf;
    std::vector<RequestSpan> m_batch;
};

} // namespace

Result<TraceFiles> writeTraceFiles(const std::filesystem::path& directory, std::uint64_t seed, std::uint64_t requests)
{
    BatchFiles files(directory);
    std::vector<RequestSpan> open; // a heap, the span that ends first on top
    const auto closeUntil = [&](std::int64_t time) {
        while (!open.empty() && open.front().end <= time) {
            std::ranges::pop_heap(open, endsLater);
            files.add(std::move(open.back()));
            open.pop_back();
        }
    };
    for (std::uint64_t request = 0; request < requests; ++request) {
        std::vector<RequestSpan> spans = makeRequest(seed, request, Variant::Before);
        closeUntil(spans.front().start);
        for (RequestSpan& span : spans) {
            open.push_back(std::move(span));
            std::ranges::push_heap(open, endsLater);
        }
    }
    closeUntil(std::numeric_limits<std::int64_t>::max());
    return files.finish();
}

} // namespace chokepoint::bench
