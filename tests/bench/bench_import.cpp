// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Import against its floors, and every format, compression and size against OTLP JSON lines. CHOKEPOINT_BENCH_SPANS sets the
// number of spans (default 200,000).
#include "tests/bench/floors.h"
#include "tests/bench/ratios.h"
#include "tests/bench/tracefiles.h"

#include "core/import/bytesource.h"
#include "core/pipeline/dataset.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace chokepoint::bench {
namespace {

namespace fs = std::filesystem;

/// A directory that vanishes with the object.
class ScratchDirectory {
public:
    ScratchDirectory() : m_path(fs::temp_directory_path() / fmt::format("chokepoint-bench-{}", getpid())) { fs::create_directory(m_path); }
    ~ScratchDirectory()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    ScratchDirectory(const ScratchDirectory&) = delete;
    ScratchDirectory& operator=(const ScratchDirectory&) = delete;
    [[nodiscard]] const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

/// Largest memory of this process since resetPeakMemory(), in MB; Linux only, else 0.
double peakMemoryMb()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:"))
            return std::stod(line.substr(6)) / 1024;
    }
    return 0;
}

/// What earlier runs left with the allocator does not count.
void resetPeakMemory()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    std::ofstream("/proc/self/clear_refs") << "5";
}

/// The files, each written when it is first asked for: a filter on the command line spares the others.
class Inputs {
public:
    Inputs(fs::path directory, std::uint64_t spans) : m_directory(std::move(directory)), m_requests(spans / spansPerRequest) { }

    const TraceFile& json() { return otlp().json; }
    const TraceFile& protobuf() { return otlp().protobuf; }
    const TraceFile& document() { return otlp().document; }
    /// Other traces, as many.
    const TraceFile& secondJson()
    {
        return made(m_second, [&] { return jsonAlone("second", 2, m_requests); });
    }
    const TraceFile& fourfoldJson()
    {
        return made(m_fourfold, [&] { return jsonAlone("fourfold", 3, 4 * m_requests); });
    }
    const TraceFile& gzip()
    {
        return made(m_gzip, [&] { return writeGzip(json()); });
    }
    const TraceFile& zstd()
    {
        return made(m_zstd, [&] { return writeZstd(json()); });
    }
    const TraceFile& jaeger() { return other().jaeger; }
    const TraceFile& zipkin() { return other().zipkin; }
    const TraceFile& chrome() { return other().chrome; }

private:
    template <typename Files, typename Make> const Files& made(std::optional<Files>& files, Make&& make)
    {
        if (files)
            return *files;
        Result<Files> written = make();
        if (!written) {
            std::fputs((written.error().message() + "\n").c_str(), stderr);
            std::exit(1); // without its input a benchmark means nothing
        }
        return files.emplace(std::move(*written));
    }
    const TraceFiles& otlp()
    {
        return made(m_otlp, [&] { return writeTraceFiles(m_directory, 1, m_requests); });
    }
    const OtherFiles& other()
    {
        return made(m_other, [&] { return writeOtherFiles(m_directory, 1, m_requests); });
    }
    Result<TraceFile> jsonAlone(const char* name, std::uint64_t seed, std::uint64_t requests)
    {
        const fs::path directory = m_directory / name;
        fs::create_directory(directory);
        const Result<TraceFiles> files = writeTraceFiles(directory, seed, requests);
        if (!files)
            return fail(files.error());
        fs::remove(files->protobuf.path);
        fs::remove(files->document.path);
        return files->json;
    }

    fs::path m_directory;
    std::uint64_t m_requests;
    std::optional<TraceFiles> m_otlp;
    std::optional<OtherFiles> m_other;
    std::optional<TraceFile> m_second;
    std::optional<TraceFile> m_fourfold;
    std::optional<TraceFile> m_gzip;
    std::optional<TraceFile> m_zstd;
};

void countFile(benchmark::State& state, const TraceFile& file)
{
    state.SetItemsProcessed(state.iterations() * std::int64_t(file.spans));
    state.SetBytesProcessed(state.iterations() * std::int64_t(file.bytes));
}

void touchFile(benchmark::State& state, const TraceFile& file, std::uint64_t (*floor)(const fs::path&))
{
    for (auto _ : state)
        benchmark::DoNotOptimize(floor(file.path));
    countFile(state, file);
}

/// Read, parse, intern and pack; the batches are dropped.
void parseFile(benchmark::State& state, const TraceFile& file)
{
    for (auto _ : state) {
        Dictionary dictionary;
        std::uint64_t spans = 0;
        const auto drop = [&spans](SpanBatch& batch) -> Result<void> {
            spans += batch.size();
            batch.clear();
            return {};
        };
        const Result<InputReport> report = readInput(file.path.string(), dictionary, drop, JobControl());
        if (!report || spans != file.spans)
            state.SkipWithError(report ? "spans are missing" : report.error().message().c_str());
    }
    countFile(state, file);
}

/// Unpacks and drops the bytes.
void unpackFile(benchmark::State& state, const TraceFile& file)
{
    std::vector<char> block(std::size_t(4) << 20);
    for (auto _ : state) {
        auto source = ByteSource::openFile(file.path.string());
        std::uint64_t bytes = 0;
        for (auto got = (*source)->read(block.data(), block.size()); got && *got != 0; got = (*source)->read(block.data(), block.size()))
            bytes += *got;
        if (bytes != file.bytes)
            state.SkipWithError("bytes are missing");
    }
    countFile(state, file);
}

bool importAll(Store& store, const TraceFile& file, const char* label)
{
    const auto outcomes = importInputs(store, {file.path.string()}, label, JobControl());
    return outcomes && !outcomes->front().error && outcomes->front().written.newSpans == file.spans;
}

/// The whole import up to the workspace's final name. With \a earlier, into a workspace that holds that file already.
void importFile(benchmark::State& state, const TraceFile& file, const TraceFile* earlier = nullptr)
{
    const fs::path workspace = fs::temp_directory_path() / fmt::format("chokepoint-bench-{}.chokepoint", getpid());
    double peak = 0;
    std::uint64_t bytes = 0;
    for (auto _ : state) {
        state.PauseTiming();
        fs::remove(workspace);
        bool isGood = true;
        if (earlier != nullptr) {
            Result<Store> store = Store::create(workspace.string());
            isGood = store && importAll(*store, *earlier, "earlier") && store->publish();
        }
        resetPeakMemory();
        state.ResumeTiming();
        {
            Result<Store> store =
                earlier != nullptr ? Store::open(workspace.string(), Store::Mode::ReadWrite) : Store::create(workspace.string());
            isGood = isGood && store && importAll(*store, file, "bench") && store->publish();
        }
        state.PauseTiming();
        peak = std::max(peak, peakMemoryMb());
        bytes = isGood ? fs::file_size(workspace) : 0;
        fs::remove(workspace);
        state.ResumeTiming();
        if (!isGood) {
            state.SkipWithError("not all spans were imported");
            break;
        }
    }
    countFile(state, file);
    state.counters["peak_MB"] = peak;
    if (earlier != nullptr)
        return;
    state.counters["workspace_B/span"] = double(bytes) / double(file.spans);
    state.counters["workspace/file"] = double(bytes) / double(file.bytes);
}

std::vector<Ratio> ratios()
{
    using Sense = Ratio::Sense;
    using Measure = Ratio::Measure;
    constexpr double eachFormat = 0.6;
    return {
        {"JSON lines: import / (parse + intern + pack)", "import/json", "parse/json", 1.7},
        {"JSON lines: import / simdjson touching every value", "import/json", "simdjson-touch/json", 3.2},
        {"JSON lines: import / reading the file", "import/json", "read/json"},
        {"protobuf: import / (parse + intern + pack)", "import/protobuf", "parse/protobuf", 2.3},
        {"protobuf: import / protozero touching every field", "import/protobuf", "protozero-touch/protobuf"},
        {"protobuf: import / reading the file", "import/protobuf", "read/protobuf"},
        {"import of protobuf / import of the same spans as JSON lines", "import/protobuf", "import/json", 1},
        {"JSON lines: cores that the import keeps busy", "import/json", "", 0, Sense::AtLeast, Measure::Cores},
        {"protobuf: cores that the import keeps busy", "import/protobuf", "", 0, Sense::AtLeast, Measure::Cores},
        {"one JSON document / the same spans as lines", "import/document", "import/json", 1.1},
        {"one JSON document / lines: peak memory", "import/document", "import/json", 1.2, Sense::AtMost, Measure::PeakMemory},
        {"second import into a workspace / the first", "import/second", "import/json", 1.15},
        {"4 times the spans: time", "import/fourfold", "import/json", 4.4},
        {"4 times the spans: peak memory", "import/fourfold", "import/json", 1.5, Sense::AtMost, Measure::PeakMemory},
        {"gzip: import / unpacking alone", "import/gzip", "unpack/gzip", 1.2},
        {"gzip: import / import of the plain lines", "import/gzip", "import/json"},
        {"zstd: import / import of the plain lines", "import/zstd", "import/json", 1.3},
        {"Jaeger JSON: MB/s / those of OTLP JSON lines", "import/jaeger", "import/json", eachFormat, Sense::AtLeast, Measure::Rate},
        {"Zipkin JSON: MB/s / those of OTLP JSON lines", "import/zipkin", "import/json", eachFormat, Sense::AtLeast, Measure::Rate},
        {"Chrome JSON: MB/s / those of OTLP JSON lines", "import/chrome", "import/json", eachFormat, Sense::AtLeast, Measure::Rate},
    };
}

int run(int argc, char** argv)
{
    const ScratchDirectory scratch;
    Inputs inputs(scratch.path(), sizeFromEnvironment("CHOKEPOINT_BENCH_SPANS", 200'000));
    const auto add = [](const char* name, auto&& body) {
        benchmark::RegisterBenchmark(name, body)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
    };
    add("read/json", [&](benchmark::State& state) { touchFile(state, inputs.json(), readFloor); });
    add("simdjson-touch/json", [&](benchmark::State& state) { touchFile(state, inputs.json(), simdjsonFloor); });
    add("parse/json", [&](benchmark::State& state) { parseFile(state, inputs.json()); });
    add("import/json", [&](benchmark::State& state) { importFile(state, inputs.json()); });
    add("import/document", [&](benchmark::State& state) { importFile(state, inputs.document()); });
    add("import/second", [&](benchmark::State& state) { importFile(state, inputs.json(), &inputs.secondJson()); });
    add("import/fourfold", [&](benchmark::State& state) { importFile(state, inputs.fourfoldJson()); });
    add("unpack/gzip", [&](benchmark::State& state) { unpackFile(state, inputs.gzip()); });
    add("import/gzip", [&](benchmark::State& state) { importFile(state, inputs.gzip()); });
    add("import/zstd", [&](benchmark::State& state) { importFile(state, inputs.zstd()); });
    add("read/protobuf", [&](benchmark::State& state) { touchFile(state, inputs.protobuf(), readFloor); });
    add("protozero-touch/protobuf", [&](benchmark::State& state) { touchFile(state, inputs.protobuf(), protozeroFloor); });
    add("parse/protobuf", [&](benchmark::State& state) { parseFile(state, inputs.protobuf()); });
    add("import/protobuf", [&](benchmark::State& state) { importFile(state, inputs.protobuf()); });
    add("import/jaeger", [&](benchmark::State& state) { importFile(state, inputs.jaeger()); });
    add("import/zipkin", [&](benchmark::State& state) { importFile(state, inputs.zipkin()); });
    add("import/chrome", [&](benchmark::State& state) { importFile(state, inputs.chrome()); });
    return runBenchmarks(argc, argv, ratios());
}

} // namespace
} // namespace chokepoint::bench

int main(int argc, char** argv)
{
    return chokepoint::bench::run(argc, argv);
}
