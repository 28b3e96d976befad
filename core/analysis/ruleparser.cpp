// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From the text of the rule files (built-in and the user's) to the rules in order of evaluation.
#include "core/analysis/ruleconditions.h"

#include <fmt/format.h>

#include <algorithm>

namespace chokepoint {

namespace {

using nlohmann::json;

struct RuleFile {
    std::string_view text;
    std::string name;
    bool builtIn = false;
    json root;

    [[nodiscard]] Place placeOf(std::size_t byte) const
    {
        const auto lines = std::count(text.begin(), text.begin() + std::ptrdiff_t(std::min(byte, text.size())), '\n');
        return {.file = name, .line = std::uint64_t(lines) + 1, .byte = {}};
    }
    /// Where a rule or stage with this id stands; without a line when its text is written with escapes.
    [[nodiscard]] Place placeOfId(const std::string& id) const
    {
        const std::size_t at = text.find(json(id).dump());
        return at == std::string_view::npos ? Place{.file = name, .line = {}, .byte = {}} : placeOf(at);
    }
    /// An error of the file as a whole, or of the rule or stage \a id.
    [[nodiscard]] tl::unexpected<Error> invalid(const std::string& detail) const
    {
        return fail(ErrorCode::InvalidRules, detail, {.file = name, .line = {}, .byte = {}});
    }
    [[nodiscard]] tl::unexpected<Error> invalid(std::string_view what, const std::string& id, const std::string& detail) const
    {
        return fail(ErrorCode::InvalidRules, fmt::format("{} \"{}\": {}", what, id, detail), placeOfId(id));
    }
};

Result<RuleFile> readFile(std::string_view text, const std::string& name, bool builtIn)
{
    RuleFile file{text, name, builtIn, {}};
    try {
        file.root = json::parse(text);
    } catch (const json::parse_error& error) {
        return fail(ErrorCode::InvalidRules,
            fmt::format("the rules are not valid JSON; correct what stands here or just before ({})", error.what()),
            file.placeOf(error.byte == 0 ? 0 : error.byte - 1));
    }
    if (!file.root.is_object())
        return file.invalid("the rules must be one JSON object with \"version\" and \"rules\"");
    const Result<void> known = builtIn ? checkKeys(file.root, {"version", "stages", "owners", "contains", "aliases", "units", "rules"})
                                       : checkKeys(file.root, {"version", "stages", "aliases", "units", "rules", "disable", "correctness"});
    if (!known)
        return file.invalid(known.error().detail);
    if (file.root.value("version", json()) != json(1))
        return file.invalid("\"version\" must be 1; a file of a later version needs a later Chokepoint");
    for (const char* list : {"stages", "rules", "disable", "owners", "correctness"}) {
        if (file.root.contains(list) && !file.root[list].is_array())
            return file.invalid(fmt::format("\"{}\" must be an array", list));
    }
    return file;
}

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

// ---- aliases and units --------------------------------------------------------------------------------------------

Result<void> readNames(const RuleFile& file, StageRules& rules)
{
    const json aliases = file.root.value("aliases", json::object());
    const json units = file.root.value("units", json::object());
    if (!aliases.is_object() || !units.is_object())
        return file.invalid("\"aliases\" and \"units\" must be objects");
    for (const auto& [name, list] : aliases.items()) {
        const Result<std::vector<std::string>> keys = parseTexts(list, name);
        if (!keys)
            return file.invalid("\"aliases\": " + keys.error().detail);
        std::vector<std::string>& known = rules.aliases[name];
        known.insert(known.begin(), keys->begin(), keys->end()); // the first alias that a span has counts; the user's win
    }
    for (const auto& [key, unit] : units.items()) {
        if (unit != "s" && unit != "ms" && unit != "us" && unit != "ns")
            return file.invalid(fmt::format("\"units\": \"{}\" must be \"s\", \"ms\", \"us\" or \"ns\"", key));
        rules.units[key] = unit.get<std::string>();
    }
    return {};
}

// ---- correctness --------------------------------------------------------------------------------------------------

Result<void> readCorrectness(const RuleFile& file, StageRules& rules)
{
    for (const json& entry : file.root.value("correctness", json::array())) {
        if (!entry.is_object() || !entry.contains("metric"))
            return file.invalid("each entry of \"correctness\" must be an object with a \"metric\"");
        if (Result<void> known = checkKeys(entry, {"metric", "threshold", "lower_is_better", "comment"}); !known)
            return file.invalid("\"correctness\": " + known.error().detail);
        Result<std::shared_ptr<const re2::RE2>> metric = parsePattern(entry["metric"], "metric");
        if (!metric)
            return file.invalid("\"correctness\": " + metric.error().detail);
        CorrectnessRule rule{std::move(*metric), {}, {}};
        if (entry.contains("threshold")) {
            if (!entry["threshold"].is_number())
                return file.invalid("\"correctness\": \"threshold\" must be a number");
            rule.threshold = entry["threshold"].get<double>();
        }
        if (entry.contains("lower_is_better")) {
            if (!entry["lower_is_better"].is_boolean())
                return file.invalid("\"correctness\": \"lower_is_better\" must be true or false");
            rule.isInverse = entry["lower_is_better"].get<bool>();
        }
        rules.correctness.push_back(std::move(rule));
    }
    return {};
}

// ---- rules --------------------------------------------------------------------------------------------------------

Result<void> readRole(const json& then, StageRule& rule)
{
    const auto role = then.value("role", json("leaf"));
    if (role != "leaf" && role != "container" && role != "transport" && role != "inherited")
        return fail(ErrorCode::InvalidRules, "\"role\" must be \"leaf\", \"container\", \"transport\" or \"inherited\"");
    rule.container = role == "container";
    rule.transport = role == "transport";
    rule.inherited = role == "inherited";
    const json confidence = then.value("confidence", json(1));
    if (!confidence.is_number() || confidence.get<double>() < 0 || confidence.get<double>() > 1)
        return fail(ErrorCode::InvalidRules, "\"confidence\" must be a number from 0 to 1");
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
    if (Result<void> known = checkKeys(entry, {"id", "priority", "when", "then", "cases", "comment"}); !known)
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
            return file.invalid(fmt::format("\"disable\": {} names no rule; use a rule id or a pattern such as \"T6-*\"", entry.dump()));
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
        Result<RuleFile> file = readFile(userJson, userFile.empty() ? "the user's rules" : userFile, false);
        if (!file)
            return fail(std::move(file).error());
        files.push_back(std::move(*file));
    }
    Result<RuleFile> builtIn = readFile(builtInJson, "the built-in rules", true);
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
