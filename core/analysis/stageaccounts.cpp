// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stageaccounts.h"

#include <algorithm>
#include <set>

namespace chokepoint {

namespace {

void addSide(StageAccounts& accounts, const UsefulTimes& times, const SideFigures& figures, KindSums KindPair::*side)
{
    std::vector<std::size_t> place;
    for (const std::string& stage : times.stages)
        place.push_back(std::size_t(std::lower_bound(accounts.stages.begin(), accounts.stages.end(), stage) - accounts.stages.begin()));
    std::vector<KindSums*> byKind;
    for (const std::string& kind : figures.kinds)
        byKind.push_back(&(accounts.kinds[kind].*side));
    for (auto& [name, kind] : accounts.kinds) {
        (kind.*side).useful.resize(accounts.stages.size());
        (kind.*side).own.resize(accounts.stages.size());
    }
    for (std::size_t row = 0; row < times.rows; ++row) {
        KindSums& sums = *byKind[figures.kind[row]];
        ++sums.count;
        for (std::size_t s = 0; s < times.stages.size(); ++s) {
            sums.useful[place[s]] += double(times.onPath(row, s, TimeUse::Useful));
            sums.retry += double(times.onPath(row, s, TimeUse::Retry));
            sums.queue += double(times.onPath(row, s, TimeUse::Queue));
            sums.own[place[s]] += double(times.ownTime(row, s));
        }
    }
}

void addOverhead(StageAccounts& accounts, const UsefulTimes& times)
{
    accounts.overhead.resize(accounts.stages.size());
    accounts.onPath.resize(accounts.stages.size());
    for (std::size_t s = 0; s < times.stages.size(); ++s) {
        const auto place =
            std::size_t(std::lower_bound(accounts.stages.begin(), accounts.stages.end(), times.stages[s]) - accounts.stages.begin());
        double useful = 0;
        for (std::size_t row = 0; row < times.rows; ++row) {
            useful += double(times.onPath(row, s, TimeUse::Useful));
            accounts.overhead[place].retry += double(times.onPath(row, s, TimeUse::Retry)) / accounts.n;
            accounts.overhead[place].queue += double(times.onPath(row, s, TimeUse::Queue)) / accounts.n;
        }
        accounts.onPath[place] = useful / accounts.n + accounts.overhead[place].retry + accounts.overhead[place].queue;
    }
}

} // namespace

StageAccounts accountsOf(const UsefulTimes& before, const SideFigures& first, const UsefulTimes& after, const SideFigures& second)
{
    StageAccounts accounts;
    std::set<std::string> names(before.stages.begin(), before.stages.end());
    names.insert(after.stages.begin(), after.stages.end());
    accounts.stages.assign(names.begin(), names.end());
    accounts.n = double(first.size());
    accounts.m = double(second.size());
    addSide(accounts, before, first, &KindPair::before);
    addSide(accounts, after, second, &KindPair::after);
    addOverhead(accounts, before);
    return accounts;
}

} // namespace chokepoint
