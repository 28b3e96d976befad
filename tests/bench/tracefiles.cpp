// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/tracefiles.h"

#include "tests/bench/otherformats.h"
#include "tests/bench/otlpbatch.h"

#include <algorithm>
#include <fstream>
#include <limits>

namespace chokepoint::bench {
namespace {

constexpr std::size_t spansPerBatch = 200;
constexpr std::uint64_t chromeLanes = 256; // about 25 requests run at a time

bool endsLater(const RequestSpan& a, const RequestSpan& b)
{
    return a.end > b.end;
}

/// A file that is being written.
class Target {
public:
    explicit Target(std::filesystem::path path) : m_file{std::move(path), 0, 0}, m_out(m_file.path, std::ios::binary) { }

    void write(std::string_view bytes)
    {
        m_out.write(bytes.data(), std::streamsize(bytes.size()));
        m_file.bytes += bytes.size();
    }
    void addSpans(std::size_t count) { m_file.spans += count; }

    Result<TraceFile> finish()
    {
        m_out.close();
        if (!m_out)
            return fail(ErrorCode::CannotWrite, "a trace file of the benchmark could not be written; is the disk full?",
                {m_file.path.string(), {}, {}});
        return m_file;
    }

private:
    TraceFile m_file;
    std::ofstream m_out;
};

/// A JSON list that is being written: its parts with commas between them.
class ListTarget {
public:
    ListTarget(std::filesystem::path path, std::string_view opening) : m_target(std::move(path)) { m_target.write(opening); }

    void add(std::string_view part, std::size_t spans)
    {
        m_target.write(m_isFirst ? "" : ",\n");
        m_target.write(part);
        m_target.addSpans(spans);
        m_isFirst = false;
    }

    Result<TraceFile> finish(std::string_view closing)
    {
        m_target.write(closing);
        return m_target.finish();
    }

private:
    Target m_target;
    bool m_isFirst = true;
};

constexpr std::string_view requestOpening = R"({"resourceSpans":[)"; // of otlpJson()
constexpr std::string_view requestClosing = "]}";

/// Appends batches to all three files.
class BatchFiles {
public:
    explicit BatchFiles(const std::filesystem::path& directory)
        : m_json(directory / "workload.jsonl"), m_protobuf(directory / "workload.pb"),
          m_document(directory / "workload.json", requestOpening)
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
        Result<TraceFile> json = m_json.finish();
        Result<TraceFile> protobuf = m_protobuf.finish();
        Result<TraceFile> document = m_document.finish(requestClosing);
        for (const auto* file : {&json, &protobuf, &document})
            if (!*file)
                return fail(file->error());
        return TraceFiles{std::move(*json), std::move(*protobuf), std::move(*document)};
    }

private:
    void flush()
    {
        if (m_batch.empty())
            return;
        const std::string json = otlpJson(m_batch);
        m_json.write(json);
        m_json.write("\n");
        m_document.add(std::string_view(json).substr(requestOpening.size(), json.size() - requestOpening.size() - requestClosing.size()),
            m_batch.size());
        const std::string message = otlpProtobuf(m_batch);
        std::string length;
        for (int shift = 24; shift >= 0; shift -= 8)
            length.push_back(char(message.size() >> shift));
        m_protobuf.write(length);
        m_protobuf.write(message);
        m_json.addSpans(m_batch.size());
        m_protobuf.addSpans(m_batch.size());
        m_batch.clear();
    }

    Target m_json;
    Target m_protobuf;
    ListTarget m_document;
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

Result<OtherFiles> writeOtherFiles(const std::filesystem::path& directory, std::uint64_t seed, std::uint64_t requests)
{
    ListTarget jaeger(directory / "workload.jaeger.json", R"({"data":[)");
    ListTarget zipkin(directory / "workload.zipkin.json", "[");
    ListTarget chrome(directory / "workload.chrome.json", R"({"traceEvents":[)");
    for (std::uint64_t request = 0; request < requests; ++request) {
        const std::vector<RequestSpan> spans = makeRequest(seed, request, Variant::Before);
        jaeger.add(jaegerTrace(spans), spans.size());
        zipkin.add(zipkinSpans(spans), spans.size());
        chrome.add(chromeEvents(spans, request % chromeLanes), spans.size());
    }
    Result<TraceFile> jaegerFile = jaeger.finish("]}");
    Result<TraceFile> zipkinFile = zipkin.finish("]");
    Result<TraceFile> chromeFile = chrome.finish("]}");
    for (const auto* file : {&jaegerFile, &zipkinFile, &chromeFile})
        if (!*file)
            return fail(file->error());
    return OtherFiles{std::move(*jaegerFile), std::move(*zipkinFile), std::move(*chromeFile)};
}

} // namespace chokepoint::bench
