// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a router sends requests to a cheap model that a dear one has to answer again.
#include "core/analysis/checkdraft.h"
#include "core/analysis/checkviews.h"
#include "core/analysis/proportions.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace chokepoint::checks {

namespace {

constexpr std::uint64_t fewestRouted = 20; // requests first sent to the cheaper model
constexpr double dearFrom = 2.0; // times the price of output
constexpr Duration overlap = std::chrono::milliseconds(2); // clocks of one machine

/// Failures of the way to a model, or of its server: they say nothing about the choice of the model.
bool blamesTransport(RetryCause cause)
{
    switch (cause) {
    case RetryCause::RateLimit:
    case RetryCause::Timeout:
    case RetryCause::ServerError:
    case RetryCause::Connection:
    case RetryCause::Conflict:
    case RetryCause::Cancelled:
    case RetryCause::Auth:
    case RetryCause::Redirect: return true;
    default: return false;
    }
}

/// What models cost a token of output, as far as the prices tell.
class ModelPrices {
public:
    ModelPrices(const CheckSide& side, const std::vector<ModelCall>& calls)
    {
        constexpr std::int64_t million = 1'000'000;
        for (const ModelCall& call : calls) {
            if (call.model.empty() || !m_models.insert(call.model).second)
                continue;
            PricedCall output;
            output.start = call.begin;
            output.tokens[TokenKind::Output] = million;
            const PriceTable::Match match = side.prices.find(call.provider, call.model, call.model);
            if (const std::optional<Price> price = side.prices.price(match, output)) {
                m_output[call.model] = price->cost;
                m_rows[call.model] = match;
            }
        }
    }

    [[nodiscard]] std::size_t models() const { return m_models.size(); }
    [[nodiscard]] bool isComplete() const { return m_output.size() == m_models.size(); }
    [[nodiscard]] bool isDearer(std::string_view model, std::string_view than) const
    {
        const auto a = m_output.find(model);
        const auto b = m_output.find(than);
        return a != m_output.end() && b != m_output.end() && a->second.number() >= dearFrom * b->second.number()
            && !(a->second == b->second);
    }
    /// The dearest model that counts as dearer, or "".
    [[nodiscard]] std::string_view dearestThan(std::string_view model) const
    {
        std::string_view dearest;
        for (const auto& [other, price] : m_output)
            if (isDearer(other, model) && (dearest.empty() || m_output.at(dearest) < price))
                dearest = other;
        return dearest;
    }
    /// What \a call would have cost there.
    [[nodiscard]] std::optional<Money> costAt(const CheckSide& side, std::string_view model, const ModelCall& call) const
    {
        const auto price = side.prices.price(m_rows.at(model), {{}, call.begin, call.tokens});
        return price ? std::optional(price->cost) : std::nullopt;
    }

private:
    std::set<std::string_view> m_models;
    std::map<std::string_view, Money> m_output;
    std::map<std::string_view, PriceTable::Match> m_rows;
};

/// Ends of calls that were no answer.
class Failures {
public:
    explicit Failures(const CheckSide& side)
        : m_side(side), m_validates(side.stages, "validate"), m_guards(side.stages, "guardrail"), m_evaluates(side.stages, "evaluate")
    {
    }

    /// \a call failed, was cut off, or what checks its answer before \a next rejected it.
    [[nodiscard]] bool wasRejected(const ModelCall& call, const ModelCall& next) const
    {
        const AttemptFact* const fact = factOf(call.row);
        if (const CallFacts* const facts = m_side.usage.find(call.row);
            facts != nullptr && (facts->finish == FinishReason::Length || facts->finish == FinishReason::Malformed))
            return true;
        if (call.failed || (fact != nullptr && fact->cause != RetryCause::None))
            return fact == nullptr || !blamesTransport(fact->cause);
        for (std::uint64_t row = m_side.columns.firstSpan[call.trace]; row < m_side.columns.firstSpan[call.trace + 1]; ++row) {
            const Timestamp start = m_side.columns.spans.start[row];
            const bool isBetween = isKnown(start) && start >= call.end - overlap && start <= next.begin;
            if (isBetween && (m_validates(row) || m_guards(row) || m_evaluates(row)) && isRejection(row))
                return true;
        }
        return false;
    }

private:
    [[nodiscard]] const AttemptFact* factOf(std::uint64_t row) const
    {
        const auto [begin, end] = m_side.attemptFacts.rows(row, 1);
        return begin == end ? nullptr : &m_side.attemptFacts.fact[begin];
    }
    [[nodiscard]] bool isRejection(std::uint64_t row) const
    {
        const AttemptFact* const fact = factOf(row);
        return m_side.columns.spans.flags[row].isError() || (fact != nullptr && fact->verdict == CheckVerdict::Failed);
    }

    const CheckSide& m_side;
    StageTest m_validates;
    StageTest m_guards;
    StageTest m_evaluates;
};

/// "openai/gpt-x-2024-08-06" -> "gpt-x".
std::string_view foldedModel(std::string_view model)
{
    model.remove_prefix(std::min(model.rfind('/') + 1, model.size()));
    const auto isDate = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-'; };
    std::size_t end = model.size();
    while (end > 0 && isDate(model[end - 1]))
        --end;
    const bool hasDate = model.size() - end >= 9 && model[end] == '-'; // "-20240806", "-2024-08-06"
    return hasDate ? model.substr(0, end) : model;
}

/// What became of the requests of one deployment.
struct Routing {
    Proportion escalated; // of requests first sent to a cheaper model
    std::uint64_t switches = 0; // rejected answers after which another model was asked, whatever the prices
    std::uint64_t rerouted = 0; // calls that another model answered than was asked
    Money wasted; // cost of rejected answers of cheaper models
    Duration added{}; // their time
    Money saved; // over asking the dear model at once
    bool savingIsKnown = true;
    std::vector<std::uint32_t> traces; // with escalations
};

/// The calls of one trace.
void addRequest(
    const CheckSide& side, const ModelPrices& prices, const Failures& failures, std::span<const ModelCall> calls, Routing& routing)
{
    const std::string_view dear = prices.dearestThan(calls.front().model);
    bool escalated = false;
    Money cost;
    Money alternative; // what the answers that were kept would have cost at once
    bool isKnown = true;
    for (std::size_t k = 0; k < calls.size(); ++k) {
        const ModelCall& call = calls[k];
        const ModelCall* const next = k + 1 < calls.size() ? &calls[k + 1] : nullptr;
        const bool switches = next != nullptr && call.model != next->model && !call.model.empty() && !next->model.empty()
            && next->begin >= call.end - overlap && failures.wasRejected(call, *next);
        isKnown &= call.cost.has_value() || call.failed;
        cost += call.cost.value_or(Money());
        routing.switches += switches ? 1 : 0;
        if (switches && prices.isDearer(next->model, call.model)) {
            escalated = true;
            routing.wasted += call.cost.value_or(Money());
            routing.added += call.end - call.begin;
        } else if (!dear.empty() && !call.failed) {
            const std::optional<Money> atDear = prices.costAt(side, dear, call);
            isKnown &= atDear.has_value();
            alternative += atDear.value_or(Money());
        }
    }
    if (escalated)
        routing.traces.push_back(calls.front().trace);
    if (dear.empty())
        return;
    ++routing.escalated.total;
    routing.escalated.successes += escalated ? 1 : 0;
    routing.savingIsKnown &= isKnown;
    routing.saved += alternative - cost;
}

Routing routingOf(const CheckSide& side, const std::vector<ModelCall>& calls, const ModelPrices& prices)
{
    Routing routing;
    const Failures failures(side);
    const std::vector<std::size_t> first = firstCalls(side, calls);
    for (const std::uint32_t trace : side.population.included)
        if (first[trace] < first[trace + 1])
            addRequest(side, prices, failures, std::span(calls).subspan(first[trace], first[trace + 1] - first[trace]), routing);
    for (const CallFacts& call : side.usage.calls) {
        const std::string_view asked = side.usage.text(call.requestModel);
        const std::string_view answered = side.usage.text(call.responseModel);
        routing.rerouted += !asked.empty() && !answered.empty() && foldedModel(asked) != foldedModel(answered) ? 1 : 0;
    }
    return routing;
}

bool hasRouter(const CheckSide& side)
{
    const StageTest routes(side.stages, "route");
    for (std::uint64_t row = 0; routes.id() != StageTable::noStage && row < side.columns.spanCount(); ++row)
        if (routes(row))
            return true;
    return std::any_of(side.facts.words.begin(), side.facts.words.end(),
        [](const CheckText& text) { return text.field == CheckField::AskedModel || text.field == CheckField::ChosenModel; });
}

} // namespace

void routerAccuracy(const Sides& sides, Draft& draft)
{
    const CheckSide& side = sides.after;
    if (!generates(side))
        return draft.conclude(CheckStatus::NotApplicable, "No span calls a model that generates.");
    const std::vector<ModelCall>& calls = sides.calls;
    const ModelPrices prices(side, calls);
    draft.count("models", prices.models());
    if (prices.models() < 2) {
        if (hasRouter(side))
            return draft.missing(
                "A router decides, but the calls tell only {models} model.", {"gen_ai.request.model", "routing.selected_model"});
        draft.need("routing.original_model");
        draft.need("routing.selected_model");
        return draft.conclude(CheckStatus::NotApplicable, "Only one model is visible; decisions of a router are not traced.");
    }
    const Routing routing = routingOf(side, calls, prices);
    draft.count("model_changes_after_rejection", routing.switches);
    draft.count("calls_answered_by_another_model", routing.rerouted);
    if (!prices.isComplete())
        return draft.missing("Which of {models} models is the cheaper one is unknown; {model_changes_after_rejection} times another model "
                             "was asked after an answer was rejected.",
            {"prices of the models (--prices)"});
    if (routing.escalated.total == 0)
        return draft.conclude(CheckStatus::NotApplicable, "No request is first sent to a model that is the cheaper one by half.");
    const std::optional<double> rate = routing.escalated.rate();
    draft.measure(rate);
    draft.count("requests_first_sent_to_the_cheaper", routing.escalated.total);
    draft.count("escalated_requests", routing.escalated.successes);
    draft.share("misroute_rate", rate, wilsonInterval(routing.escalated));
    draft.share("misroute_limit", misrouteLimit);
    draft.money("wasted_cost", routing.wasted);
    draft.time("added_time", routing.added);
    draft.money("net_saving", routing.savingIsKnown ? std::optional(routing.saved) : std::nullopt);
    draft.text("over_route_rate", "unknown: needs evaluations or shadow runs");
    for (const std::uint32_t trace : routing.traces)
        draft.trace(trace);
    if (sides.before != nullptr) {
        const Routing before = routingOf(*sides.before, sides.callsBefore, ModelPrices(*sides.before, sides.callsBefore));
        draft.share("misroute_rate_before", before.escalated.rate(), wilsonInterval(before.escalated));
    }
    if (routing.escalated.total < fewestRouted) {
        draft.count("requests_needed", fewestRouted);
        return draft.missing("Not enough data: {requests_first_sent_to_the_cheaper} requests were first sent to the cheaper model, "
                             "{requests_needed} are needed.",
            {"more requests"});
    }
    if (*rate > misrouteLimit)
        return draft.conclude(CheckStatus::Suspect,
            "{escalated_requests} of {requests_first_sent_to_the_cheaper} requests sent to the cheaper model had to be asked again of a "
            "dearer "
            "one ({misroute_rate}, above {misroute_limit}).");
    if (routing.savingIsKnown && routing.saved < Money())
        return draft.conclude(CheckStatus::Suspect,
            "Routing costs more than asking the dearer model at once: a net saving of {net_saving}, {misroute_rate} of the requests asked "
            "again.");
    draft.conclude(CheckStatus::Ok,
        "{misroute_rate} of the requests sent to the cheaper model had to be asked again of a dearer one, not above {misroute_limit}.");
}

} // namespace chokepoint::checks
