// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Import of OTLP JSON lines and protobuf against its floors. CHOKEPOINT_BENCH_SPANS sets the number of spans (default 200,000).
#include "tests/bench/floors.h"
#include "tests/bench/ratios.h"
#include "tests/bench/tracefiles.h"

#include "core/pipeline/dataset.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <unistd.h>

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

void resetPeakMemory()
{
    std::ofstream("/proc/self/clear_refs") << "5";
}

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

/// The whole import into a new workspace, up to its final name.
void importFile(benchmark::State& state, const TraceFile& file)
{
    const fs::path workspace = file.path.parent_path() / "import.chokepoint";
    double peak = 0;
    std::uint64_t bytes = 0;
    for (auto _ : state) {
        state.PauseTiming();
        fs::remove(workspace);
        resetPeakMemory();
        state.ResumeTiming();
        Result<Store> store = Store::create(workspace.string());
        const auto outcomes = store ? importInputs(*store, {file.path.string()}, "bench", JobControl()) : fail(store.error());
        if (!outcomes || outcomes->front().error || outcomes->front().written.newSpans != file.spans || !store->publish()) {
            state.SkipWithError("the import failed");
            return;
        }
        state.PauseTiming();
        peak = std::max(peak, peakMemoryMb());
        bytes = fs::file_size(workspace);
        state.ResumeTiming();
    }
    countFile(state, file);
    state.counters["peak_MB"] = peak;
    state.counters["workspace_B/span"] = double(bytes) / double(file.spans);
    state.counters["workspace/file"] = double(bytes) / double(file.bytes);
}

int run(int argc, char** argv)
{
    const ScratchDirectory scratch;
    const Result<TraceFiles> files =
        writeTraceFiles(scratch.path(), 1, sizeFromEnvironment("CHOKEPOINT_BENCH_SPANS", 200'000) / spansPerRequest);
    if (!files) {
        std::fputs((files.error().message() + "\n").c_str(), stderr);
        return 1;
    }
    const TraceFile& json = files->json;
    const TraceFile& protobuf = files->protobuf;
    const auto add = [](const char* name, auto&& body) {
        benchmark::RegisterBenchmark(name, body)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
    };
    add("read/json", [&](benchmark::State& state) { touchFile(state, json, readFloor); });
    add("simdjson-touch/json", [&](benchmark::State& state) { touchFile(state, json, simdjsonFloor); });
    add("parse/json", [&](benchmark::State& state) { parseFile(state, json); });
    add("import/json", [&](benchmark::State& state) { importFile(state, json); });
    add("read/protobuf", [&](benchmark::State& state) { touchFile(state, protobuf, readFloor); });
    add("protozero-touch/protobuf", [&](benchmark::State& state) { touchFile(state, protobuf, protozeroFloor); });
    add("parse/protobuf", [&](benchmark::State& state) { parseFile(state, protobuf); });
    add("import/protobuf", [&](benchmark::State& state) { importFile(state, protobuf); });
    return runBenchmarks(argc, argv,
        {{"JSON lines: import / (parse + intern + pack)", "import/json", "parse/json", 1.7},
            {"JSON lines: import / simdjson touching every value", "import/json", "simdjson-touch/json", 3.2},
            {"JSON lines: import / reading the file", "import/json", "read/json"},
            {"protobuf: import / (parse + intern + pack)", "import/protobuf", "parse/protobuf", 2.3},
            {"protobuf: import / protozero touching every field", "import/protobuf", "protozero-touch/protobuf"},
            {"protobuf: import / reading the file", "import/protobuf", "read/protobuf"},
            {"import of protobuf / import of the same spans as JSON lines", "import/protobuf", "import/json", 1}});
}

} // namespace
} // namespace chokepoint::bench

int main(int argc, char** argv)
{
    return chokepoint::bench::run(argc, argv);
}
