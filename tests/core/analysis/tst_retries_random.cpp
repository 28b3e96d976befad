// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Retries of seeded random traces: against a plain second reading of the rules, and what must hold whatever the trace.
#include "tests/core/analysis/retrytext.h"
#include "tests/testkit/randomtrace.h"

#include <QTest>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

using namespace chokepoint;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t millisecond = 1'000'000;

struct SpanSpec {
    std::string key;
    std::string parent;
    std::string name;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::uint64_t id = 0;
    SpanKind kind = SpanKind::Internal;
    bool error = false;
    AttributeList attributes;
};
using TraceSpec = std::vector<SpanSpec>;

testkit::TraceBuilder built(const std::vector<TraceSpec>& traces)
{
    testkit::TraceBuilder builder;
    for (std::size_t t = 0; t < traces.size(); ++t) {
        if (t > 0)
            builder.nextTrace();
        for (const SpanSpec& span : traces[t]) {
            builder.span(span.key, span.begin, span.end, span.parent).named(span.name).kind(span.kind).id(span.id);
            if (span.error)
                builder.error();
            for (const Attribute& attribute : span.attributes)
                builder.attribute(attribute.key, attribute.value);
        }
    }
    return builder;
}

/// Calls of a few names below random parents; no attributes, so that only failures and order can tell.
TraceSpec plainTrace(testkit::Random& random)
{
    TraceSpec spans;
    const std::uint64_t n = 2 + random.below(14);
    for (std::uint64_t i = 0; i < n; ++i) {
        SpanSpec span;
        span.id = i + 1;
        span.key = std::to_string(i);
        span.parent = i == 0 ? "" : std::to_string(random.below(std::min<std::uint64_t>(i, 3)));
        span.name = i == 0 ? "root" : random.chance(60) ? "alpha" : "beta";
        span.begin = random.between(0, 60) * millisecond;
        span.end = span.begin + random.between(0, 20) * millisecond;
        span.kind = random.chance(20) ? SpanKind::Server : SpanKind::Internal;
        span.error = random.chance(50);
        spans.push_back(span);
    }
    return spans;
}

/// Steps of a pipeline with checks that fail now and then, calls with statuses, numbers, links of parent and child.
TraceSpec richTrace(testkit::Random& random)
{
    TraceSpec spans;
    std::int64_t clock = 0;
    const auto add = [&](const std::string& parent, const std::string& name, AttributeList attributes) {
        SpanSpec span;
        span.id = spans.size() + 1;
        span.key = std::to_string(spans.size());
        span.parent = parent;
        span.name = name;
        span.begin = clock;
        clock += random.between(1, 40) * millisecond;
        span.end = clock;
        clock += random.between(0, 30) * millisecond;
        span.kind = SpanKind::Client;
        span.error = random.chance(25);
        span.attributes = std::move(attributes);
        spans.push_back(span);
        return span.key;
    };
    const std::string root = add("", "POST /ask", {});
    for (std::uint64_t walks = 1 + random.below(3), w = 0; w < walks; ++w) {
        if (random.chance(80))
            add(root, "find", {{"openinference.span.kind", {std::string("RETRIEVER")}}});
        const std::string chat = add(root, "chat gpt",
            {{"gen_ai.operation.name", {std::string("chat")}}, {"gen_ai.usage.input_tokens", {random.between(1, 99)}},
                {"gen_ai.usage.output_tokens", {random.between(1, 99)}}});
        for (std::uint64_t tries = random.below(4), k = 0; k < tries; ++k)
            add(chat, "POST",
                {{"http.request.method", {std::string("POST")}}, {"url.full", {std::string("http://llm/v1")}},
                    {"http.response.status_code", {std::int64_t(random.chance(50) ? 429 : 200)}}});
        if (random.chance(70))
            add(root, "check", {{"openinference.span.kind", {std::string("GUARDRAIL")}}, {"guardrail.passed", {random.chance(50)}}});
    }
    spans.front().end = clock;
    return spans;
}

/// A group as text without indices, which depend on nothing but the tree.
std::string allText(const RetrySet& set)
{
    std::string text = groupsText(set);
    for (const Attempt& attempt : set.retries.attempts)
        text += fmt::format("{}/{} #{} {} {} {}\n", attempt.trace, set.columns.trace(attempt.trace).spanId[attempt.span].value,
            attempt.number, retryCauseName(attempt.cause), attempt.failed, attempt.tokens.orZero());
    for (const TraceRetries& trace : set.retries.traces)
        text += fmt::format("{} {} {} {} {} {} {}\n", trace.retries, toNs(trace.wasted), trace.wastedTokens.orZero(), trace.depth,
            trace.generates, trace.logicalGenerates, trace.bound);
    for (const CauseFigures& cause : set.retries.summary.byCause)
        text += fmt::format("{} {} {} {}\n", retryCauseName(cause.cause), cause.count, toNs(cause.wasted), cause.wastedTokens.orZero());
    return text;
}

/// Pairs of attempts by the rule "a failure, then the same", read plainly: every pair of siblings is tried.
std::set<std::pair<std::uint32_t, std::uint32_t>> plainPairs(const TraceView& trace)
{
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    const auto same = [&](std::uint32_t a, std::uint32_t b) {
        return trace.parent[a] == trace.parent[b] && trace.name[a] == trace.name[b] && trace.flags[a].kind() == trace.flags[b].kind();
    };
    for (std::uint32_t b = 0; b < trace.size(); ++b) {
        std::int32_t before = -1;
        for (std::uint32_t a = 0; a < b; ++a)
            if (same(a, b))
                before = std::int32_t(a);
        if (before < 0 || trace.flags[b].kind() == SpanKind::Server)
            continue;
        const auto a = std::uint32_t(before);
        const Duration gap = trace.start[b] - trace.end[a];
        if (trace.flags[a].isError() && gap >= -2ms && gap <= std::max<Duration>(60s, 3 * (trace.end[a] - trace.start[a])))
            pairs.emplace(a, b);
    }
    return pairs;
}

/// Waste by painting: each elementary stretch of time is lost when some counted group lost it.
Duration paintedWaste(const RetryAnalysis& retries, std::size_t trace)
{
    std::vector<std::pair<Timestamp, Timestamp>> lost;
    std::set<Timestamp> edges;
    for (const AttemptGroup& group : retries.groupsOf(trace)) {
        const auto attempts = retries.attemptsOf(group);
        for (std::size_t k = 0; group.counted && k + 1 < attempts.size(); ++k) {
            for (const auto& [begin, end] :
                {std::pair(attempts[k].begin, attempts[k].end), std::pair(attempts[k].end, attempts[k + 1].begin)}) {
                lost.emplace_back(begin, end);
                edges.insert({begin, end});
            }
        }
    }
    Duration sum{0};
    for (auto edge = edges.begin(); edge != edges.end() && std::next(edge) != edges.end(); ++edge)
        if (std::any_of(
                lost.begin(), lost.end(), [&](const auto& range) { return range.first <= *edge && range.second >= *std::next(edge); }))
            sum += *std::next(edge) - *edge;
    return sum;
}

} // namespace

class RetriesRandomTest : public QObject {
    Q_OBJECT

private slots:
    void failureThenTheSame()
    {
        testkit::Random random(11);
        std::vector<TraceSpec> traces;
        for (int i = 0; i < 600; ++i)
            traces.push_back(plainTrace(random));
        const auto set = retriesOf(built(traces));
        std::size_t found = 0;
        for (std::size_t t = 0; t < traces.size(); ++t) {
            std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
            for (const AttemptGroup& group : set->retries.groupsOf(t)) {
                const auto attempts = set->retries.attemptsOf(group);
                for (std::size_t k = 0; k + 1 < attempts.size(); ++k)
                    pairs.emplace(attempts[k].span, attempts[k + 1].span);
            }
            QVERIFY2(pairs == plainPairs(set->columns.trace(t)), fmt::format("trace {}", t).c_str());
            found += pairs.size();
        }
        QVERIFY(found > 200); // the traces have what they are made for
    }

    void waste_data()
    {
        QTest::addColumn<int>("seed");
        for (const int seed : {1, 2, 3, 4})
            QTest::addRow("seed %d", seed) << seed;
    }
    void waste()
    {
        QFETCH(int, seed);
        testkit::Random random{std::uint64_t(seed)};
        std::vector<TraceSpec> traces;
        for (int i = 0; i < 300; ++i)
            traces.push_back(seed % 2 == 0 ? plainTrace(random) : richTrace(random));
        const auto set = retriesOf(built(traces));
        const RetryAnalysis& retries = set->retries;
        Duration sum{0};
        std::uint64_t extra = 0;
        std::uint64_t retried = 0;
        for (std::size_t t = 0; t < traces.size(); ++t) {
            QCOMPARE(toNs(retries.traces[t].wasted), toNs(paintedWaste(retries, t)));
            QVERIFY(retries.traces[t].logicalGenerates <= retries.traces[t].generates);
            QVERIFY(retries.traces[t].generates == 0 || retries.traces[t].logicalGenerates > 0);
            sum += retries.traces[t].wasted;
            std::uint64_t ofGroups = 0;
            for (const AttemptGroup& group : retries.groupsOf(t))
                ofGroups += group.counted ? group.retries : 0;
            QCOMPARE(std::uint64_t(retries.traces[t].retries), ofGroups);
            extra += ofGroups;
            retried += ofGroups > 0 ? 1 : 0;
        }
        QVERIFY(retries.summary.wasted == sum);
        QCOMPARE(retries.summary.extraAttempts, extra);
        QCOMPARE(retries.summary.retriedRequests, retried);
        QVERIFY(retried > 30 && retried < traces.size());
        Duration byCause{0};
        TokenCount tokens;
        for (const CauseFigures& cause : retries.summary.byCause) {
            byCause += cause.wasted;
            tokens += cause.wastedTokens;
        }
        QVERIFY(byCause == sum);
        QCOMPARE(tokens.orZero(), retries.summary.wastedTokens.orZero());
    }

    /// Tokens are lost once, however deep the attempts lie in each other.
    void wastedTokens()
    {
        testkit::Random random(21);
        std::vector<TraceSpec> traces;
        for (int i = 0; i < 300; ++i)
            traces.push_back(richTrace(random));
        const auto set = retriesOf(built(traces));
        for (std::size_t t = 0; t < traces.size(); ++t) {
            const TraceView view = set->columns.trace(t);
            std::int64_t expected = 0;
            for (const BilledCall& call : set->billing.callsOf(set->columns.firstSpan[t], view.size())) {
                const auto span = std::uint32_t(call.span - set->columns.firstSpan[t]);
                if (call.purpose == CallPurpose::Generate && isLost(*set, t, span))
                    expected += call.tokens.total().orZero();
            }
            QCOMPARE(set->retries.traces[t].wastedTokens.orZero(), expected);
        }
    }

    void orderAndThreadsChangeNothing()
    {
        testkit::Random random(31);
        std::vector<TraceSpec> traces;
        for (int i = 0; i < 700; ++i)
            traces.push_back(i % 2 == 0 ? plainTrace(random) : richTrace(random));
        const std::string expected = allText(*retriesOf(built(traces), {}, 1));
        QCOMPARE(allText(*retriesOf(built(traces), {}, 4)), expected);
        for (TraceSpec& trace : traces)
            for (std::size_t i = trace.size(); i > 1; --i)
                std::swap(trace[i - 1], trace[random.below(i)]);
        QCOMPARE(allText(*retriesOf(built(traces), {}, 4)), expected);
    }

    /// Whatever the tree, nothing breaks, and the sums agree.
    void hostileTraces()
    {
        testkit::RandomShape shape = testkit::hostileShape();
        shape.errorPercent = 50;
        const TraceColumns columns = testkit::randomTraces(7, 400, shape);
        const RetryAnalysis retries = analysed(columns);
        Duration sum{0};
        for (const TraceRetries& trace : retries.traces)
            sum += trace.wasted;
        QVERIFY(retries.summary.wasted == sum);
        QVERIFY(retries.summary.extraAttempts > 0);
    }

    void manyChildren()
    {
        constexpr std::uint32_t children = 200'000;
        TraceColumns columns = testkit::wideTrace(children);
        const StringId name = columns.spans.name[1];
        for (std::uint32_t i = 1; i <= children; ++i) {
            columns.spans.name[i] = name;
            if (i < children)
                columns.spans.flags[i].setStatus(SpanStatus::Error);
        }
        const RetryAnalysis retries = analysed(columns);
        QCOMPARE(retries.groups.size(), std::size_t(1));
        QCOMPARE(retries.groups[0].attempts, children);
        QVERIFY(retries.groups[0].succeeded);
    }

    void deepChain()
    {
        const RetryAnalysis retries = analysed(testkit::chainTrace(200'000));
        QCOMPARE(retries.groups.size(), std::size_t(0));
    }

private:
    static RetryAnalysis analysed(const TraceColumns& columns)
    {
        StageClassifier classifier(parseStageRules(builtInStageRules()).value(), columns.dictionary);
        for (std::size_t t = 0; t < columns.traceCount(); ++t)
            classifier.classify(columns.trace(t), {});
        const StageMap stages = classifier.take();
        const Population population = analysePopulation(columns, stages, {}, 1, {}).value();
        return analyseRetries(columns, stages, {}, population, {}, 1, {}).value();
    }

    /// In an attempt, not the last, of a counted group: below it in the tree or, in walks without a container, begun in its time.
    static bool isLost(const RetrySet& set, std::size_t trace, std::uint32_t span)
    {
        const TraceView view = set.columns.trace(trace);
        for (const AttemptGroup& group : set.retries.groupsOf(trace)) {
            const auto attempts = set.retries.attemptsOf(group);
            for (std::size_t k = 0; group.counted && k + 1 < attempts.size(); ++k) {
                const bool isFlat = group.rule == RetryRule::Walk;
                const bool inTime = view.start[span] >= attempts[k].begin && view.end[span] <= attempts[k].end && view.parent[span] >= 0;
                const bool below = span >= attempts[k].span && span < attempts[k].span + view.subtreeSize[attempts[k].span];
                if (isFlat ? inTime : below)
                    return true;
            }
        }
        return false;
    }
};

QTEST_GUILESS_MAIN(RetriesRandomTest)
#include "tst_retries_random.moc"
