// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/ratios.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace chokepoint::bench {

void RatioReporter::ReportRuns(const std::vector<Run>& runs)
{
    benchmark::ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
        if (run.run_type != Run::RT_Iteration || run.error_occurred || run.iterations == 0)
            continue;
        const double iterations = double(run.iterations);
        const Seconds seconds{run.real_accumulated_time / iterations, run.cpu_accumulated_time / iterations};
        Seconds& fastest = m_fastest.try_emplace(run.run_name.function_name, seconds).first->second;
        fastest.wall = std::min(fastest.wall, seconds.wall);
        fastest.processor = std::min(fastest.processor, seconds.processor);
    }
}

void RatioReporter::Finalize()
{
    std::ostream& out = GetOutputStream();
    out << fmt::format("\n{:<72}{:>10}{:>11}\n", "Ratios", "wall", "processor");
    for (const Ratio& ratio : m_ratios) {
        const auto numerator = m_fastest.find(ratio.numerator);
        const auto denominator = m_fastest.find(ratio.denominator);
        if (numerator == m_fastest.end() || denominator == m_fastest.end())
            continue;
        const Seconds& over = numerator->second;
        const Seconds& under = denominator->second;
        out << fmt::format("{:<72}{:>10.2f}{:>11.2f}", ratio.label, over.wall / under.wall, over.processor / under.processor);
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
