// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Random rows: first a place in the tree, then times around the parent's, then faults.
#include "tests/testkit/randomtrace.h"

#include "tests/testkit/tracebuilder.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

namespace chokepoint::testkit {

namespace {

constexpr std::array kindsOf{SpanKind::Server, SpanKind::Client, SpanKind::Producer, SpanKind::Consumer};
constexpr std::array<const char*, 6> namesOf{"search", "chat", "rerank", "embed", "tool", "guard"};

struct Steps {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

class RowMaker {
public:
    RowMaker(Random& random, const RandomShape& shape, Dictionary& dictionary) : m_random(random), m_shape(shape)
    {
        for (unsigned i = 0; i < std::max(1U, shape.hosts); ++i) {
            Resource resource;
            resource.attributes.push_back({"service.name", {"service-" + std::to_string(i)}});
            resource.attributes.push_back({"host.name", {"host-" + std::to_string(i)}});
            m_resources.push_back(dictionary.internResource(resource));
            m_offsets.push_back(shape.skew == 0 ? 0 : random.between(-shape.skew, shape.skew));
        }
        for (const char* name : namesOf)
            m_names.push_back(dictionary.strings.intern(name));
    }

    SpanColumns make()
    {
        const auto n = std::size_t(m_random.between(m_shape.minSpans, m_shape.maxSpans));
        for (std::size_t i = 0; i < n; ++i)
            addSpan(i);
        for (std::size_t i = 1; i < n; ++i)
            rewire(i, n);
        return m_rows;
    }

private:
    void addSpan(std::size_t i)
    {
        const std::size_t parent = i == 0 ? 0 : placeFor(i);
        const Steps steps = i == 0 ? Steps{0, m_shape.duration} : stepsBelow(parent);
        m_steps.push_back(steps);
        m_lastChildEnd.push_back(steps.begin);
        if (i != 0)
            m_lastChildEnd[parent] = steps.end;
        const std::size_t host = m_random.below(m_resources.size());
        SpanRow row;
        row.spanId = SpanId{i + 1};
        row.parentId = i == 0 ? SpanId{} : m_rows.spanId[parent];
        row.name = m_names[m_random.below(m_names.size())];
        row.resource = m_resources[host];
        row.start = timestampFromNs(m_shape.origin + m_offsets[host] + steps.begin * m_shape.grid);
        row.end = timestampFromNs(m_shape.origin + m_offsets[host] + steps.end * m_shape.grid);
        addFlags(row);
        if (i != 0)
            addFaults(row);
        m_rows.push_back(row);
    }

    std::size_t placeFor(std::size_t i)
    {
        const std::uint64_t dice = m_random.below(100);
        if (dice < m_shape.chainPercent)
            return i - 1;
        return dice < m_shape.chainPercent + m_shape.fanPercent ? 0 : m_random.below(i);
    }

    Steps stepsBelow(std::size_t parent)
    {
        const Steps outer = m_steps[parent];
        const std::int64_t margin = m_random.chance(m_shape.overflowPercent) ? m_shape.duration / 4 : 0;
        const std::int64_t low = outer.begin - margin;
        const std::int64_t high = outer.end + margin;
        std::int64_t begin = m_random.between(low, high);
        if (m_random.chance(m_shape.adjacentPercent))
            begin = std::clamp(m_lastChildEnd[parent], low, high);
        const std::int64_t end = m_random.chance(m_shape.zeroPercent) ? begin : m_random.between(begin, high);
        return {begin, end};
    }

    void addFlags(SpanRow& row)
    {
        row.flags.setKind(m_random.chance(m_shape.kindPercent) ? kindsOf[m_random.below(kindsOf.size())] : SpanKind::Internal);
        if (m_random.chance(m_shape.errorPercent))
            row.flags.setStatus(SpanStatus::Error);
        if (m_random.chance(m_shape.followsPercent))
            row.flags.set(SpanFlags::Follows);
        if (m_random.chance(m_shape.asyncPercent))
            row.flags.set(SpanFlags::Async);
        if (m_random.chance(m_shape.cancelPercent))
            row.flags.set(SpanFlags::Cancelled);
        if (m_random.chance(m_shape.streamPercent)) {
            row.flags.set(SpanFlags::Streaming);
            row.firstToken = timestampFromNs(m_random.between(toNs(row.start), std::max(toNs(row.start), toNs(row.end))));
        }
    }

    void addFaults(SpanRow& row)
    {
        if (m_random.chance(m_shape.negativePercent))
            row.end = row.start - Duration{1 + std::int64_t(m_random.below(50))};
        if (m_random.chance(m_shape.noEndPercent))
            row.end = unknownTime;
        if (m_random.chance(m_shape.noStartPercent))
            row.start = unknownTime;
    }

    void rewire(std::size_t i, std::size_t n)
    {
        if (m_random.chance(m_shape.rootPercent))
            m_rows.parentId[i] = SpanId{};
        else if (m_random.chance(m_shape.orphanPercent))
            m_rows.parentId[i] = SpanId{1'000'000 + m_random.below(3)};
        else if (m_random.chance(m_shape.cyclePercent))
            m_rows.parentId[i] = SpanId{i + 1 + m_random.below(n - i)};
        if (m_random.chance(m_shape.duplicatePercent))
            m_rows.spanId[i] = SpanId{1 + m_random.below(i)};
    }

    Random& m_random;
    const RandomShape& m_shape;
    std::vector<ResourceId> m_resources;
    std::vector<std::int64_t> m_offsets; // clock of each host, ns
    std::vector<StringId> m_names;
    std::vector<Steps> m_steps;
    std::vector<std::int64_t> m_lastChildEnd; // in steps
    SpanColumns m_rows;
};

TraceColumns single(const std::shared_ptr<Dictionary>& dictionary, SpanColumns rows)
{
    std::vector<SpanColumns> traces;
    traces.push_back(std::move(rows));
    return assemble(dictionary, traces);
}

} // namespace

RandomShape tameShape()
{
    return {};
}

RandomShape hostileShape()
{
    RandomShape shape;
    shape.duration = 60;
    shape.grid = 500;
    shape.overflowPercent = 25;
    shape.zeroPercent = 8;
    shape.negativePercent = 3;
    shape.noStartPercent = 2;
    shape.noEndPercent = 3;
    shape.orphanPercent = 5;
    shape.rootPercent = 3;
    shape.cyclePercent = 5;
    shape.duplicatePercent = 4;
    shape.followsPercent = 8;
    shape.asyncPercent = 4;
    shape.streamPercent = 15;
    shape.cancelPercent = 8;
    shape.errorPercent = 15;
    shape.kindPercent = 40;
    shape.hosts = 3;
    shape.skew = 4000;
    return shape;
}

SpanColumns randomRows(Random& random, const RandomShape& shape, Dictionary& dictionary)
{
    return shuffled(RowMaker(random, shape, dictionary).make(), random);
}

TraceColumns randomTraces(std::uint64_t seed, std::size_t traces, const RandomShape& shape)
{
    Random random(seed);
    const auto dictionary = std::make_shared<Dictionary>();
    std::vector<SpanColumns> rows;
    for (std::size_t i = 0; i < traces; ++i)
        rows.push_back(randomRows(random, shape, *dictionary));
    return assemble(dictionary, rows);
}

SpanColumns shuffled(const SpanColumns& rows, Random& random)
{
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.below(i)]);
    SpanColumns result;
    for (const std::size_t i : order)
        result.push_back(rows.row(i));
    return result;
}

TraceColumns chainTrace(std::uint32_t spans)
{
    const auto dictionary = std::make_shared<Dictionary>();
    const StringId name = dictionary->strings.intern("link");
    SpanColumns rows;
    for (std::uint32_t i = 0; i < spans; ++i) {
        SpanRow row;
        row.spanId = SpanId{i + 1};
        row.parentId = SpanId{i};
        row.start = timestampFromNs(i);
        row.end = timestampFromNs(2 * std::int64_t(spans) - i);
        row.name = name;
        rows.push_back(row);
    }
    return single(dictionary, std::move(rows));
}

TraceColumns wideTrace(std::uint32_t children)
{
    const auto dictionary = std::make_shared<Dictionary>();
    const StringId name = dictionary->strings.intern("item");
    SpanColumns rows;
    for (std::uint32_t i = 0; i <= children; ++i) {
        SpanRow row;
        row.spanId = SpanId{i + 1};
        row.parentId = SpanId{i == 0 ? 0U : 1U};
        row.start = timestampFromNs(i == 0 ? 0 : 1 + 2 * std::int64_t(i));
        row.end = timestampFromNs(i == 0 ? 2 * std::int64_t(children) + 4 : 2 + 2 * std::int64_t(i));
        row.name = name;
        rows.push_back(row);
    }
    return single(dictionary, std::move(rows));
}

} // namespace chokepoint::testkit
