// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// write_workload DIRECTORY [SPANS]: the benchmarks' trace files, for programs other than the benchmarks.
#include "tests/bench/tracefiles.h"

#include <charconv>
#include <cstdio>
#include <cstring>

namespace chokepoint::bench {
namespace {

int run(const char* directory, std::uint64_t spans)
{
    const Result<TraceFiles> files = writeTraceFiles(directory, 1, spans / spansPerRequest);
    if (!files) {
        std::fputs((files.error().message() + "\n").c_str(), stderr);
        return 1;
    }
    for (const TraceFile* file : {&files->json, &files->protobuf, &files->document})
        std::printf("%s\n", file->path.c_str());
    return 0;
}

} // namespace
} // namespace chokepoint::bench

int main(int argc, char** argv)
{
    std::uint64_t spans = 100'000;
    if (argc == 3)
        std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), spans);
    if (argc < 2 || argc > 3 || spans < chokepoint::bench::spansPerRequest) {
        std::fputs("write_workload DIRECTORY [SPANS]\n", stderr);
        return 2;
    }
    return chokepoint::bench::run(argv[1], spans);
}
