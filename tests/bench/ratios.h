// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks whose times are only told as ratios: absolute times drift with the machine, ratios taken in one run do not.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace chokepoint::bench {

/// "\a label: time of numerator / time of denominator", with the limit that it should keep (0: none is set).
struct Ratio {
    std::string label;
    std::string numerator; // names of benchmarks
    std::string denominator;
    double limit = 0;
    enum class Sense { AtMost, AtLeast } sense = Sense::AtMost;
};

/// Google Benchmark's table, then a line a ratio: of wall time, and of processor time, which holds on a busy machine too.
/// Of repeated runs the fastest counts.
class RatioReporter : public benchmark::ConsoleReporter {
public:
    explicit RatioReporter(std::vector<Ratio> ratios) : ConsoleReporter(OO_Tabular), m_ratios(std::move(ratios)) { }
    void ReportRuns(const std::vector<Run>& runs) override;
    void Finalize() override;

private:
    struct Seconds { // an iteration
        double wall = 0;
        double processor = 0; // of all threads
    };

    std::vector<Ratio> m_ratios;
    std::map<std::string, Seconds> m_fastest; // by benchmark
};

/// Runs all registered benchmarks with the options of the command line; the exit status of main().
[[nodiscard]] int runBenchmarks(int argc, char** argv, std::vector<Ratio> ratios);

/// Positive integer from the environment, such as CHOKEPOINT_BENCH_SPANS, else \a fallback.
[[nodiscard]] std::uint64_t sizeFromEnvironment(const char* variable, std::uint64_t fallback);

} // namespace chokepoint::bench
