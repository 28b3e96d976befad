// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/checkviews.h"

#include "core/analysis/spanentries.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace chokepoint::checks {

namespace {

/// Fills in what the spans of one call tell of it.
class CallReader {
public:
    explicit CallReader(const CheckSide& side)
        : m_side(side), m_generates(side.stages, "generate"), m_prefill(side.stages.table->find("generate.prefill")),
          m_decode(side.stages.table->find("generate.decode"))
    {
    }

    /// \a facts: those of the trace's spans.
    [[nodiscard]] ModelCall read(std::size_t trace, std::uint64_t row, bool failed, std::span<const CallFacts> facts) const
    {
        const TraceColumns& columns = m_side.columns;
        const std::uint64_t first = columns.firstSpan[trace];
        ModelCall call;
        call.trace = std::uint32_t(trace);
        call.row = row;
        call.span = outermost(first, row);
        const std::uint64_t outer = first + call.span;
        call.begin = columns.spans.start[outer];
        call.end = columns.spans.end[outer];
        call.failed = failed || columns.spans.flags[row].isError();
        const std::span<const CallFacts> own = entriesOf(facts, row, 1);
        if (!own.empty()) {
            call.model = m_side.usage.model(own.front());
            call.provider = m_side.usage.text(own.front().provider);
        }
        call.prefill = phaseTime(m_side, trace, call.span, m_prefill);
        call.decode = phaseTime(m_side, trace, call.span, m_decode);
        if (!isKnown(call.decode))
            timeByFirstToken(outer, own.empty() ? unknownDuration : own.front().firstToken, call);
        for (const CheckNumber& number : m_side.facts.numbersOf(outer, columns.subtreeSize[outer]))
            if (number.field == CheckField::BatchSize && number.value >= 1 && !call.batch)
                call.batch = number.value;
        return call;
    }

private:
    /// A client, a gateway and an engine may all have a span of the call.
    [[nodiscard]] std::uint32_t outermost(std::uint64_t first, std::uint64_t row) const
    {
        std::uint64_t result = row;
        for (std::int32_t at = m_side.columns.parent[row]; at >= 0; at = m_side.columns.parent[first + std::uint64_t(at)]) {
            const std::uint64_t above = first + std::uint64_t(at);
            if (m_generates(above) && !m_side.stages.container[above])
                result = above;
        }
        return std::uint32_t(result - first);
    }

    /// \a wait: what the call tells of its first token.
    void timeByFirstToken(std::uint64_t outer, Duration wait, ModelCall& call) const
    {
        const SpanColumns& spans = m_side.columns.spans;
        const Duration length = spanDuration(spans.start[outer], spans.end[outer], spans.flags[outer]);
        if (!isKnown(wait) && isKnown(spans.firstToken[outer]) && isKnown(spans.start[outer]))
            wait = spans.firstToken[outer] - spans.start[outer];
        if (!isKnown(length) || !isKnown(wait) || wait < Duration{0} || wait >= length)
            return;
        call.decode = length - wait;
        call.isClientTimed = true;
    }

    const CheckSide& m_side;
    StageTest m_generates;
    StageId m_prefill;
    StageId m_decode;
};

/// Calls of one model that are under way in the middle of each.
void estimateBatches(std::vector<ModelCall>& calls)
{
    struct Times {
        std::vector<Timestamp> begins;
        std::vector<Timestamp> ends;
    };
    std::map<std::string_view, Times> byModel;
    const auto isTimed = [](const ModelCall& call) { return isKnown(call.begin) && isKnown(call.end) && call.end > call.begin; };
    for (const ModelCall& call : calls) {
        if (!isTimed(call))
            continue;
        byModel[call.model].begins.push_back(call.begin);
        byModel[call.model].ends.push_back(call.end);
    }
    for (auto& [model, times] : byModel) {
        std::sort(times.begins.begin(), times.begins.end());
        std::sort(times.ends.begin(), times.ends.end());
    }
    for (ModelCall& call : calls) {
        if (call.batch || !isTimed(call))
            continue;
        const Times& times = byModel[call.model];
        const Timestamp middle = call.begin + (call.end - call.begin) / 2;
        const auto begun = std::upper_bound(times.begins.begin(), times.begins.end(), middle) - times.begins.begin();
        const auto ended = std::upper_bound(times.ends.begin(), times.ends.end(), middle) - times.ends.begin();
        call.batch = double(std::max<std::ptrdiff_t>(1, begun - ended));
        call.batchIsEstimate = true;
    }
}

} // namespace

StageTest::StageTest(const StageMap& stages, std::string_view name) : m_stage(stages.table->find(name)), m_fits(stages.stage.size())
{
    if (m_stage == StageTable::noStage)
        return;
    std::vector<bool> isOf(stages.table->size());
    for (std::size_t stage = 0; stage < isOf.size(); ++stage)
        isOf[stage] = stages.table->topLevel(StageId(stage)) == m_stage;
    const auto fits = [&isOf](StageId stage) { return stage != StageTable::noStage && isOf[toIndex(stage)]; };
    for (std::size_t row = 0; row < m_fits.size(); ++row)
        m_fits[row] = fits(stages.stage[row]);
    for (const OwnedStage& owned : stages.owned)
        m_fits[owned.span] = fits(owned.stage);
}

Duration phaseTime(const CheckSide& side, std::size_t trace, std::uint32_t span, StageId stage)
{
    if (stage == StageTable::noStage)
        return unknownDuration;
    const std::uint64_t first = side.columns.firstSpan[trace];
    const TraceView view = side.columns.trace(trace);
    const std::uint32_t last = span + view.subtreeSize[span];
    Duration sum = unknownDuration;
    for (std::uint32_t i = span; i < last;) {
        const bool isPhase = side.stages.ownStage(first + i) == stage && isKnown(view.duration(i));
        if (isPhase)
            sum = (isKnown(sum) ? sum : Duration{0}) + view.duration(i);
        i += isPhase ? view.subtreeSize[i] : 1;
    }
    if (isKnown(sum))
        return sum;
    const auto before = [](const DerivedPart& part, std::uint64_t row) { return part.span < row; };
    auto part = std::lower_bound(side.stages.derived.begin(), side.stages.derived.end(), first + span, before);
    for (std::uint64_t told = 0; part != side.stages.derived.end() && part->span < first + last; ++part) {
        if (part->stage != stage || (isKnown(sum) && part->span != told))
            continue; // another record of the call tells the same
        told = part->span;
        sum = (isKnown(sum) ? sum : Duration{0}) + (part->end - part->begin);
    }
    return sum;
}

std::vector<ModelCall> modelCalls(const CheckSide& side)
{
    const CallReader reader(side);
    std::vector<ModelCall> calls;
    auto silent = side.billing.silent.begin();
    auto fact = side.usage.calls.begin();
    for (std::size_t t = 0; t < side.columns.traceCount(); ++t) {
        const std::uint64_t first = side.columns.firstSpan[t];
        const std::uint64_t last = side.columns.firstSpan[t + 1];
        const auto firstFact = fact;
        while (fact != side.usage.calls.end() && fact->span < last)
            ++fact;
        const std::span<const CallFacts> facts(firstFact, fact);
        const auto begin = std::ptrdiff_t(calls.size());
        for (const BilledCall& billed : side.billing.callsOf(first, last - first)) {
            if (billed.purpose != CallPurpose::Generate || billed.remainder)
                continue;
            calls.push_back(reader.read(t, billed.span, false, facts));
            calls.back().tokens = billed.tokens;
            calls.back().cost = billed.cost;
        }
        for (; silent != side.billing.silent.end() && silent->span < last; ++silent)
            if (silent->purpose == CallPurpose::Generate)
                calls.push_back(reader.read(t, silent->span, silent->failed, facts));
        std::sort(calls.begin() + begin, calls.end(),
            [](const ModelCall& a, const ModelCall& b) { return std::pair(a.begin, a.span) < std::pair(b.begin, b.span); });
    }
    estimateBatches(calls);
    return calls;
}

std::vector<std::size_t> firstCalls(const CheckSide& side, const std::vector<ModelCall>& calls)
{
    std::vector<std::size_t> first(side.columns.traceCount() + 1, 0);
    for (const ModelCall& call : calls)
        ++first[call.trace + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    return first;
}

bool generates(const CheckSide& side)
{
    const StageId stage = side.stages.table->find("generate");
    const auto isGenerate = [&](StageId each) { return each != StageTable::noStage && side.stages.table->topLevel(each) == stage; };
    return stage != StageTable::noStage && std::any_of(side.stages.stage.begin(), side.stages.stage.end(), isGenerate);
}

void forEachOutermost(const CheckSide& side, const std::function<bool(std::uint64_t row)>& fits,
    const std::function<void(std::uint32_t trace, std::uint32_t span, std::uint64_t row)>& visit)
{
    std::uint32_t trace = 0;
    std::uint64_t doneUntil = 0; // the subtree of the last one ends here
    for (const CheckNumber& number : side.facts.numbers) {
        if (number.span < doneUntil || !fits(number.span))
            continue;
        while (side.columns.firstSpan[trace + 1] <= number.span)
            ++trace;
        visit(trace, std::uint32_t(number.span - side.columns.firstSpan[trace]), number.span);
        doneUntil = number.span + side.columns.subtreeSize[number.span];
    }
}

std::optional<double> ratioOf(const std::vector<Part>& parts)
{
    double part = 0;
    double whole = 0;
    for (const Part& each : parts) {
        part += each.part;
        whole += each.whole;
    }
    return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

std::optional<Interval> ratioInterval(const std::vector<Part>& parts)
{
    const std::optional<double> ratio = ratioOf(parts);
    if (!ratio || parts.size() < 2)
        return std::nullopt;
    double squares = 0;
    double whole = 0;
    for (const Part& each : parts) {
        const double rest = each.part - *ratio * each.whole;
        squares += rest * rest;
        whole += each.whole;
    }
    const auto n = double(parts.size());
    const double error = 1.959963984540054 * std::sqrt(n / (n - 1) * squares) / whole;
    return Interval{*ratio - error, *ratio + error};
}

std::vector<std::uint32_t> extremeTraces(std::vector<Part> parts, bool lowest)
{
    std::erase_if(parts, [](const Part& each) { return each.whole <= 0; });
    std::sort(parts.begin(), parts.end(), [lowest](const Part& a, const Part& b) {
        const double left = a.part * b.whole;
        const double right = b.part * a.whole;
        return left != right ? (left < right) == lowest : a.trace < b.trace;
    });
    std::vector<std::uint32_t> traces;
    for (const Part& each : parts)
        traces.push_back(each.trace);
    return traces;
}

double meanOf(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

double quantileOf(std::vector<double>& values, double p)
{
    std::sort(values.begin(), values.end());
    const double at = p * double(values.size() - 1);
    const auto below = std::size_t(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - double(below)) * (values[above] - values[below]);
}

Duration toDuration(double ns)
{
    return Duration{std::llround(ns)};
}

} // namespace chokepoint::checks
