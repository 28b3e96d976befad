// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From the text of the rule files (built-in and the user's) to the rules in order of evaluation.
#include "core/analysis/ruleconditions.h"
#include "core/analysis/rulefile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

using nlohmann::json;

// ---- stages -------------------------------------------------------------------------------------------------------

struct StageEntry {
    std::string id;
    std::string label;
};

bool isStageName(std::string_view id)
{
    const auto isPart = [](std::string_view part) {
        return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        });
    };
    const std::size_t dot = id.find('.');
    return dot == std::string_view::npos ? isPart(id) : isPart(id.substr(0, dot)) && isPart(id.substr(dot + 1));
}

Result<void> addStage(const RuleFile& file, const json& entry, std::vector<StageEntry>& stages)
{
    if (!entry.is_object() || !entry.value("id", json()).is_string())
        return file.invalid("each entry of \"stages\" must be an object with a text \"id\"");
    const auto id = entry["id"].get<std::string>();
    if (Result<void> known = checkKeys(entry, {"id", "label", "after"}); !known)
        return file.invalid("stage", id, known.error().detail);
    if (!isStageName(id))
        return file.invalid("stage", id, "a stage name is lower-case letters, digits, _ and -, with one dot before a sub-stage");
    if (entry.contains("label") && !entry["label"].is_string())
        return file.invalid("stage", id, "\"label\" must be a text");
    const auto find = [&stages](std::string_view name) {
        return std::find_if(stages.begin(), stages.end(), [name](const StageEntry& stage) { return stage.id == name; });
    };
    const auto label = entry.value("label", std::string());
    if (const auto known = find(id); known != stages.end()) {
        known->label = label.empty() ? known->label : label;
        return {};
    }
    if (const std::size_t dot = id.find('.'); dot != std::string::npos && find(id.substr(0, dot)) == stages.end())
        return file.invalid("stage", id, fmt::format("\"{}\" is no stage; define it before its sub-stage", id.substr(0, dot)));
    auto position = stages.end();
    if (entry.contains("after")) {
        const std::string after = entry["after"].is_string() ? entry["after"].get<std::string>() : std::string();
        const auto before = find(after);
        if (before == stages.end())
            return file.invalid("stage", id, fmt::format("\"after\" names \"{}\", which is no stage", after));
        // Behind the sub-stages too, so that the order of the top levels is the order of the pipeline.
        position = std::find_if(before + 1, stages.end(), [&](const StageEntry& stage) { return !stage.id.starts_with(after + "."); });
    }
    stages.insert(position, {id, label});
    return {};
}

Result<void> readStages(const std::vector<RuleFile>& files, StageRules& rules)
{
    std::vector<StageEntry> stages;
    for (auto file = files.rbegin(); file != files.rend(); ++file) { // the built-in file stands last
        for (const json& entry : file->root.value("stages", json::array())) {
            if (Result<void> added = addStage(*file, entry, stages); !added)
                return added;
        }
    }
    if (stages.size() > maxStages)
        return files.front().invalid(fmt::format("{} stages are defined; at most {} can be", stages.size(), maxStages));
    for (const StageEntry& stage : stages) {
        const StageId id = rules.table.add(stage.id);
        if (!stage.label.empty())
            rules.table.setLabel(id, stage.label);
    }
    for (std::size_t i = 0; i < rules.table.size(); ++i)
        rules.topLevel[i] = rules.table.topLevel(StageId(i)) == StageId(i);
    return {};
}

/// Owners, what may lie inside what, and the two stages that the engine itself gives. Of the built-in file only.
Result<void> readNesting(const RuleFile& file, StageRules& rules)
{
    for (const json& owner : file.root.value("owners", json::array())) {
        const Result<StageId> stage = parseStage(owner.is_string() ? owner.get<std::string>() : std::string(), rules.table);
        if (!stage)
            return file.invalid("\"owners\": " + stage.error().detail);
        rules.owners |= stageAndParts(rules.table, *stage);
    }
    rules.allowedInside.assign(rules.table.size(), StageSet().set());
    const json contains = file.root.value("contains", json::object());
    for (const auto& [outer, list] : contains.items()) {
        const Result<StageId> outside = parseStage(outer, rules.table);
        const Result<std::vector<std::string>> names = parseTexts(list, outer);
        if (!outside || !names)
            return file.invalid("\"contains\": " + (outside ? names.error() : outside.error()).detail);
        StageSet allowed;
        for (const std::string& name : *names) {
            const Result<StageId> inside = parseStage(name, rules.table);
            if (!inside)
                return file.invalid("\"contains\": " + inside.error().detail);
            allowed |= stageAndParts(rules.table, *inside);
        }
        rules.allowedInside[toIndex(*outside)] = allowed;
    }
    rules.orchestrate = rules.table.find("orchestrate");
    rules.other = rules.table.find(unmappedStage);
    if (rules.orchestrate == StageTable::noStage || rules.other == StageTable::noStage)
        return file.invalid("the stages \"orchestrate\" and \"other\" must be defined");
    return {};
}

// ---- rules --------------------------------------------------------------------------------------------------------

/// Of a rule, for all of its cases, or of one outcome.
Result<void> readConfidence(const json& object, StageRule& rule)
{
    const auto confidence = object.find("confidence");
    if (confidence == object.end())
        return {};
    if (!confidence->is_number() || confidence->get<double>() < 0 || confidence->get<double>() > 1)
        return fail(ErrorCode::InvalidRules, "\"confidence\" must be a number from 0 to 1");
    rule.confidence = std::uint8_t(std::lround(confidence->get<double>() * 100));
    return {};
}

Result<void> readRole(const json& then, StageRule& rule)
{
    const auto role = then.value("role", json("leaf"));
    if (role != "leaf" && role != "container" && role != "transport" && role != "inherited")
        return fail(ErrorCode::InvalidRules, "\"role\" must be \"leaf\", \"container\", \"transport\" or \"inherited\"");
    rule.container = role == "container";
    rule.transport = role == "transport";
    rule.inherited = role == "inherited";
    if (Result<void> confidence = readConfidence(then, rule); !confidence)
        return confidence;
    for (const char* flag : {"contained", "owned"}) {
        if (then.contains(flag) && !then[flag].is_boolean())
            return fail(ErrorCode::InvalidRules, fmt::format("\"{}\" must be true or false", flag));
    }
    rule.contained = then.value("contained", false);
    rule.owned = then.value("owned", true);
    return {};
}

/// "then" is a stage name, or an object with it.
Result<void> readOutcome(const json& then, const StageRules& rules, StageRule& rule)
{
    if (then.is_object()) {
        if (Result<void> known = checkKeys(then, {"stage", "role", "confidence", "contained", "owned", "try"}); !known)
            return known;
        if (Result<void> role = readRole(then, rule); !role)
            return role;
        if (then.contains("try") && !then["try"].is_string())
            return fail(ErrorCode::InvalidRules, "\"try\" must be a rule id or a pattern such as \"T5-*\"");
        rule.tryFirst = then.value("try", std::string());
    }
    const json& stage = then.is_object() && then.contains("stage") ? then["stage"] : then;
    if (!stage.is_string())
        return fail(ErrorCode::InvalidRules, "\"then\" must be a stage, or an object with a \"stage\"");
    const auto& name = stage.get_ref<const std::string&>();
    rule.source = name == "@parent" ? StageRule::Source::Parent
        : name == "@children"       ? StageRule::Source::Children
                                    : StageRule::Source::Fixed;
    if (rule.source != StageRule::Source::Fixed)
        return {};
    const Result<StageId> id = parseStage(name, rules.table);
    if (!id)
        return fail(id.error());
    rule.stage = *id;
    return {};
}

Result<void> addCase(const json& entry, const json& outerWhen, const StageRule& head, StageRules& rules)
{
    StageRule rule = head;
    for (const json& when : {outerWhen, entry.value("when", json())}) {
        if (when.is_null())
            continue;
        Result<Condition> condition = parseCondition(when, rules);
        if (!condition)
            return fail(std::move(condition).error());
        rule.when.parts.push_back(std::move(*condition));
    }
    if (!entry.contains("then"))
        return fail(ErrorCode::InvalidRules, "\"then\" is missing; say which stage the rule gives");
    if (Result<void> outcome = readOutcome(entry["then"], rules, rule); !outcome)
        return outcome;
    rules.rules.push_back(std::move(rule));
    return {};
}

Result<void> addCases(const json& entry, const StageRule& head, StageRules& rules)
{
    if (Result<void> known = checkKeys(entry, {"id", "priority", "confidence", "when", "then", "cases", "comment"}); !known)
        return known;
    if (!entry.contains("cases"))
        return entry.contains("when") ? addCase(entry, json(), head, rules)
                                      : Result<void>(fail(ErrorCode::InvalidRules, "\"when\" is missing; say which spans the rule is for"));
    if (entry.contains("then") || !entry["cases"].is_array())
        return fail(ErrorCode::InvalidRules, "\"cases\" must be an array and takes the place of \"then\"");
    for (const json& each : entry["cases"]) {
        if (!each.is_object())
            return fail(ErrorCode::InvalidRules, "each case must be an object with \"then\" and, but for the last, \"when\"");
        if (Result<void> known = checkKeys(each, {"when", "then", "comment"}); !known)
            return known;
        if (Result<void> added = addCase(each, entry.value("when", json()), head, rules); !added)
            return added;
    }
    return {};
}

constexpr int userPriority = 50; // below 100: before the built-in rules

Result<void> readRules(const RuleFile& file, StageRules& rules)
{
    std::vector<std::string> seen;
    for (const json& entry : file.root.value("rules", json::array())) {
        if (!entry.is_object() || !entry.value("id", json()).is_string() || entry["id"].get_ref<const std::string&>().empty())
            return file.invalid(fmt::format("rule {}: it must be an object with a text \"id\"", seen.size() + 1));
        StageRule head;
        head.id = entry["id"].get<std::string>();
        if (std::find(seen.begin(), seen.end(), head.id) != seen.end())
            return file.invalid("rule", head.id, "this id occurs twice; give each rule its own");
        seen.push_back(head.id);
        const json priority = entry.value("priority", json(userPriority));
        if (!priority.is_number_integer() || priority.get<std::int64_t>() < 0 || priority.get<std::int64_t>() > 1000)
            return file.invalid(
                "rule", head.id, "\"priority\" must be a whole number from 0 to 1000; below 100 comes before the built-in rules");
        head.priority = priority.get<int>();
        if (Result<void> confidence = readConfidence(entry, head); !confidence)
            return file.invalid("rule", head.id, confidence.error().detail);
        if (Result<void> added = addCases(entry, head, rules); !added)
            return file.invalid("rule", head.id, added.error().detail);
    }
    return {};
}

Result<void> disableRules(const RuleFile& file, StageRules& rules)
{
    for (const json& entry : file.root.value("disable", json::array())) {
        const std::string pattern = entry.is_string() ? entry.get<std::string>() : std::string();
        const std::size_t removed = std::erase_if(rules.rules, [&](const StageRule& rule) { return matchesRuleId(pattern, rule.id); });
        if (removed == 0)
            return file.invalidAt(entry.is_string() ? pattern : "disable",
                fmt::format("\"disable\": {} names no rule; use a rule id or a pattern such as \"T6-*\"", entry.dump()));
    }
    return {};
}

/// Turns the "try" patterns into places in the final order.
void linkTries(StageRules& rules)
{
    for (StageRule& rule : rules.rules) {
        for (std::size_t i = 0; i < rules.rules.size() && !rule.tryFirst.empty(); ++i) {
            if (matchesRuleId(rule.tryFirst, rules.rules[i].id) && rules.rules[i].tryFirst.empty())
                rule.tries.push_back(std::uint16_t(i));
        }
    }
}

} // namespace

Result<std::shared_ptr<const StageRules>> parseStageRules(
    std::string_view builtInJson, std::string_view userJson, const std::string& userFile)
{
    std::vector<RuleFile> files; // the user's first
    if (!userJson.empty()) {
        Result<RuleFile> file = readRuleFile(userJson, userFile.empty() ? "the user's rules" : userFile, false);
        if (!file)
            return fail(std::move(file).error());
        files.push_back(std::move(*file));
    }
    Result<RuleFile> builtIn = readRuleFile(builtInJson, "the built-in rules", true);
    if (!builtIn)
        return fail(std::move(builtIn).error());
    files.push_back(std::move(*builtIn));

    const auto rules = std::make_shared<StageRules>();
    Result<void> step = readStages(files, *rules);
    if (step)
        step = readNesting(files.back(), *rules);
    for (auto file = files.rbegin(); step && file != files.rend(); ++file)
        step = readNames(*file, *rules);
    if (step)
        step = readCorrectness(files.front(), *rules);
    if (step)
        step = readDependencies(files.front(), *rules);
    if (step)
        step = readRules(files.back(), *rules);
    if (step)
        step = disableRules(files.front(), *rules); // before the user's own rules come in
    const std::size_t builtInCount = rules->rules.size();
    if (step && files.size() > 1)
        step = readRules(files.front(), *rules);
    if (!step)
        return fail(std::move(step).error());
    std::rotate(rules->rules.begin(), rules->rules.begin() + std::ptrdiff_t(builtInCount), rules->rules.end());
    std::stable_sort(
        rules->rules.begin(), rules->rules.end(), [](const StageRule& a, const StageRule& b) { return a.priority < b.priority; });
    linkTries(*rules);
    return std::shared_ptr<const StageRules>(rules);
}

} // namespace chokepoint
