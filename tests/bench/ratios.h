// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks that are told as ratios: absolute times drift with the machine, ratios taken in one run do not.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace chokepoint::bench {

/// "\a label: numerator / denominator", with the limit that it should keep (0: none is set).
struct Ratio {
    std::string label;
    std::string numerator; // names of benchmarks
    std::string denominator;
    double limit = 0;
    enum class Sense { AtMost, AtLeast } sense = Sense::AtMost;
    enum class Measure {
        Time, // of an iteration
        Rate, // bytes a second
        PeakMemory, // counter peak_MB
        Cores // processor time of the numerator by its own wall time; the denominator is not used
    } measure = Measure::Time;
};

/// Google Benchmark's table, then a line a ratio: of wall time, and of processor time, which holds on a busy machine too.
/// Of repeated runs the fastest counts, and the smallest peak of memory.
class RatioReporter : public benchmark::ConsoleReporter {
public:
    explicit RatioReporter(std::vector<Ratio> ratios) : ConsoleReporter(OO_Tabular), m_ratios(std::move(ratios)) { }
    void ReportRuns(const std::vector<Run>& runs) override;
    void Finalize() override;

private:
    struct Figures { // of an iteration
        double wall = 0; // seconds
        double processor = 0; // seconds, of all threads
        double bytes = 0;
        double peakMb = 0;
    };
    struct Quotient {
        double wall = 0;
        std::optional<double> processor; // where there is one
    };
    [[nodiscard]] static Quotient quotient(Ratio::Measure measure, const Figures& over, const Figures& under);

    std::vector<Ratio> m_ratios;
    std::map<std::string, Figures> m_best; // by benchmark
};

/// Runs all registered benchmarks with the options of the command line; the exit status of main().
[[nodiscard]] int runBenchmarks(int argc, char** argv, std::vector<Ratio> ratios);

/// Positive integer from the environment, such as CHOKEPOINT_BENCH_SPANS, else \a fallback.
[[nodiscard]] std::uint64_t sizeFromEnvironment(const char* variable, std::uint64_t fallback);

} // namespace chokepoint::bench
