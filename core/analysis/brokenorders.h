// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which sibling operations wait for each other, learned from many traces: one trace in which the second begins while the first
// runs shows that it does not (algorithms.md 5.1).
#pragma once

#include "core/base/ids.h"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace chokepoint {

/// Two operations below a parent of one name. An operation is a name and a stage: clients call different things by one name ("POST").
/// Names are ids of one dictionary, stages of one table.
struct OperationOrder {
    StringId parent{};
    StringId first{};
    StringId second{};
    StageId firstStage{};
    StageId secondStage{};
    friend bool operator==(const OperationOrder&, const OperationOrder&) = default;
};

struct OperationOrderHash {
    std::size_t operator()(const OperationOrder& order) const
    {
        const std::uint64_t names =
            mix64(mix64(std::uint64_t(toIndex(order.parent)) << 32 | toIndex(order.first)) ^ std::uint64_t(toIndex(order.second)));
        return std::size_t(mix64(names ^ (std::uint64_t(toIndex(order.firstStage)) << 32 | toIndex(order.secondStage))));
    }
};

/// Orders that are no waits.
using BrokenOrders = std::unordered_set<OperationOrder, OperationOrderHash>;

/// Collects what traces show.
class OrderVotes {
public:
    /// Both occur below one parent of one trace, and \a isBroken: there, the second did not wait for the first.
    void add(const OperationOrder& order, bool isBroken)
    {
        Count& count = m_counts[order];
        ++count.traces;
        count.broken = count.broken || isBroken;
    }
    void merge(const OrderVotes& other)
    {
        for (const auto& [order, theirs] : other.m_counts) {
            Count& count = m_counts[order];
            count.traces += theirs.traces;
            count.broken = count.broken || theirs.broken;
        }
    }
    /// Those with a counter-example among at least \a fewest occurrences.
    [[nodiscard]] BrokenOrders broken(std::uint32_t fewest = 20) const
    {
        BrokenOrders orders;
        for (const auto& [order, count] : m_counts)
            if (count.broken && count.traces >= fewest)
                orders.insert(order);
        return orders;
    }

private:
    struct Count {
        std::uint32_t traces = 0;
        bool broken = false;
    };
    std::unordered_map<OperationOrder, Count, OperationOrderHash> m_counts;
};

} // namespace chokepoint
