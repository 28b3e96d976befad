// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/rulefile.h"

#include "core/analysis/ruleconditions.h"

#include <fmt/format.h>

#include <algorithm>

namespace chokepoint {

using nlohmann::json;

Place RuleFile::placeOf(std::size_t byte) const
{
    const auto lines = std::count(text.begin(), text.begin() + std::ptrdiff_t(std::min(byte, text.size())), '\n');
    return {.file = name, .line = std::uint64_t(lines) + 1, .byte = {}};
}

Place RuleFile::placeOfId(const std::string& id) const
{
    const std::size_t at = text.find(json(id).dump());
    return at == std::string_view::npos ? Place{.file = name, .line = {}, .byte = {}} : placeOf(at);
}

tl::unexpected<Error> RuleFile::invalid(const std::string& detail) const
{
    return fail(ErrorCode::InvalidRules, detail, {.file = name, .line = {}, .byte = {}});
}

tl::unexpected<Error> RuleFile::invalidAt(const std::string& key, const std::string& detail) const
{
    return fail(ErrorCode::InvalidRules, detail, placeOfId(key));
}

tl::unexpected<Error> RuleFile::invalid(std::string_view what, const std::string& id, const std::string& detail) const
{
    return fail(ErrorCode::InvalidRules, fmt::format("{} \"{}\": {}", what, id, detail), placeOfId(id));
}

Result<RuleFile> readRuleFile(std::string_view text, const std::string& name, bool builtIn)
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
    for (const auto& [key, value] : file.root.items()) {
        const json member = {{key, nullptr}};
        const Result<void> known = builtIn
            ? checkKeys(member, {"version", "stages", "owners", "contains", "aliases", "units", "rules"})
            : checkKeys(member, {"version", "stages", "aliases", "units", "rules", "disable", "correctness", "dependencies"});
        if (!known)
            return file.invalidAt(key, known.error().detail);
    }
    if (file.root.value("version", json()) != json(1))
        return file.invalidAt("version", "\"version\" must be 1; a file of a later version needs a later Chokepoint");
    for (const char* list : {"stages", "rules", "disable", "owners", "correctness", "dependencies"}) {
        if (file.root.contains(list) && !file.root[list].is_array())
            return file.invalidAt(list, fmt::format("\"{}\" must be an array", list));
    }
    return file;
}

Result<void> readNames(const RuleFile& file, StageRules& rules)
{
    const json aliases = file.root.value("aliases", json::object());
    const json units = file.root.value("units", json::object());
    if (!aliases.is_object() || !units.is_object())
        return file.invalid("\"aliases\" and \"units\" must be objects");
    for (const auto& [name, list] : aliases.items()) {
        const Result<std::vector<std::string>> keys = parseTexts(list, name);
        if (!keys)
            return file.invalidAt(name, "\"aliases\": " + keys.error().detail);
        std::vector<std::string>& known = rules.aliases[name];
        known.insert(known.begin(), keys->begin(), keys->end()); // the first alias that a span has counts; the user's win
    }
    for (const auto& [key, unit] : units.items()) {
        if (unit != "s" && unit != "ms" && unit != "us" && unit != "ns")
            return file.invalidAt(key, fmt::format("\"units\": \"{}\" must be \"s\", \"ms\", \"us\" or \"ns\"", key));
        rules.units[key] = unit.get<std::string>();
    }
    return {};
}

Result<void> readDependencies(const RuleFile& file, StageRules& rules)
{
    const auto wrong = [&file](const std::string& detail) { return file.invalidAt("dependencies", "\"dependencies\": " + detail); };
    for (const json& entry : file.root.value("dependencies", json::array())) {
        if (!entry.is_object() || !entry.value("stage", json()).is_string() || !entry.contains("after"))
            return wrong("each entry must be an object with a \"stage\" and the stages that it waits for as \"after\"");
        if (Result<void> known = checkKeys(entry, {"stage", "after", "comment"}); !known)
            return wrong(known.error().detail);
        const Result<StageId> stage = parseStage(entry["stage"].get_ref<const std::string&>(), rules.table);
        if (!stage)
            return wrong(stage.error().detail);
        for (const StageOrder& other : rules.dependencies)
            if (other.stage == *stage)
                return wrong(fmt::format("{} occurs twice; name all that it waits for in one entry", rules.table.name(*stage)));
        const json& after = entry["after"];
        const Result<std::vector<std::string>> names =
            after.is_array() && after.empty() ? std::vector<std::string>() : parseTexts(after, "after");
        if (!names)
            return wrong(names.error().detail);
        StageOrder order{*stage, {}};
        for (const std::string& name : *names) {
            const Result<StageId> other = parseStage(name, rules.table);
            if (!other)
                return wrong(other.error().detail);
            order.after.push_back(*other);
        }
        rules.dependencies.push_back(std::move(order));
    }
    return {};
}

Result<void> readCorrectness(const RuleFile& file, StageRules& rules)
{
    for (const json& entry : file.root.value("correctness", json::array())) {
        if (!entry.is_object() || !entry.contains("metric"))
            return file.invalidAt("correctness", "each entry of \"correctness\" must be an object with a \"metric\"");
        if (Result<void> known = checkKeys(entry, {"metric", "threshold", "lower_is_better", "comment"}); !known)
            return file.invalidAt("correctness", "\"correctness\": " + known.error().detail);
        Result<std::shared_ptr<const re2::RE2>> metric = parsePattern(entry["metric"], "metric");
        if (!metric)
            return file.invalidAt("correctness", "\"correctness\": " + metric.error().detail);
        CorrectnessRule rule{std::move(*metric), {}, {}};
        if (entry.contains("threshold")) {
            if (!entry["threshold"].is_number())
                return file.invalidAt("correctness", "\"correctness\": \"threshold\" must be a number");
            rule.threshold = entry["threshold"].get<double>();
        }
        if (entry.contains("lower_is_better")) {
            if (!entry["lower_is_better"].is_boolean())
                return file.invalidAt("correctness", "\"correctness\": \"lower_is_better\" must be true or false");
            rule.isInverse = entry["lower_is_better"].get<bool>();
        }
        rules.correctness.push_back(std::move(rule));
    }
    return {};
}

} // namespace chokepoint
