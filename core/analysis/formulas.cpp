// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/formulas.h"

#include <cmath>

namespace chokepoint::formulas {

namespace {

/// 1 + x + ... + x^n, also for x = 1.
double geometricSum(double x, unsigned n)
{
    double sum = 1;
    for (unsigned i = 0; i < n; ++i)
        sum = 1 + x * sum;
    return sum;
}

} // namespace

double amdahlSpeedup(double share, double factor)
{
    return 1 / (1 - share + share * factor);
}

double amdahlCeiling(double share)
{
    return 1 / (1 - share);
}

double expectedAttempts(double p, unsigned retries)
{
    return geometricSum(p, retries);
}

std::optional<double> expectedAttemptsUnlimited(double p)
{
    return p < 1 ? std::optional(1 / (1 - p)) : std::nullopt;
}

double allFail(double p, unsigned retries)
{
    return std::pow(p, double(retries) + 1);
}

double expectedRetryTime(double p, unsigned retries, double attempt, double backoff, double growth)
{
    const double waits = retries == 0 ? 0 : backoff * p * geometricSum(growth * p, retries - 1);
    return attempt * expectedAttempts(p, retries) + waits;
}

double cacheTime(double hitRate, double lookup, double miss)
{
    return lookup + (1 - hitRate) * miss;
}

double routerTime(const Router& router, double accuracy)
{
    const double easy = accuracy * router.small + (1 - accuracy) * router.large;
    const double hard = accuracy * router.large + (1 - accuracy) * (router.small + router.escalation + router.large);
    return router.cost + router.easyShare * easy + (1 - router.easyShare) * hard;
}

std::optional<double> routerBreakEven(const Router& router)
{
    const double slope = routerTime(router, 1) - routerTime(router, 0);
    if (slope == 0)
        return std::nullopt;
    return (router.large - routerTime(router, 0)) / slope;
}

double tokensPerVerification(double acceptance, unsigned draftLength)
{
    return geometricSum(acceptance, draftLength);
}

double speculativeFactor(double acceptance, unsigned draftLength, double draftCost)
{
    return (double(draftLength) * draftCost + 1) / tokensPerVerification(acceptance, draftLength);
}

double speculativeBreakEven(unsigned draftLength, double draftCost)
{
    double low = 0;
    double high = 1;
    if (speculativeFactor(1, draftLength, draftCost) > 1)
        return 1;
    for (int step = 0; step < 100; ++step) { // the factor falls with the acceptance
        const double middle = (low + high) / 2;
        (speculativeFactor(middle, draftLength, draftCost) > 1 ? low : high) = middle;
    }
    return (low + high) / 2;
}

std::optional<double> erlangC(const Station& station)
{
    const double utilization = station.utilization();
    if (utilization >= 1)
        return std::nullopt;
    const double offered = station.arrivalRate * station.serviceTime;
    double blocked = 1; // Erlang B by its recursion, which does not overflow
    for (unsigned j = 1; j <= station.servers; ++j)
        blocked = offered * blocked / (double(j) + offered * blocked);
    return blocked / (1 - utilization * (1 - blocked));
}

std::optional<double> waitErlang(const Station& station)
{
    const std::optional<double> waits = erlangC(station);
    if (!waits)
        return std::nullopt;
    return *waits * station.serviceTime / (double(station.servers) * (1 - station.utilization()));
}

std::optional<double> waitAllenCunneen(const Station& station)
{
    const std::optional<double> wait = waitErlang(station);
    return wait ? std::optional(*wait * (station.arrivalVariation + station.serviceVariation) / 2) : std::nullopt;
}

std::optional<double> waitSakasegawa(const Station& station)
{
    const double utilization = station.utilization();
    if (utilization >= 1)
        return std::nullopt;
    const double servers = double(station.servers);
    return (station.arrivalVariation + station.serviceVariation) / 2 * station.serviceTime
        * std::pow(utilization, std::sqrt(2 * (servers + 1)) - 1) / (servers * (1 - utilization));
}

} // namespace chokepoint::formulas
