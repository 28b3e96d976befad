// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What several checks see in a deployment: its calls of models with their phases, spans of a stage, ratios with intervals.
#pragma once

#include "core/analysis/checks.h"

#include <functional>
#include <string>
#include <vector>

namespace chokepoint::checks {

/// Whether spans themselves, whatever they are charged to, are of a top-level stage.
class StageTest {
public:
    StageTest(const StageMap& stages, std::string_view name);

    [[nodiscard]] StageId id() const { return m_stage; }
    /// \a row: of the columns.
    [[nodiscard]] bool operator()(std::uint64_t row) const { return m_fits[row]; }

private:
    StageId m_stage;
    std::vector<bool> m_fits; // by span of the columns
};

/// One call that generates, whoever recorded it.
struct ModelCall {
    std::uint32_t trace = 0;
    std::uint32_t span = 0; // index in the trace: the outermost span of the call
    std::uint64_t row = 0; // of the columns: the record that the usage comes from
    Timestamp begin = unknownTime;
    Timestamp end = unknownTime;
    TokenBuckets tokens;
    Duration prefill = unknownDuration;
    Duration decode = unknownDuration;
    std::optional<double> batch; // sequences computed together
    bool batchIsEstimate = false; // calls under way at the same time
    bool isClientTimed = false; // decode is all that came after the first token: network and queue included
    std::string_view model; // "" is unknown
    std::string_view provider;
    std::optional<Money> cost;
    bool failed = false;
};

/// By trace, then begin.
[[nodiscard]] std::vector<ModelCall> modelCalls(const CheckSide& side);
/// The calls of each trace: [firstCall[t], firstCall[t + 1]).
[[nodiscard]] std::vector<std::size_t> firstCalls(const CheckSide& side, const std::vector<ModelCall>& calls);
/// Whether any span generates.
[[nodiscard]] bool generates(const CheckSide& side);

/// Time in spans of \a stage below \a span (itself included), or, where there are none, that its attributes tell.
[[nodiscard]] Duration phaseTime(const CheckSide& side, std::size_t trace, std::uint32_t span, StageId stage);

/// Visits the spans that have facts and fit, but none inside another that does: one record of each event. visit(trace, span in it, row).
void forEachOutermost(const CheckSide& side, const std::function<bool(std::uint64_t row)>& fits,
    const std::function<void(std::uint32_t trace, std::uint32_t span, std::uint64_t row)>& visit);

/// One numerator and denominator a call.
struct Part {
    double part = 0;
    double whole = 0;
    std::uint32_t trace = 0;
};
/// The sum of the parts over that of the wholes; nothing for none.
[[nodiscard]] std::optional<double> ratioOf(const std::vector<Part>& parts);
/// Its 95 % interval, calls as the unit (linearized); nothing below 2 of them.
[[nodiscard]] std::optional<Interval> ratioInterval(const std::vector<Part>& parts);
/// Traces of the parts with the lowest ratio first (\a lowest) or the highest, ties by trace.
[[nodiscard]] std::vector<std::uint32_t> extremeTraces(std::vector<Part> parts, bool lowest);

[[nodiscard]] double meanOf(const std::vector<double>& values); // not empty
/// Type 7; \a values are reordered, not empty.
[[nodiscard]] double quantileOf(std::vector<double>& values, double p);

[[nodiscard]] Duration toDuration(double ns);

} // namespace chokepoint::checks
