// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/answers.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

namespace chokepoint {

namespace {

constexpr const char* correctnessNames = "correct|accuracy|exact_match|\\bqa\\b|^qa|task_success|user_feedback|thumbs";
constexpr const char* inverseNames = "hallucinat|toxic|bias|refus|error|jailbreak|pii|incorrect";

constexpr std::array<std::string_view, 13> goodLabels{
    "correct", "pass", "passed", "true", "yes", "good", "relevant", "grounded", "factual", "faithful", "thumbs_up", "positive", "1"};
constexpr std::array<std::string_view, 13> badLabels{"incorrect", "fail", "failed", "false", "no", "bad", "not_relevant", "ungrounded",
    "hallucinated", "thumbs_down", "negative", "irrelevant", "0"};

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c == '-' || c == ' ' ? '_' : c;
    return lower;
}

/// How values and labels of one metric become verdicts.
struct Metric {
    bool counts = false;
    bool isInverse = false; // more is worse
    std::optional<double> threshold; // none: its values cannot be judged
    double lowest = 0;
    double highest = 0;
    bool hasValues = false;
};

class Metrics {
public:
    Metrics(const UsageTable& usage, const std::vector<CorrectnessRule>& rules) : m_usage(usage), m_rules(rules)
    {
        for (const Score& score : usage.scores) {
            Metric& metric = describe(score.metric);
            if (!score.hasValue)
                continue;
            metric.lowest = metric.hasValues ? std::min(metric.lowest, score.value) : score.value;
            metric.highest = metric.hasValues ? std::max(metric.highest, score.value) : score.value;
            metric.hasValues = true;
        }
        for (auto& [id, metric] : m_known) {
            if (!metric.threshold)
                metric.threshold = thresholdOf(metric);
        }
    }

    [[nodiscard]] AnswerVerdict verdict(const Score& score) const
    {
        const Metric& metric = m_known.at(score.metric);
        if (!metric.counts)
            return AnswerVerdict::Unlabelled;
        const auto judged = [&](bool isGood) { return isGood != metric.isInverse ? AnswerVerdict::Correct : AnswerVerdict::Incorrect; };
        const std::string label = lowerCase(m_usage.text(score.label));
        // "correct" says what it says, whatever the name of the metric; "yes" and "true" answer the metric's question.
        const bool answersMetric = label == "true" || label == "false" || label == "yes" || label == "no" || label == "1" || label == "0";
        if (const AnswerVerdict said = verdictFromWord(label); said != AnswerVerdict::Unlabelled)
            return answersMetric ? judged(said == AnswerVerdict::Correct) : said;
        if (!score.hasValue || !metric.threshold)
            return AnswerVerdict::Unlabelled;
        return judged(score.value >= *metric.threshold);
    }

private:
    Metric& describe(StringId id)
    {
        const auto [entry, isNew] = m_known.try_emplace(id);
        if (!isNew)
            return entry->second;
        Metric& metric = entry->second;
        const std::string name = lowerCase(m_usage.text(id));
        metric.isInverse = re2::RE2::PartialMatch(name, inverseNames);
        metric.counts = re2::RE2::PartialMatch(name, correctnessNames);
        for (const CorrectnessRule& rule : m_rules) {
            if (!re2::RE2::PartialMatch(name, *rule.metric))
                continue;
            metric.counts = true;
            metric.isInverse = rule.isInverse.value_or(metric.isInverse);
            metric.threshold = rule.threshold;
            break;
        }
        return metric;
    }

    /// Shares and yes-or-no values from a half on, grades up to 5 from 4 on; other ranges mean what their evaluator says.
    [[nodiscard]] static std::optional<double> thresholdOf(const Metric& metric)
    {
        if (!metric.hasValues || metric.lowest < 0 || metric.highest > 5)
            return std::nullopt;
        if (metric.highest <= 1)
            return 0.5;
        return metric.lowest >= 1 ? std::optional(4.0) : std::nullopt;
    }

    const UsageTable& m_usage;
    const std::vector<CorrectnessRule>& m_rules;
    std::map<StringId, Metric> m_known;
};

const std::string& topStage(const StageMap& stages, std::uint64_t span)
{
    return stages.table->name(stages.table->topLevel(stages.ownStage(span)));
}

/// The call that generates and ends last, index in the usage; nullptr without one.
const CallFacts* finalGenerate(const TraceColumns& columns, const StageMap& stages, std::span<const CallFacts> calls)
{
    const CallFacts* last = nullptr;
    for (const CallFacts& call : calls) {
        const bool isCall = topStage(stages, call.span) == "generate" && !stages.container[call.span];
        if (isCall && (last == nullptr || columns.spans.end[call.span] >= columns.spans.end[last->span]))
            last = &call;
    }
    return last;
}

/// A score with the trace and the span (of the population) that it is about.
struct PlacedScore {
    std::size_t trace = 0;
    std::uint64_t span = 0;
    const Score* score = nullptr;
};

/// By trace, then in the order of the scores. Links into traces that are not there lead nowhere.
std::vector<PlacedScore> placed(const TraceColumns& columns, const UsageTable& usage)
{
    const bool hasLinks =
        std::any_of(usage.scores.begin(), usage.scores.end(), [](const Score& score) { return !score.aboutTrace.isNull(); });
    std::unordered_map<TraceId, std::size_t> traces;
    for (std::size_t t = 0; hasLinks && t < columns.traceCount(); ++t)
        traces.emplace(columns.traceId[t], t);
    std::vector<PlacedScore> result;
    for (const Score& score : usage.scores) {
        if (score.aboutTrace.isNull()) {
            const auto next = std::upper_bound(columns.firstSpan.begin(), columns.firstSpan.end(), score.span);
            result.push_back({std::size_t(next - columns.firstSpan.begin()) - 1, score.span, &score});
            continue;
        }
        const auto trace = traces.find(score.aboutTrace);
        if (trace == traces.end())
            continue;
        const auto begin = columns.spans.spanId.begin() + std::ptrdiff_t(columns.firstSpan[trace->second]);
        const auto end = columns.spans.spanId.begin() + std::ptrdiff_t(columns.firstSpan[trace->second + 1]);
        if (const auto span = std::find(begin, end, score.aboutSpan); span != end)
            result.push_back({trace->second, std::uint64_t(span - columns.spans.spanId.begin()), &score});
    }
    std::stable_sort(result.begin(), result.end(), [](const PlacedScore& a, const PlacedScore& b) { return a.trace < b.trace; });
    return result;
}

} // namespace

AnswerVerdict verdictFromWord(std::string_view word)
{
    const std::string label = lowerCase(word);
    if (std::find(goodLabels.begin(), goodLabels.end(), label) != goodLabels.end())
        return AnswerVerdict::Correct;
    const bool isBad = std::find(badLabels.begin(), badLabels.end(), label) != badLabels.end();
    return isBad ? AnswerVerdict::Incorrect : AnswerVerdict::Unlabelled;
}

std::vector<AnswerVerdict> judgeAnswers(const TraceColumns& columns, const Population& population, const StageMap& stages,
    const UsageTable& usage, const std::vector<CorrectnessRule>& rules)
{
    std::vector<AnswerVerdict> verdicts(columns.traceCount(), AnswerVerdict::Unlabelled);
    const Metrics metrics(usage, rules);
    const std::vector<PlacedScore> scores = placed(columns, usage);
    for (std::size_t begin = 0, end = 0; begin < scores.size(); begin = end) {
        const std::size_t t = scores[begin].trace;
        for (end = begin; end < scores.size() && scores[end].trace == t; ++end) { }
        const std::uint64_t first = columns.firstSpan[t];
        const std::int32_t root = population.traces[t].root;
        const CallFacts* const answer = finalGenerate(columns, stages, usage.callsOf(first, columns.firstSpan[t + 1] - first));
        const auto fit = [&](const PlacedScore& entry) {
            if (entry.score->about == Score::About::Trace)
                return 5;
            if (entry.score->about == Score::About::Session)
                return 1;
            if (root >= 0 && entry.span == first + std::uint64_t(root))
                return 4;
            const bool isOfAnswer = (answer != nullptr && entry.span == answer->span) || topStage(stages, entry.span) == "evaluate";
            return isOfAnswer ? 3 : 0;
        };
        std::tuple<int, int, std::int64_t> best{0, 0, 0};
        for (std::size_t k = begin; k < end; ++k) {
            const Score& score = *scores[k].score;
            const AnswerVerdict verdict = metrics.verdict(score);
            const std::tuple rank{fit(scores[k]), int(score.judge), toNs(score.time)};
            if (verdict == AnswerVerdict::Unlabelled || std::get<0>(rank) == 0 || rank < best)
                continue;
            best = rank;
            verdicts[t] = verdict;
        }
    }
    return verdicts;
}

std::vector<bool> successfulRequests(
    const TraceColumns& columns, const Population& population, const StageMap& stages, const UsageTable& usage)
{
    std::vector<bool> successful(columns.traceCount());
    const StageId validate = stages.table->find("validate");
    for (std::size_t t = 0; t < columns.traceCount(); ++t) {
        const TraceFigures& figures = population.traces[t];
        const std::uint64_t first = columns.firstSpan[t];
        const std::uint64_t end = columns.firstSpan[t + 1];
        if (!figures.hasTrueRoot || columns.spans.flags[first + std::uint64_t(figures.root)].isError())
            continue;
        const CallFacts* const answer = finalGenerate(columns, stages, usage.callsOf(first, end - first));
        const bool isFinished = answer == nullptr || answer->finish == FinishReason::Stop
            || (answer->finish == FinishReason::Unknown && !columns.spans.flags[answer->span].isError());
        Timestamp validated = unknownTime;
        bool isValid = true;
        for (std::uint64_t span = first; span < end; ++span) {
            if (stages.table->topLevel(stages.stage[span]) != validate || columns.spans.end[span] < validated)
                continue;
            validated = columns.spans.end[span];
            isValid = !columns.spans.flags[span].isError();
        }
        successful[t] = isFinished && isValid;
    }
    return successful;
}

} // namespace chokepoint
