// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Parsing of rule conditions, with messages that name what is wrong and what is expected.
#include "core/analysis/ruleconditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace chokepoint {

namespace {

using nlohmann::json;

std::string lowerCase(std::string text)
{
    for (char& c : text)
        c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    return text;
}

Condition probeCondition(Probe probe, StageRules& rules)
{
    Condition condition;
    condition.kind = Condition::Kind::Probe;
    const auto same = [&](const Probe& known) {
        const bool samePattern = (known.pattern == nullptr) == (probe.pattern == nullptr)
            && (known.pattern == nullptr || known.pattern->pattern() == probe.pattern->pattern());
        return samePattern && known.subject == probe.subject && known.test == probe.test && known.keys == probe.keys
            && known.values == probe.values && known.kinds == probe.kinds && known.atLeast == probe.atLeast && known.atMost == probe.atMost;
    };
    const auto found = std::find_if(rules.probes.begin(), rules.probes.end(), same);
    condition.probe = std::uint16_t(found - rules.probes.begin());
    if (found == rules.probes.end())
        rules.probes.push_back(std::move(probe));
    return condition;
}

Condition negation(Condition inner)
{
    Condition condition;
    condition.kind = Condition::Kind::Not;
    condition.parts.push_back(std::move(inner));
    return condition;
}

/// "$model" becomes the keys of that alias; other texts are keys.
Result<std::vector<std::string>> expandKeys(const json& value, const StageRules& rules)
{
    Result<std::vector<std::string>> named = parseTexts(value, "key");
    if (!named)
        return named;
    std::vector<std::string> keys;
    for (std::string& key : *named) {
        if (!key.starts_with('$')) {
            keys.push_back(std::move(key));
            continue;
        }
        const auto alias = rules.aliases.find(std::string_view(key).substr(1));
        if (alias == rules.aliases.end())
            return fail(ErrorCode::InvalidRules, fmt::format("\"{}\" is no alias; define \"{}\" under \"aliases\"", key, key.substr(1)));
        for (const std::string& entry : alias->second) // "key{member}" reads a member of a structured value; a rule asks for the key
            keys.push_back(entry.substr(0, entry.find('{')));
    }
    return keys;
}

std::string scalarText(const json& value)
{
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The operator of an attribute test: exactly one of exists, equals, in, prefix, regex.
Result<bool> parseOperator(const json& test, Probe& probe)
{
    constexpr std::array<std::string_view, 5> operators{"exists", "equals", "in", "prefix", "regex"};
    const auto count = std::count_if(operators.begin(), operators.end(), [&](std::string_view name) { return test.contains(name); });
    if (count != 1)
        return fail(
            ErrorCode::InvalidRules, "an attribute test needs exactly one of \"exists\", \"equals\", \"in\", \"prefix\", \"regex\"");
    if (test.contains("exists")) {
        if (!test["exists"].is_boolean())
            return fail(ErrorCode::InvalidRules, "\"exists\" must be true or false");
        probe.test = Probe::Operator::Exists;
        return test["exists"].get<bool>();
    }
    if (test.contains("regex")) {
        Result<std::shared_ptr<const re2::RE2>> pattern = parsePattern(test["regex"], "regex");
        if (!pattern)
            return fail(std::move(pattern).error());
        probe.test = Probe::Operator::Pattern;
        probe.pattern = std::move(*pattern);
        return true;
    }
    probe.test = test.contains("prefix") ? Probe::Operator::Prefix : Probe::Operator::OneOf;
    const json& value = test.contains("prefix") ? test["prefix"] : test.contains("in") ? test["in"] : test["equals"];
    if (test.contains("in") != value.is_array() || value.is_object() || value.is_null())
        return fail(ErrorCode::InvalidRules, "\"in\" needs an array, \"equals\" and \"prefix\" one text, number or boolean");
    if (!value.is_array()) {
        probe.values.push_back(lowerCase(scalarText(value)));
        return true;
    }
    for (const json& element : value)
        probe.values.push_back(lowerCase(scalarText(element)));
    return true;
}

Result<Condition> parseAttributeTest(const json& test, StageRules& rules)
{
    if (!test.is_object() || !test.contains("key"))
        return fail(ErrorCode::InvalidRules, "\"attr\" must be an object with a \"key\" and one operator, or an array of such");
    if (Result<void> known = checkKeys(test, {"key", "exists", "equals", "in", "prefix", "regex"}); !known)
        return fail(std::move(known).error());
    Probe probe;
    probe.subject = Probe::Subject::Attribute;
    Result<std::vector<std::string>> keys = expandKeys(test["key"], rules);
    if (!keys)
        return fail(std::move(keys).error());
    probe.keys = std::move(*keys);
    Result<bool> expected = parseOperator(test, probe);
    if (!expected)
        return fail(std::move(expected).error());
    Condition condition = probeCondition(std::move(probe), rules);
    return *expected ? std::move(condition) : negation(std::move(condition));
}

Result<Condition> parseAttributes(const json& value, StageRules& rules)
{
    if (!value.is_array())
        return parseAttributeTest(value, rules);
    Condition all;
    for (const json& test : value) {
        Result<Condition> part = parseAttributeTest(test, rules);
        if (!part)
            return part;
        all.parts.push_back(std::move(*part));
    }
    return all;
}

Result<Condition> parseTextTest(std::string_view key, Probe::Subject subject, const json& value, StageRules& rules)
{
    Result<std::shared_ptr<const re2::RE2>> pattern = parsePattern(value, key);
    if (!pattern)
        return fail(std::move(pattern).error());
    Probe probe;
    probe.subject = subject;
    probe.test = Probe::Operator::Pattern;
    probe.pattern = std::move(*pattern);
    return probeCondition(std::move(probe), rules);
}

Result<Condition> parseKind(const json& value, StageRules& rules)
{
    Result<std::vector<std::string>> names = parseTexts(value, "kind");
    if (!names)
        return fail(std::move(names).error());
    Probe probe;
    probe.subject = Probe::Subject::Kind;
    for (const std::string& name : *names) {
        unsigned bit = 0;
        for (unsigned kind = 0; kind <= unsigned(SpanKind::Consumer); ++kind)
            bit |= lowerCase(spanKindName(SpanKind(kind))) == lowerCase(name) ? 1U << kind : 0U;
        if (bit == 0)
            return fail(ErrorCode::InvalidRules,
                fmt::format("\"{}\" is no span kind; use UNSPECIFIED, INTERNAL, SERVER, CLIENT, PRODUCER or CONSUMER", name));
        probe.kinds |= bit;
    }
    return probeCondition(std::move(probe), rules);
}

Result<Condition> parseDuration(const json& value, StageRules& rules)
{
    if (!value.is_object())
        return fail(ErrorCode::InvalidRules, "\"duration\" must be an object with \"min_ms\", \"max_ms\" or both");
    if (Result<void> known = checkKeys(value, {"min_ms", "max_ms"}); !known)
        return fail(std::move(known).error());
    Probe probe;
    probe.subject = Probe::Subject::Length;
    for (const auto& [key, bound] : value.items()) {
        if (!bound.is_number() || bound.get<double>() < 0 || bound.get<double>() > 9e12)
            return fail(ErrorCode::InvalidRules, fmt::format("\"{}\" must be a number of milliseconds from 0 to 9e12", key));
        (key == "min_ms" ? probe.atLeast : probe.atMost) = Duration(std::llround(bound.get<double>() * 1e6));
    }
    return probeCondition(std::move(probe), rules);
}

Result<Condition> parseRoot(const json& value, StageRules& rules)
{
    if (!value.is_boolean())
        return fail(ErrorCode::InvalidRules, "\"is_root\" must be true or false");
    Probe probe;
    probe.subject = Probe::Subject::Root;
    Condition condition = probeCondition(std::move(probe), rules);
    return value.get<bool>() ? std::move(condition) : negation(std::move(condition));
}

/// parent_stage, has_child_stage and under_leaf.
Result<Condition> parseStageTest(std::string_view key, Condition::Kind kind, const json& value, const StageRules& rules)
{
    Condition condition;
    condition.kind = kind;
    if (value.is_boolean()) {
        condition.expected = value.get<bool>() || kind == Condition::Kind::UnderStage;
        condition.stages.set();
        return kind == Condition::Kind::UnderStage && !value.get<bool>() ? negation(std::move(condition)) : std::move(condition);
    }
    if (kind == Condition::Kind::UnderLeaf)
        return fail(ErrorCode::InvalidRules, "\"under_leaf\" must be true or false");
    Result<std::vector<std::string>> names = parseTexts(value, key);
    if (!names)
        return fail(std::move(names).error());
    for (const std::string& name : *names) {
        const Result<StageId> stage = parseStage(name, rules.table);
        if (!stage)
            return fail(stage.error());
        condition.stages |= stageAndParts(rules.table, *stage);
    }
    return condition;
}

Result<Condition> parseStageCount(const json& value)
{
    const auto isCount = [](const json& n) { return n.is_number_unsigned() && n.get<std::uint64_t>() <= maxStages; };
    Condition condition;
    condition.kind = Condition::Kind::StageCountBelow;
    if (isCount(value)) {
        condition.atLeast = value.get<unsigned>();
        return condition;
    }
    const std::string expected = "\"child_stages\" must be a number, or an object with \"at_least\", \"at_most\" or both";
    if (!value.is_object())
        return fail(ErrorCode::InvalidRules, expected);
    if (Result<void> known = checkKeys(value, {"at_least", "at_most"}); !known)
        return fail(std::move(known).error());
    for (const auto& [key, bound] : value.items()) {
        if (!isCount(bound))
            return fail(ErrorCode::InvalidRules, expected);
        (key == "at_least" ? condition.atLeast : condition.atMost) = bound.get<unsigned>();
    }
    return condition;
}

Result<Condition> parseNested(const json& when, StageRules& rules, unsigned depth);

Result<Condition> parseList(std::string_view key, const json& value, StageRules& rules, unsigned depth)
{
    Condition condition;
    condition.kind = key == "any" ? Condition::Kind::Any : Condition::Kind::All;
    if (!value.is_array() || value.empty())
        return fail(ErrorCode::InvalidRules, fmt::format("\"{}\" must be an array with at least one condition", key));
    for (const json& part : value) {
        Result<Condition> parsed = parseNested(part, rules, depth + 1);
        if (!parsed)
            return parsed;
        condition.parts.push_back(std::move(*parsed));
    }
    return condition;
}

Result<Condition> parseMatcher(const std::string& key, const json& value, StageRules& rules, unsigned depth)
{
    if (key == "all" || key == "any")
        return parseList(key, value, rules, depth);
    if (key == "not") {
        Result<Condition> inner = parseNested(value, rules, depth + 1);
        return inner ? negation(std::move(*inner)) : std::move(inner);
    }
    if (key == "attr")
        return parseAttributes(value, rules);
    if (key == "kind")
        return parseKind(value, rules);
    if (key == "duration")
        return parseDuration(value, rules);
    if (key == "is_root")
        return parseRoot(value, rules);
    if (key == "child_stages")
        return parseStageCount(value);
    if (key == "parent_stage")
        return parseStageTest(key, Condition::Kind::UnderStage, value, rules);
    if (key == "under_leaf")
        return parseStageTest(key, Condition::Kind::UnderLeaf, value, rules);
    if (key == "has_child_stage")
        return parseStageTest(key, Condition::Kind::HasStageBelow, value, rules);
    constexpr std::array<std::pair<std::string_view, Probe::Subject>, 5> texts{
        {{"name", Probe::Subject::Name}, {"step", Probe::Subject::Step}, {"scope", Probe::Subject::Scope},
            {"service", Probe::Subject::Service}, {"event", Probe::Subject::Event}}};
    const auto text = std::find_if(texts.begin(), texts.end(), [&](const auto& entry) { return entry.first == key; });
    return parseTextTest(key, text->second, value, rules);
}

Result<Condition> parseNested(const json& when, StageRules& rules, unsigned depth)
{
    if (depth > maxConditionDepth)
        return fail(ErrorCode::InvalidRules, fmt::format("conditions nest deeper than {}; split the rule", maxConditionDepth));
    if (!when.is_object() || when.empty())
        return fail(ErrorCode::InvalidRules, "a condition must be an object with at least one matcher");
    if (Result<void> known = checkKeys(when,
            {"all", "any", "not", "attr", "name", "step", "scope", "service", "event", "kind", "parent_stage", "under_leaf",
                "has_child_stage", "child_stages", "is_root", "duration"});
        !known)
        return fail(std::move(known).error());
    Condition all;
    for (const auto& [key, value] : when.items()) {
        Result<Condition> part = parseMatcher(key, value, rules, depth);
        if (!part)
            return part;
        all.parts.push_back(std::move(*part));
    }
    return all.parts.size() == 1 ? std::move(all.parts.front()) : std::move(all);
}

} // namespace

Result<std::shared_ptr<const re2::RE2>> parsePattern(const json& value, std::string_view what)
{
    if (!value.is_string())
        return fail(ErrorCode::InvalidRules, fmt::format("\"{}\" must be a text with a regular expression", what));
    re2::RE2::Options options;
    options.set_case_sensitive(false);
    options.set_log_errors(false);
    const auto& text = value.get_ref<const std::string&>();
    auto pattern = std::make_shared<const re2::RE2>(text, options);
    if (!pattern->ok())
        return fail(ErrorCode::InvalidRules,
            fmt::format("\"{}\" is not a regular expression in RE2 syntax ({}): {}", what, pattern->error(), text));
    return pattern;
}

Result<Condition> parseCondition(const json& when, StageRules& rules)
{
    return parseNested(when, rules, 1);
}

Result<void> checkKeys(const json& object, std::initializer_list<std::string_view> known)
{
    for (const auto& [key, value] : object.items()) {
        if (std::find(known.begin(), known.end(), key) == known.end())
            return fail(ErrorCode::InvalidRules, fmt::format("\"{}\" is not a known key here; use {}", key, fmt::join(known, ", ")));
    }
    return {};
}

Result<std::vector<std::string>> parseTexts(const json& value, std::string_view what)
{
    std::vector<std::string> texts;
    if (value.is_string())
        texts.push_back(value.get<std::string>());
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
        if (!value[i].is_string())
            return fail(ErrorCode::InvalidRules, fmt::format("\"{}\" must hold texts only", what));
        texts.push_back(value[i].get<std::string>());
    }
    if (texts.empty())
        return fail(ErrorCode::InvalidRules, fmt::format("\"{}\" must be a text or a non-empty array of texts", what));
    return texts;
}

Result<StageId> parseStage(std::string_view name, const StageTable& table)
{
    const StageId stage = table.find(name);
    if (stage == StageTable::noStage)
        return fail(ErrorCode::InvalidRules, fmt::format("\"{}\" is no stage; correct the name, or define it under \"stages\"", name));
    return stage;
}

} // namespace chokepoint
