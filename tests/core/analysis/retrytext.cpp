// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/analysis/retrytext.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

namespace chokepoint {

namespace {

constexpr std::int64_t millisecond = 1'000'000;

std::vector<std::string> split(const std::string& text, const std::string& separator)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
        parts.push_back(text.substr(begin, end - begin));
        begin = end + separator.size();
    }
    parts.push_back(text.substr(begin));
    return parts;
}

std::int64_t nanoseconds(const std::string& milliseconds)
{
    return std::llround(std::strtod(milliseconds.c_str(), nullptr) * double(millisecond));
}

Attribute attribute(const std::string& field)
{
    const std::size_t equals = field.find('=');
    const char before = equals == 0 ? ' ' : field[equals - 1];
    const std::string text = field.substr(equals + 1);
    if (before == ':' && text.find('.') == std::string::npos)
        return {field.substr(0, equals - 1), {std::int64_t(std::stoll(text))}};
    if (before == ':')
        return {field.substr(0, equals - 1), {std::stod(text)}};
    if (before == '?')
        return {field.substr(0, equals - 1), {text == "true"}};
    return {field.substr(0, equals), {text}};
}

AttributeList attributes(const std::vector<std::string>& parts)
{
    AttributeList list;
    for (std::size_t i = 1; i < parts.size(); ++i)
        list.push_back(attribute(parts[i]));
    return list;
}

void addField(const std::string& field, testkit::TraceBuilder& traces)
{
    for (unsigned kind = 0; kind <= unsigned(SpanKind::Consumer); ++kind) {
        if (field == spanKindName(SpanKind(kind))) {
            traces.kind(SpanKind(kind));
            return;
        }
    }
    if (field == "ERROR") {
        traces.error();
    } else if (field == "CANCELLED") {
        traces.cancelled();
    } else if (field == "TIMEDOUT") {
        traces.timedOut();
    } else if (field.front() == '%') {
        traces.service(field.substr(1));
    } else if (field.front() == '#') {
        traces.message(field.substr(1));
    } else if (field.front() == '!') {
        const std::vector<std::string> parts = split(field.substr(1), ";");
        const std::size_t at = parts.front().rfind('@');
        traces.event(parts.front().substr(0, at), nanoseconds(parts.front().substr(at + 1)), attributes(parts));
    } else if (field.front() == '~') {
        const std::vector<std::string> parts = split(field.substr(1), ";");
        traces.link(parts.front(), attributes(parts));
    } else if (field.front() != '&') {
        Attribute added = attribute(field);
        traces.attribute(added.key, std::move(added.value));
    }
}

void addSpan(const std::string& line, std::vector<std::string>& open, std::size_t number, testkit::TraceBuilder& traces)
{
    const std::size_t indentation = line.find_first_not_of(' ');
    const std::vector<std::string> fields = split(line.substr(indentation), " | ");
    std::string key = "line " + std::to_string(number);
    for (const std::string& field : fields)
        if (field.size() > 1 && field.front() == '&')
            key = field.substr(1);
    open.resize(indentation / 2);
    const std::size_t dash = fields.at(1).find('-');
    const std::string end = fields[1].substr(dash + 1);
    traces.span(key, nanoseconds(fields[1].substr(0, dash)), nanoseconds(end), open.empty() ? "" : open.back()).named(fields[0]);
    traces.kind(SpanKind::Internal);
    if (end == "?")
        traces.noEnd();
    for (std::size_t f = 2; f < fields.size(); ++f)
        addField(fields[f], traces);
    open.push_back(key);
}

} // namespace

testkit::TraceBuilder tracesFromText(std::string_view text)
{
    testkit::TraceBuilder traces;
    std::vector<std::string> open; // keys by depth
    std::istringstream stream{std::string(text)};
    std::size_t number = 0;
    for (std::string line; std::getline(stream, line); ++number) {
        if (line == "---") {
            traces.nextTrace();
            open.clear();
        } else if (line.find_first_not_of(' ') != std::string::npos) {
            addSpan(line, open, number, traces);
        }
    }
    return traces;
}

std::unique_ptr<RetrySet> retriesOf(const testkit::TraceBuilder& traces, const PriceTable& prices, unsigned threads)
{
    auto set = std::make_unique<RetrySet>();
    std::vector<std::string> payloads;
    std::tie(set->columns, payloads) = traces.buildWithPayloads();
    const std::shared_ptr<const StageRules> rules = parseStageRules(builtInStageRules()).value();
    StageClassifier classifier(rules, set->columns.dictionary);
    UsageReader usage(rules, set->columns.dictionary);
    AttemptFactReader facts(set->columns.dictionary);
    for (std::size_t t = 0; t < set->columns.traceCount(); ++t) {
        const TraceView trace = set->columns.trace(t);
        for (std::size_t i = 0; i < trace.size(); ++i) {
            const std::string& payload = payloads[set->columns.firstSpan[t] + i];
            readPayload(trace, i, payload, set->columns.dictionary->strings, classifier, usage, facts);
            facts.remainder(payload);
        }
        classifier.endTrace(trace);
    }
    set->stages = classifier.take();
    set->usage = usage.take();
    set->facts = facts.take();
    set->population = analysePopulation(set->columns, set->stages, {}, threads, {}).value();
    set->billing = billingSet(set->columns, set->stages, set->usage, prices);
    set->retries = analyseRetries(set->columns, set->stages, set->facts, set->population, set->billing, threads, {}).value();
    return set;
}

std::string groupsText(const RetrySet& set)
{
    std::string text;
    for (const AttemptGroup& group : set.retries.groups) {
        const Attempt& first = set.retries.attemptsOf(group).front();
        const std::string_view name = set.columns.dictionary->text(set.columns.trace(first.trace).name[first.span]);
        const std::string cause = retryCauseName(group.cause);
        const std::string line = fmt::format("{} R{} {} {} x{} {} {}", attemptKindName(group.kind), unsigned(group.rule), group.confidence,
            name, group.attempts, cause.empty() ? "-" : cause, group.succeeded ? "ok" : "failed");
        text += group.counted ? line + "\n" : "(" + line + ")\n";
    }
    return text;
}

} // namespace chokepoint
