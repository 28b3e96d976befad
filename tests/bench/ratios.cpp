// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/ratios.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace chokepoint::bench {

namespace {

double counter(const benchmark::UserCounters& counters, const char* name)
{
    const auto found = counters.find(name);
    return found == counters.end() ? 0 : found->second.value;
}

} // namespace

void RatioReporter::ReportRuns(const std::vector<Run>& runs)
{
    benchmark::ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
        if (run.run_type != Run::RT_Iteration || run.error_occurred || run.iterations == 0)
            continue;
        const double iterations = double(run.iterations);
        Figures figures{run.real_accumulated_time / iterations, run.cpu_accumulated_time / iterations, 0, counter(run.counters, "peak_MB")};
        figures.bytes = counter(run.counters, "bytes_per_second") * figures.wall;
        Figures& best = m_best.try_emplace(run.run_name.function_name, figures).first->second;
        best.wall = std::min(best.wall, figures.wall);
        best.processor = std::min(best.processor, figures.processor);
        best.peakMb = std::min(best.peakMb, figures.peakMb);
    }
}

RatioReporter::Quotient RatioReporter::quotient(Ratio::Measure measure, const Figures& over, const Figures& under)
{
    switch (measure) {
    case Ratio::Measure::Time: return {over.wall / under.wall, over.processor / under.processor};
    case Ratio::Measure::Rate:
        return {over.bytes / over.wall / (under.bytes / under.wall), over.bytes / over.processor / (under.bytes / under.processor)};
    case Ratio::Measure::PeakMemory: return {over.peakMb / under.peakMb, std::nullopt};
    case Ratio::Measure::Cores: return {over.processor / over.wall, std::nullopt};
    }
    return {};
}

void RatioReporter::Finalize()
{
    std::ostream& out = GetOutputStream();
    out << fmt::format("\n{:<84}{:>8}{:>11}\n", "Ratios", "wall", "processor");
    for (const Ratio& ratio : m_ratios) {
        const auto numerator = m_best.find(ratio.numerator);
        const auto denominator = m_best.find(ratio.measure == Ratio::Measure::Cores ? ratio.numerator : ratio.denominator);
        if (numerator == m_best.end() || denominator == m_best.end())
            continue;
        const Quotient quotient = RatioReporter::quotient(ratio.measure, numerator->second, denominator->second);
        out << fmt::format("{:<84}{:>8.2f}{:>11}", ratio.label, quotient.wall,
            quotient.processor ? fmt::format("{:.2f}", *quotient.processor) : std::string());
        if (ratio.limit > 0)
            out << fmt::format("  (aim: {} {})", ratio.sense == Ratio::Sense::AtMost ? "at most" : "at least", ratio.limit);
        out << '\n';
    }
}

int runBenchmarks(int argc, char** argv, std::vector<Ratio> ratios)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    RatioReporter reporter(std::move(ratios));
    benchmark::RunSpecifiedBenchmarks(&reporter);
    benchmark::Shutdown();
    return 0;
}

std::uint64_t sizeFromEnvironment(const char* variable, std::uint64_t fallback)
{
    const char* value = std::getenv(variable);
    const std::string_view text = value ? value : "";
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    return error == std::errc{} && end == text.data() + text.size() && size > 0 ? size : fallback;
}

} // namespace chokepoint::bench
