// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/ratios.h"

#include <fmt/format.h>

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
        const double seconds = run.real_accumulated_time / double(run.iterations);
        const auto [place, isNew] = m_seconds.try_emplace(run.run_name.function_name, seconds);
        if (!isNew)
            place->second = std::min(place->second, seconds);
    }
}

void RatioReporter::Finalize()
{
    std::ostream& out = GetOutputStream();
    out << "\nRatios\n";
    for (const Ratio& ratio : m_ratios) {
        const auto numerator = m_seconds.find(ratio.numerator);
        const auto denominator = m_seconds.find(ratio.denominator);
        if (numerator == m_seconds.end() || denominator == m_seconds.end())
            continue;
        out << fmt::format("{:<72} {:>9.2f}", ratio.label, numerator->second / denominator->second);
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
