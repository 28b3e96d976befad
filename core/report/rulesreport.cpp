// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/rulesreport.h"

#include "core/base/format.h"
#include "core/report/json.h"
#include "core/report/texttable.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace chokepoint {

std::vector<RuleUse> ruleUses(const TraceColumns& columns, const StageMap& stages)
{
    struct Seen {
        std::uint64_t spans = 0;
        std::size_t example = 0;
    };
    std::map<std::pair<std::uint16_t, StageId>, Seen> seen;
    for (std::size_t i = 0; i < stages.stage.size(); ++i) {
        Seen& use = seen[{stages.rule[i], stages.stage[i]}];
        if (use.spans++ == 0)
            use.example = i;
    }
    std::vector<RuleUse> uses;
    const Dictionary& dictionary = *columns.dictionary;
    for (const auto& [key, use] : seen)
        uses.push_back({stages.ruleNames[key.first], stages.table->name(key.second), use.spans,
            std::string(dictionary.text(dictionary.service(columns.spans.resource[use.example]))),
            std::string(dictionary.text(columns.spans.name[use.example]))});
    std::sort(uses.begin(), uses.end(), [](const RuleUse& a, const RuleUse& b) {
        return a.spans != b.spans ? a.spans > b.spans : a.rule != b.rule ? a.rule < b.rule : a.stage < b.stage;
    });
    return uses;
}

double stageCoverage(const Population& population)
{
    const StageId unmapped = population.table->find(unmappedStage);
    Duration total{0};
    Duration other{0};
    for (const std::uint32_t trace : population.included) {
        total += population.traces[trace].e2e;
        if (unmapped != StageTable::noStage)
            other += population.onPathOf(trace, unmapped);
    }
    return total > Duration{0} ? 1 - double(toNs(other)) / double(toNs(total)) : 0;
}

std::string rulesJson(const std::vector<RuleUse>& uses, const Population& population)
{
    Json json = {{"schema", "chokepoint.rules/1"}, {"coverage", stageCoverage(population)}};
    Json& list = json["rules"] = Json::array();
    for (const RuleUse& use : uses)
        list.push_back({{"rule", use.rule}, {"stage", use.stage}, {"spans", use.spans},
            {"example", {{"service", use.exampleService}, {"name", use.exampleName}}}});
    return toText(json);
}

std::string rulesText(const std::vector<RuleUse>& uses, const Population& population)
{
    using enum TextTable::Align;
    TextTable table({{"rule", Left}, {"stage", Left}, {"spans", Right}, {"service", Left}, {"for example", Left}});
    for (const RuleUse& use : uses)
        table.addRow({use.rule, use.stage, formatCount(use.spans), use.exampleService, use.exampleName});
    return fmt::format("Rules give {} of the time on the path a stage.\n\n{}", formatShare(stageCoverage(population)), table.text());
}

} // namespace chokepoint
