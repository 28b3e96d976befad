// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Gates for continuous integration: limits on the figures of a comparison, which fail closed.
#pragma once

#include "core/analysis/comparison.h"
#include "core/base/result.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

enum class GateStatus : std::uint8_t { Pass, Fail, Inconclusive };
[[nodiscard]] const char* gateStatusName(GateStatus status); // "pass", "fail", "inconclusive"

/// What a figure counts, which says how a limit on it is written.
enum class FigureUnit : std::uint8_t { Time, Share, Number };

/// One figure of a comparison. Times are in ns. Unknown parts are absent.
struct GateFigure {
    FigureUnit unit = FigureUnit::Number;
    std::optional<double> before;
    std::optional<double> after;
    std::optional<Interval> difference; // 95 % of after - before
    std::string missing; // why a part is absent, for people
};

/// A limit as the user wrote it: "p95 > +5%", "mean > +20ms", "retry_rate > 0.1", "stage.generate.share > 0.7".
struct Gate {
    enum class Operator : std::uint8_t { Greater, GreaterEqual, Less, LessEqual };
    enum class Limit : std::uint8_t { Absolute, Difference, RelativeDifference }; // of AFTER; of AFTER - BEFORE; as a share of BEFORE

    std::string expression;
    std::string statistic;
    Operator comparison{};
    Limit kind{};
    double limit = 0; // ns, share or number; of a relative difference 0.05 for 5 %
    bool isTime = false; // the limit was written with a unit of time
};

/// STAT OP LIMIT. OP is >, >=, < or <=. A LIMIT with a sign is one on the difference, in a unit of time (ns, us, ms, s, min), in
/// % of BEFORE, or plain; without a sign it is one on AFTER, in a unit of time, in % (a share) or plain. Fails with
/// InvalidArgument, which says what was expected.
[[nodiscard]] Result<Gate> parseGate(std::string_view expression);

struct GateResult {
    Gate gate;
    GateStatus status = GateStatus::Inconclusive;
    std::string why; // with the figures and the interval that decided
};

/// The figure of that name, or nothing when there is none of that name at all.
using FindFigure = std::function<std::optional<GateFigure>(std::string_view statistic)>;

/// A gate on a difference fails only when its whole 95 % interval is beyond the limit and passes only when all of it is inside; a
/// relative limit is compared with the interval over BEFORE. A gate on AFTER alone compares the figure. What is unknown is
/// inconclusive, and so is every gate when the sides are not \a comparable. Fails with InvalidArgument for an unknown figure or a
/// limit in the wrong unit.
[[nodiscard]] Result<std::vector<GateResult>> evaluateGates(const std::vector<Gate>& gates, const FindFigure& figure, bool comparable);

/// mean, p50, p95, p99, error_rate, stage.NAME.mean, stage.NAME.share of \a comparison; nothing for other names.
[[nodiscard]] std::optional<GateFigure> comparisonFigure(const Comparison& comparison, std::string_view statistic);

} // namespace chokepoint
