// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The billing set: what each trace gives (billingtrace.h), calls that several traces recorded joined, everything priced.
#include "core/analysis/billing.h"

#include "core/analysis/billingtrace.h"
#include "core/analysis/populationparts.h"
#include "core/analysis/spanentries.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace chokepoint {

namespace {

constexpr Duration joinTolerance = std::chrono::seconds(2); // clocks of a gateway and its callers
constexpr std::size_t sharedAtMost = 3; // records of one call in as many traces; an id that more of them carry is none

void addCost(std::optional<Money>& sum, const std::optional<Money>& cost)
{
    if (cost)
        sum = sum.value_or(Money()) + *cost;
}

void addCall(const BilledCall& call, UsageTotals& totals)
{
    switch (call.purpose) {
    case CallPurpose::Embed: totals.embedding += call.tokens.total(); break;
    case CallPurpose::Rerank: totals.rerank += call.tokens.total(); break;
    case CallPurpose::Evaluate: totals.evaluation += call.tokens.total(); break;
    case CallPurpose::Generate:
    case CallPurpose::Count_:
        totals.generate += call.tokens;
        totals.withUsage += call.remainder ? 0 : 1;
        break;
    }
    addCost(call.purpose == CallPurpose::Evaluate ? totals.evaluationCost : totals.cost, call.cost);
    totals.estimatedSpans += call.estimated && !call.remainder ? 1 : 0;
    (call.isUnpriced() ? totals.unpricedSpans : totals.pricedSpans) += call.remainder ? 0 : 1;
    if (call.isUnpriced()) {
        totals.unpricedTokens += call.tokens.total();
        totals.withoutCost += call.remainder ? 0 : 1;
    }
    totals.costIsLowerBound |= call.isUnpriced() || call.costIsLowerBound;
}

void addSilent(const SilentCall& call, UsageTotals& totals)
{
    if (call.purpose == CallPurpose::Generate) {
        ++totals.withoutUsage;
        totals.failedWithoutUsage += call.failed && !call.refused ? 1 : 0;
    }
    totals.withoutCost += call.refused ? 0 : 1;
    totals.costIsLowerBound |= !call.refused;
}

/// Joins the records of one call that stand in several traces: a gateway exports traces of its own.
class CrossTraceJoin {
public:
    CrossTraceJoin(const TraceColumns& columns, const UsageTable& usage, std::vector<DraftCall>& drafts, Diagnostics& diagnostics)
        : m_columns(columns), m_usage(usage), m_drafts(drafts), m_diagnostics(diagnostics)
    {
    }

    /// By response id, then, among what is left, by request id and model.
    void run()
    {
        joinBy([](const CallFacts& facts) { return facts.responseId; });
        joinBy([this](const CallFacts& facts) { return facts.requestId == 0 ? 0 : mix64(facts.requestId ^ hash64(m_usage.model(facts))); });
        std::erase_if(m_drafts, [](const DraftCall& draft) { return draft.facts == nullptr; });
    }

private:
    /// The better record first, whatever the order of the traces.
    [[nodiscard]] auto order(std::size_t d) const
    {
        const DraftCall& draft = m_drafts[d];
        const std::uint64_t span = draft.call.span;
        const TraceId trace = m_columns.traceId[draft.trace];
        return std::tuple(-recordRank(draft), toNs(m_columns.spans.start[span]), trace.hi, trace.lo, m_columns.spans.spanId[span].value);
    }

    template <typename Key> void joinBy(Key&& key)
    {
        std::vector<std::pair<std::uint64_t, std::size_t>> keyed;
        for (std::size_t d = 0; d < m_drafts.size(); ++d) {
            const DraftCall& draft = m_drafts[d];
            const std::uint64_t id = draft.facts != nullptr && !draft.call.remainder ? key(*draft.facts) : 0;
            if (id != 0)
                keyed.emplace_back(id, d);
        }
        std::sort(keyed.begin(), keyed.end());
        std::vector<std::size_t> group;
        for (std::size_t begin = 0, end = 0; begin < keyed.size(); begin = end) {
            for (end = begin; end < keyed.size() && keyed[end].first == keyed[begin].first; ++end) { }
            if (end - begin < 2 || end - begin > sharedAtMost)
                continue;
            group.clear();
            for (std::size_t k = begin; k < end; ++k)
                group.push_back(keyed[k].second);
            joinGroup(group);
        }
    }

    void joinGroup(std::vector<std::size_t>& group)
    {
        std::sort(group.begin(), group.end(), [this](std::size_t a, std::size_t b) { return order(a) < order(b); });
        DraftCall& kept = m_drafts[group.front()];
        for (std::size_t g = 1; g < group.size(); ++g) {
            DraftCall& other = m_drafts[group[g]];
            if (!isSameCall(kept, other))
                continue;
            m_diagnostics.report(DiagnosticCode::DuplicateCall, [&] {
                return fmt::format("span {}: its call stands in two traces; the records are merged, and this one counts",
                    m_columns.dictionary->text(m_columns.spans.name[kept.call.span]));
            });
            mergeRecords(kept, other);
            other.facts = nullptr;
        }
    }

    [[nodiscard]] bool isSameCall(const DraftCall& a, const DraftCall& b) const
    {
        const SpanColumns& spans = m_columns.spans;
        const std::uint64_t i = a.call.span;
        const std::uint64_t k = b.call.span;
        const bool areTimed = isKnown(spans.start[i]) && isKnown(spans.end[i]) && isKnown(spans.start[k]) && isKnown(spans.end[k]);
        return a.trace != b.trace && spans.resource[i] != spans.resource[k] && areTimed
            && saturatingDifference(spans.start[i], spans.end[k]) <= joinTolerance
            && saturatingDifference(spans.start[k], spans.end[i]) <= joinTolerance && isSameUsage(a.call.tokens, b.call.tokens);
    }

    const TraceColumns& m_columns;
    const UsageTable& m_usage;
    std::vector<DraftCall>& m_drafts;
    Diagnostics& m_diagnostics;
};

/// Time in at least one of \a extents; it is at most that from the first begin to the last end.
Duration covered(std::vector<std::pair<std::int64_t, std::int64_t>>& extents)
{
    std::sort(extents.begin(), extents.end());
    Int128 sum = 0;
    std::int64_t upTo = std::numeric_limits<std::int64_t>::min();
    for (const auto& [begin, end] : extents) {
        sum += std::max(Int128(0), Int128(end) - std::max(begin, upTo));
        upTo = std::max(upTo, end);
    }
    return Duration{std::int64_t(std::min(sum, Int128(toNs(Duration::max()))))};
}

/// Costs: a reported one wins over the table's; both are looked at where both exist.
class Pricing {
public:
    Pricing(
        const TraceColumns& columns, const StageMap& stages, const UsageTable& usage, const PriceTable& prices, Diagnostics& diagnostics)
        : m_columns(columns), m_stages(stages), m_usage(usage), m_prices(prices), m_diagnostics(diagnostics),
          m_prefill(stages.table->find("generate.prefill")), m_decode(stages.table->find("generate.decode"))
    {
    }

    /// The first of \a drafts; behind it are those of the spans that follow.
    void run(std::span<DraftCall> drafts)
    {
        BilledCall& call = drafts.front().call;
        const CallFacts& facts = *drafts.front().facts;
        const std::optional<Price> price = m_prices.price(
            matchOf(facts), {m_usage.text(facts.serviceTier), m_columns.spans.start[call.span], call.tokens, busy(drafts), call.remainder});
        if (call.cost) {
            call.costReported = true;
            if (price && !price->lowerBound && differs(*call.cost, price->cost))
                report(DiagnosticCode::CostMismatch, call,
                    fmt::format("reported {}, by the price table {}; the reported one counts", call.cost->text(), price->cost.text()));
            return;
        }
        if (price) {
            call.cost = price->cost;
            call.assumed |= price->assumed;
            call.estimated = price->estimated;
            call.costIsLowerBound |= price->lowerBound;
        } else if (!m_prices.empty()) {
            const std::string_view model = m_usage.model(facts);
            report(DiagnosticCode::UnpricedModel, call,
                fmt::format("no price for {}; its cost is unknown", model.empty() ? "a call without a model" : model));
        }
    }

private:
    using Extents = std::vector<std::pair<std::int64_t, std::int64_t>>; // ns

    [[nodiscard]] bool isPhase(StageId stage) const { return stage != StageTable::noStage && (stage == m_prefill || stage == m_decode); }

    [[nodiscard]] Duration lengthOf(std::uint64_t span) const
    {
        return spanDuration(m_columns.spans.start[span], m_columns.spans.end[span], m_columns.spans.flags[span]);
    }

    void addSpan(std::uint64_t span, Extents& extents) const
    {
        if (isKnown(lengthOf(span)))
            extents.emplace_back(toNs(m_columns.spans.start[span]), toNs(m_columns.spans.end[span]));
    }

    /// Spans of the call that \a drafts begin with; \a others are those of calls below that are billed by themselves.
    [[nodiscard]] std::vector<std::uint64_t> ownSpans(std::span<const DraftCall> drafts, Extents& others) const
    {
        std::vector<std::uint64_t> own;
        auto next = drafts.begin() + 1;
        std::uint64_t i = drafts.front().call.span;
        for (const std::uint64_t last = i + m_columns.subtreeSize[i]; i < last;) {
            if (next == drafts.end() || next->call.span != i) {
                own.push_back(i++);
                continue;
            }
            addSpan(i, others);
            i += m_columns.subtreeSize[i];
            next =
                std::lower_bound(next, drafts.end(), i, [](const DraftCall& draft, std::uint64_t span) { return draft.call.span < span; });
        }
        return own;
    }

    /// Prefill and decode as the first record of the call tells them; how long the call took where none does. GPUs that compute it together
    /// count once; time of calls below that are billed by themselves is theirs.
    [[nodiscard]] Duration busy(std::span<const DraftCall> drafts) const
    {
        const BilledCall& call = drafts.front().call;
        if (!m_prices.pricesTime())
            return unknownDuration;
        if (call.remainder)
            return Duration{0};
        Extents others;
        const std::vector<std::uint64_t> own = ownSpans(drafts, others);
        Extents phases;
        for (std::size_t k = 0; k < own.size() && phases.empty(); ++k)
            for (const DerivedPart& part : derivedParts(m_stages, own[k], 1))
                if (isPhase(part.stage))
                    phases.emplace_back(toNs(part.begin), toNs(part.end));
        if (phases.empty())
            for (std::size_t k = 1; k < own.size(); ++k) // a span for each phase
                if (isPhase(m_stages.ownStage(own[k])))
                    addSpan(own[k], phases);
        if (!phases.empty())
            return covered(phases);
        const Duration whole = lengthOf(call.span);
        if (!isKnown(whole) || whole == Duration{0} || others.empty())
            return whole;
        for (auto& [begin, end] : others) {
            begin = std::clamp(begin, toNs(m_columns.spans.start[call.span]), toNs(m_columns.spans.end[call.span]));
            end = std::clamp(end, begin, toNs(m_columns.spans.end[call.span]));
        }
        return whole - covered(others);
    }

    const PriceTable::Match& matchOf(const CallFacts& facts)
    {
        const auto [entry, isNew] = m_matches.try_emplace({facts.provider, facts.responseModel, facts.requestModel});
        if (isNew)
            entry->second =
                m_prices.find(m_usage.text(facts.provider), m_usage.text(facts.responseModel), m_usage.text(facts.requestModel));
        return entry->second;
    }

    /// By more than 5 % of the larger one.
    [[nodiscard]] static bool differs(Money a, Money b)
    {
        const Money difference = a < b ? b - a : a - b;
        return difference * 20 > std::max(a, b);
    }

    void report(DiagnosticCode code, const BilledCall& call, const std::string& what)
    {
        m_diagnostics.report(
            code, [&] { return fmt::format("span {}: {}", m_columns.dictionary->text(m_columns.spans.name[call.span]), what); });
    }

    const TraceColumns& m_columns;
    const StageMap& m_stages;
    const UsageTable& m_usage;
    const PriceTable& m_prices;
    Diagnostics& m_diagnostics;
    StageId m_prefill;
    StageId m_decode;
    std::map<std::tuple<StringId, StringId, StringId>, PriceTable::Match> m_matches;
};

} // namespace

UsageTotals& UsageTotals::operator+=(const UsageTotals& other)
{
    generate += other.generate;
    embedding += other.embedding;
    rerank += other.rerank;
    evaluation += other.evaluation;
    addCost(cost, other.cost);
    addCost(evaluationCost, other.evaluationCost);
    pricedSpans += other.pricedSpans;
    unpricedSpans += other.unpricedSpans;
    unpricedTokens += other.unpricedTokens;
    estimatedSpans += other.estimatedSpans;
    withUsage += other.withUsage;
    withoutUsage += other.withoutUsage;
    failedWithoutUsage += other.failedWithoutUsage;
    withoutCost += other.withoutCost;
    costIsLowerBound |= other.costIsLowerBound;
    return *this;
}

std::span<const BilledCall> Billing::callsOf(std::uint64_t first, std::uint64_t count) const
{
    return entriesOf(std::span(calls), first, count);
}

UsageTotals Billing::totals(std::uint64_t first, std::uint64_t count) const
{
    UsageTotals totals;
    for (const BilledCall& call : entriesOf(std::span(calls), first, count))
        addCall(call, totals);
    for (const SilentCall& call : entriesOf(std::span(silent), first, count))
        addSilent(call, totals);
    return totals;
}

Billing billingSet(const TraceColumns& columns, const StageMap& stages, const UsageTable& usage, const PriceTable& prices)
{
    Billing billing;
    billing.currency = prices.currency();
    std::vector<DraftCall> drafts;
    TraceBilling trace(columns, stages, usage, billing.diagnostics);
    for (std::size_t t = 0; t < columns.traceCount(); ++t)
        trace.run(std::uint32_t(t), drafts, billing.silent);
    CrossTraceJoin(columns, usage, drafts, billing.diagnostics).run();
    Pricing pricing(columns, stages, usage, prices, billing.diagnostics);
    billing.calls.reserve(drafts.size());
    for (std::size_t d = 0; d < drafts.size(); ++d) {
        pricing.run(std::span(drafts).subspan(d));
        billing.calls.push_back(drafts[d].call);
    }
    return billing;
}

} // namespace chokepoint
