// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Closed forms behind the what-ifs: retries, caches, routers, speculative decoding, queues, Amdahl. Times in any one unit.
// Formulas and worked numbers: algorithms.md 4.7, 5.3, 5.4, 6.
#pragma once

#include <optional>

namespace chokepoint::formulas {

/// Speed-up of the whole when a part with \a share of its time takes \a factor of its time.
[[nodiscard]] double amdahlSpeedup(double share, double factor);
/// The same with the part taking no time at all; infinity when the part is everything.
[[nodiscard]] double amdahlCeiling(double share);

/// Attempts when each fails with probability \a p and at most \a retries follow the first: (1 - p^(m+1)) / (1 - p).
[[nodiscard]] double expectedAttempts(double p, unsigned retries);
/// The same without a limit; nothing for p >= 1.
[[nodiscard]] std::optional<double> expectedAttemptsUnlimited(double p);
/// All attempts fail.
[[nodiscard]] double allFail(double p, unsigned retries);
/// Mean time with \a attempt each and a backoff of \a backoff * \a growth^(j-1) before retry j.
[[nodiscard]] double expectedRetryTime(double p, unsigned retries, double attempt, double backoff, double growth);

/// lookup + (1 - hitRate) * miss.
[[nodiscard]] double cacheTime(double hitRate, double lookup, double miss);

struct Router {
    double cost = 0; // of the decision
    double small = 0; // time of the small model
    double large = 0;
    double easyShare = 0; // requests that the small model can answer
    double escalation = 0; // extra time when the small model's answer is thrown away
};
/// Mean time with decisions right with probability \a accuracy.
[[nodiscard]] double routerTime(const Router& router, double accuracy);
/// The accuracy below which asking the large model always is faster; nothing when no accuracy changes the mean.
[[nodiscard]] std::optional<double> routerBreakEven(const Router& router);

/// Tokens a verification gives, the target's own token included: (1 - a^(g+1)) / (1 - a).
[[nodiscard]] double tokensPerVerification(double acceptance, unsigned draftLength);
/// What decoding takes of its time without speculation; above 1 it harms. \a draftCost: a step of the draft over one of the target.
[[nodiscard]] double speculativeFactor(double acceptance, unsigned draftLength, double draftCost);
/// The acceptance at which the factor is 1; 1 when none reaches it.
[[nodiscard]] double speculativeBreakEven(unsigned draftLength, double draftCost);

/// Load of a station with \a servers: arrivals per time, mean service time.
struct Station {
    double arrivalRate = 0;
    double serviceTime = 0;
    unsigned servers = 1;
    double arrivalVariation = 1; // squared coefficients of variation
    double serviceVariation = 1;

    [[nodiscard]] double utilization() const { return arrivalRate * serviceTime / double(servers); }
};
/// Probability that a request has to wait in M/M/c (Erlang C); nothing without a steady state.
[[nodiscard]] std::optional<double> erlangC(const Station& station);
/// Mean wait of M/M/c.
[[nodiscard]] std::optional<double> waitErlang(const Station& station);
/// Allen and Cunneen's: Erlang's wait times the mean of the two variations; exact for M/G/1.
[[nodiscard]] std::optional<double> waitAllenCunneen(const Station& station);
/// Sakasegawa's approximation.
[[nodiscard]] std::optional<double> waitSakasegawa(const Station& station);

} // namespace chokepoint::formulas
