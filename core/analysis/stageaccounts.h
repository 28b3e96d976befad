// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Useful time, retries and queues of both sides of a comparison by stage and kind of request: what Amdahl's terms are made of.
#pragma once

#include "core/analysis/comparesides.h"
#include "core/analysis/usefultime.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace chokepoint {

/// Sums over requests of one kind, ns.
struct KindSums {
    std::size_t count = 0;
    double e2e = 0;
    double retry = 0;
    double queue = 0;
    std::vector<double> useful; // by stage, on path
    std::vector<double> own;
};

struct KindPair {
    KindSums before;
    KindSums after;
};

/// The time of a stage of BEFORE that is no useful work; means a request, ns.
struct StageOverhead {
    double retry = 0;
    double queue = 0;
};

/// A change of means: by other requests, and for the same ones.
struct MeanChange {
    double mix = 0;
    double within = 0;
};

/// Both sides' times by stage and kind of request.
struct StageAccounts {
    std::vector<std::string> stages; // of either side, ascending
    std::map<std::string, KindPair> kinds;
    double n = 0; // traces of BEFORE
    double m = 0; // traces of AFTER
    std::vector<StageOverhead> overhead; // by stage
    std::vector<double> onPath; // by stage, mean of BEFORE with overhead

    /// The exact midpoint split of 4.5; kinds that one side alone has are mix.
    template <typename Figure> [[nodiscard]] MeanChange change(Figure&& figure) const
    {
        MeanChange change;
        for (const auto& [name, kind] : kinds) {
            const double share = double(kind.before.count) / n;
            const double shareAfter = double(kind.after.count) / m;
            const double mean = kind.before.count == 0 ? 0 : figure(kind.before) / double(kind.before.count);
            const double meanAfter = kind.after.count == 0 ? 0 : figure(kind.after) / double(kind.after.count);
            const bool isOneSided = kind.before.count == 0 || kind.after.count == 0;
            change.mix += isOneSided ? shareAfter * meanAfter - share * mean : (shareAfter - share) * (mean + meanAfter) / 2;
            change.within += isOneSided ? 0 : (share + shareAfter) / 2 * (meanAfter - mean);
        }
        return change;
    }

    /// after / before of the kinds that both sides have, each weighted alike on both; nothing when there is none before.
    template <typename Figure> [[nodiscard]] std::optional<double> ratio(Figure&& figure) const
    {
        double before = 0;
        double after = 0;
        for (const auto& [name, kind] : kinds) {
            if (kind.before.count == 0 || kind.after.count == 0)
                continue;
            const double weight = double(kind.before.count) / n + double(kind.after.count) / m;
            before += weight * figure(kind.before) / double(kind.before.count);
            after += weight * figure(kind.after) / double(kind.after.count);
        }
        return before > 0 ? std::optional(after / before) : std::nullopt;
    }

    /// Achieved factor of a stage; 1 where the stage has no useful time before.
    [[nodiscard]] double factor(std::size_t stage) const
    {
        const std::optional<double> own = ratio([stage](const KindSums& sums) { return sums.own[stage]; });
        if (own && *own > 0)
            return *own;
        return ratio([stage](const KindSums& sums) { return sums.useful[stage]; }).value_or(1); // gaps are no span's own
    }
};

/// \a before and \a after have a row for each trace of \a first and \a second. Both sides have traces.
[[nodiscard]] StageAccounts accountsOf(
    const UsefulTimes& before, const SideFigures& first, const UsefulTimes& after, const SideFigures& second);

} // namespace chokepoint
