// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a person should know first: short sentences from fixed templates, each with the figures that it rests on.
#pragma once

#include "core/analysis/amdahl.h"
#include "core/analysis/spending.h"
#include "core/analysis/summary.h"
#include "core/analysis/whatif.h"

#include <string>
#include <variant>
#include <vector>

namespace chokepoint {

enum class FindingSeverity : std::uint8_t { Info, Warning, Critical };
[[nodiscard]] const char* findingSeverityName(FindingSeverity severity); // "info", "warning", "critical"

using EvidenceValue = std::variant<std::int64_t, double, std::string>;

/// A figure that a finding rests on.
struct Evidence {
    std::string name; // "before_mean_ns"; times are in ns and end so
    EvidenceValue value;
    std::string shown; // as it stands in the sentences: "1.20 s"
};

struct Finding {
    std::string id; // "bottleneck-moved"
    FindingSeverity severity = FindingSeverity::Info;
    std::string title;
    std::string text; // one to three sentences; every number in it and in the title is shown by some evidence
    std::vector<Evidence> evidence;
    std::vector<std::string> traces; // ids of traces worth opening, at most 3
};

struct Check;

/// One deployment and what is known of it. All references outlive the call.
struct FindingsSide {
    const TraceColumns& columns;
    const Population& population;
    const PopulationSummary& summary;
    const Spending* spending = nullptr; // nothing is said of tokens and money without it
    const RetryAnalysis* retries = nullptr;
    const WhatIfResult* ceilings = nullptr; // run with nothing set and with ceilings: for what to try next
    const std::vector<Check>* checks = nullptr; // of this side, against BEFORE where there is one
};

struct FindingsPair {
    const FindingsSide& before;
    const FindingsSide& after;
    const Comparison& comparison;
    const AmdahlAnalysis* amdahl = nullptr;
};

/// In the order in which to read them: whether there is enough data, the bottleneck, failures, retries, gaps, money, what to try.
[[nodiscard]] std::vector<Finding> findingsOf(const FindingsSide& side);
/// Whether the sides can be compared, what changed, what paid, where the bottleneck went, the mix, Amdahl, failures, retries, money,
/// what to try.
[[nodiscard]] std::vector<Finding> findingsOf(const FindingsPair& pair);

// Limits from which a finding is worth a warning.
inline constexpr double manyFailures = 0.01; // of the requests
inline constexpr double tooManyFailures = 0.05;
inline constexpr double manyRetries = 0.05; // of the requests, or of the time
inline constexpr double muchUninstrumented = 0.1; // of the time
inline constexpr double muchUnmapped = 0.1;
inline constexpr double longTail = 2; // P95 over the median
inline constexpr double worthTrying = 1.05; // speed-up that a stage could give at most

} // namespace chokepoint
