// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/analysis/checkcase.h"

#include "core/analysis/rulebook.h"

#include <fmt/format.h>

#include <algorithm>

namespace chokepoint {

std::unique_ptr<CheckCase> checkCase(const testkit::TraceBuilder& traces, const PriceTable& prices)
{
    auto made = std::make_unique<CheckCase>();
    std::vector<std::string> payloads;
    std::tie(made->columns, payloads) = traces.buildWithPayloads();
    const std::shared_ptr<const StageRules> rules = parseStageRules(builtInStageRules()).value();
    StageClassifier classifier(rules, made->columns.dictionary);
    UsageReader usage(rules, made->columns.dictionary);
    AttemptFactReader attempts(made->columns.dictionary);
    CheckFactReader facts(made->columns.dictionary);
    DoubtFactReader doubts(made->columns.dictionary);
    for (std::size_t t = 0; t < made->columns.traceCount(); ++t) {
        const TraceView trace = made->columns.trace(t);
        for (std::size_t i = 0; i < trace.size(); ++i) {
            const std::string& payload = payloads[made->columns.firstSpan[t] + i];
            readPayload(trace, i, payload, made->columns.dictionary->strings, classifier, usage, attempts, facts, doubts);
            attempts.remainder(payload);
        }
        classifier.endTrace(trace);
    }
    made->stages = classifier.take();
    made->usage = usage.take();
    made->attemptFacts = attempts.take();
    made->facts = facts.take();
    made->doubtFacts = doubts.take();
    made->prices = prices;
    made->population = analysePopulation(made->columns, made->stages, made->path, 1, {}).value();
    made->billing = billingSet(made->columns, made->stages, made->usage, prices);
    made->verdicts = judgeAnswers(made->columns, made->population, made->stages, made->usage, rules->correctness);
    made->spending = spending(made->columns, made->population, made->billing, made->verdicts,
        successfulRequests(made->columns, made->population, made->stages, made->usage));
    made->retries = analyseRetries(made->columns, made->stages, made->attemptFacts, made->population, made->billing, 1, {}).value();
    return made;
}

std::unique_ptr<CheckCase> checkCase(const std::string& traces, const PriceTable& prices)
{
    constexpr std::string_view separator = "---\n";
    const bool isSeparated = traces.ends_with(separator);
    return checkCase(tracesFromText(std::string_view(traces).substr(0, traces.size() - (isSeparated ? separator.size() : 0))), prices);
}

std::string times(unsigned count, std::string_view trace)
{
    std::string all;
    for (unsigned k = 0; k < count; ++k)
        all += std::string(trace) + "\n---\n";
    return all;
}

Check checkOf(std::string_view id, const CheckCase& after, const CheckCase* before)
{
    const CheckSide side = after.side();
    const std::optional<CheckSide> sideBefore = before == nullptr ? std::nullopt : std::optional<CheckSide>(before->side());
    const std::vector<Check> checks = runChecks(side, sideBefore ? &*sideBefore : nullptr);
    const auto found = std::find_if(checks.begin(), checks.end(), [id](const Check& check) { return check.id == id; });
    return found == checks.end() ? Check() : *found;
}

std::string outcome(const Check& check)
{
    return fmt::format("{} {}", checkStatusName(check.status), check.value ? fmt::format("{:.4g}", *check.value) : "-");
}

std::string figure(const Check& check, std::string_view name)
{
    const auto found =
        std::find_if(check.figures.begin(), check.figures.end(), [name](const CheckFigure& each) { return each.name == name; });
    return found == check.figures.end() ? "absent" : figureText(*found);
}

} // namespace chokepoint
