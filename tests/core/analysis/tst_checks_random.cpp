// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of seeded random deployments: against plain second readings, and what must hold whatever the traces.
#include "core/analysis/checkviews.h"
#include "tests/core/analysis/checkcase.h"
#include "tests/testkit/randomtrace.h"

#include <QTest>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>

using namespace chokepoint;
using testkit::Random;

namespace {

constexpr std::int64_t ms = 1'000'000;

struct NumberKey {
    const char* key;
    std::int64_t most;
};
constexpr std::array numberKeys{NumberKey{"spec_decode.num_draft_tokens", 900}, NumberKey{"spec_decode.num_accepted_tokens", 600},
    NumberKey{"spec_decode.num_drafts", 100}, NumberKey{"padded_tokens", 2000}, NumberKey{"actual_tokens", 2000},
    NumberKey{"batch.size", 40}, NumberKey{"db.vector.query.top_score", 9}, NumberKey{"result_count", 2},
    NumberKey{"gen_ai.usage.input_tokens", 1500}, NumberKey{"gen_ai.usage.output_tokens", 300}, NumberKey{"kv_cache.hit_rate", 1},
    NumberKey{"http.response.status_code", 599}, NumberKey{"cache.similarity", 1}, NumberKey{"cache.threshold", 1}};
constexpr std::array names{"chat", "search", "rerank", "semantic_cache.lookup", "prefill_forward", "decode_loop", "validate_output",
    "route", "POST", "embeddings", "step"};
constexpr std::array kinds{"RETRIEVER", "RERANKER", "LLM", "EMBEDDING", "CHAIN"};

void addAttributes(Random& random, testkit::TraceBuilder& traces)
{
    for (const NumberKey& each : numberKeys)
        if (random.chance(15))
            traces.attribute(each.key, {random.between(0, each.most)});
    if (random.chance(30))
        traces.attribute("gen_ai.operation.name", {std::string("chat")});
    if (random.chance(40))
        traces.attribute("gen_ai.request.model", {std::string(random.chance(50) ? "cheap-x" : "dear-x")});
    if (random.chance(20))
        traces.attribute("openinference.span.kind", {std::string(kinds[random.below(kinds.size())])});
    if (random.chance(15))
        traces.attribute("cache.hit", {random.chance(50)});
    if (random.chance(5))
        traces.attribute("dtype", {std::string(random.chance(50) ? "int8" : "bf16")});
}

/// Trees in which a child may stick out of its parent, some spans unfinished.
std::unique_ptr<CheckCase> randomCase(std::uint64_t seed, std::size_t count)
{
    Random random(seed);
    testkit::TraceBuilder traces;
    for (std::size_t t = 0; t < count; ++t) {
        if (t > 0)
            traces.nextTrace();
        const std::int64_t origin = random.between(0, 20'000) * ms;
        traces.span("0", origin, origin + 1000 * ms).named("ask").kind(SpanKind::Server);
        const std::int64_t spans = random.between(1, 12);
        for (std::int64_t i = 1; i <= spans; ++i) {
            const std::int64_t begin = origin + random.between(0, 900) * ms;
            traces.span(std::to_string(i), begin, begin + random.between(0, 300) * ms, std::to_string(random.below(std::uint64_t(i))));
            traces.named(names[random.below(names.size())]);
            if (random.chance(10))
                traces.error();
            if (random.chance(2))
                traces.noEnd();
            addAttributes(random, traces);
        }
    }
    const PriceTable prices = PriceTable::parse(R"({"version": 1, "models": [
        {"model": "cheap-x", "per_million": {"input": 0.1, "output": 1}}, {"model": "dear-x", "per_million": {"input": 1, "output": 10}}]})",
        "prices.json")
                                  .value();
    return checkCase(traces, prices);
}

/// Numbers of a sentence that no figure of the check has.
std::string unproven(const Check& check)
{
    std::string proven;
    for (const CheckFigure& each : check.figures)
        proven += figureText(each) + "\n";
    static const std::regex number("[0-9][0-9,.]*[0-9]|[0-9]");
    std::string missing;
    for (std::sregex_iterator found(check.text.begin(), check.text.end(), number); found != std::sregex_iterator(); ++found)
        if (proven.find(found->str()) == std::string::npos)
            missing += found->str() + " ";
    return missing;
}

} // namespace

class tst_ChecksRandom : public QObject {
    Q_OBJECT

private slots:
    void whatMustHold()
    {
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const auto after = randomCase(seed, 60);
            const auto before = randomCase(seed + 1000, 60);
            const CheckSide sideBefore = before->side();
            for (const CheckSide* against : {static_cast<const CheckSide*>(nullptr), &sideBefore}) {
                for (const Check& check : runChecks(after->side(), against)) {
                    const std::string where = fmt::format("seed {}: {}: {}", seed, check.id, check.text);
                    QVERIFY2(
                        !check.text.empty() && check.text.find('{') == std::string::npos && check.text.find("unknown") == std::string::npos,
                        where.c_str());
                    QVERIFY2(unproven(check).empty(), (where + " lacks " + unproven(check)).c_str());
                    QVERIFY2(check.status != CheckStatus::MissingData || !check.needs.empty(), where.c_str());
                    QVERIFY2(check.status != CheckStatus::Suspect || check.value, where.c_str());
                    QVERIFY2(!check.value || std::isfinite(*check.value), where.c_str());
                    QVERIFY2(check.status != CheckStatus::NotApplicable || !check.value, where.c_str());
                    QVERIFY2(check.traces.size() <= 5, where.c_str());
                    for (const std::uint32_t trace : check.traces)
                        QVERIFY2(trace < after->columns.traceCount(), where.c_str());
                }
            }
        }
    }

    /// Tokens of drafts: each span with counts that has no such span above it.
    void acceptanceAgainstAPlainReading()
    {
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const auto given = randomCase(seed, 60);
            const auto hasCounts = [&](std::uint64_t row) {
                const auto drafted = given->facts.number(row, CheckField::DraftedTokens);
                const auto accepted = given->facts.number(row, CheckField::AcceptedTokens);
                return drafted && accepted && *drafted > 0 && *accepted <= *drafted;
            };
            double drafted = 0;
            double accepted = 0;
            for (std::size_t t = 0; t < given->columns.traceCount(); ++t) {
                const std::uint64_t first = given->columns.firstSpan[t];
                for (std::uint64_t row = first; row < given->columns.firstSpan[t + 1]; ++row) {
                    bool isInner = false;
                    for (std::int32_t above = given->columns.parent[row]; above >= 0;
                         above = given->columns.parent[first + std::uint64_t(above)])
                        isInner |= hasCounts(first + std::uint64_t(above));
                    if (!hasCounts(row) || isInner)
                        continue;
                    drafted += *given->facts.number(row, CheckField::DraftedTokens);
                    accepted += *given->facts.number(row, CheckField::AcceptedTokens);
                }
            }
            const Check check = checkOf("speculative-acceptance", *given);
            QCOMPARE(check.value.has_value(), drafted > 0);
            if (drafted > 0)
                QVERIFY(std::abs(*check.value - accepted / drafted) < 1e-12);
        }
    }

    /// Calls of the model that are under way in the middle of one, itself included.
    void batchesAgainstAPlainReading()
    {
        std::size_t compared = 0;
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const auto given = randomCase(seed, 60);
            const std::vector<checks::ModelCall> calls = checks::modelCalls(given->side());
            QVERIFY(std::is_sorted(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.trace < b.trace; }));
            for (const checks::ModelCall& call : calls) {
                if (!call.batchIsEstimate)
                    continue;
                const Timestamp middle = call.begin + (call.end - call.begin) / 2;
                const auto underWay = std::count_if(calls.begin(), calls.end(), [&](const checks::ModelCall& other) {
                    return other.model == call.model && isKnown(other.begin) && isKnown(other.end) && other.end > other.begin
                        && other.begin <= middle && other.end > middle;
                });
                QCOMPARE(*call.batch, double(underWay));
                ++compared;
            }
        }
        QVERIFY(compared > 1000);
    }
};

QTEST_GUILESS_MAIN(tst_ChecksRandom)
#include "tst_checks_random.moc"
