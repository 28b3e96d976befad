// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/gatereport.h"

#include "core/base/markup.h"

#include <fmt/format.h>

#include <algorithm>

namespace chokepoint {

namespace {

auto countOf(const std::vector<GateResult>& gates, GateStatus status)
{
    return std::count_if(gates.begin(), gates.end(), [status](const GateResult& gate) { return gate.status == status; });
}

} // namespace

Json gatesJson(const std::vector<GateResult>& gates)
{
    Json list = Json::array();
    for (const GateResult& result : gates)
        list.push_back({{"expr", result.gate.expression}, {"status", gateStatusName(result.status)}, {"why", result.why}});
    return list;
}

TextTable gatesTable(const std::vector<GateResult>& gates)
{
    TextTable table({{"gate"}, {""}, {"why", TextTable::Align::Left, 160}});
    for (const GateResult& result : gates)
        table.addRow({result.gate.expression, gateStatusName(result.status), result.why});
    return table;
}

std::string gatesJUnit(const std::vector<GateResult>& gates, const std::string& suite)
{
    std::string xml = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                                  "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
        htmlEscaped(suite), gates.size(), countOf(gates, GateStatus::Fail), countOf(gates, GateStatus::Inconclusive));
    for (const GateResult& result : gates) {
        const std::string name = htmlEscaped(result.gate.expression);
        xml += fmt::format("    <testcase classname=\"chokepoint.gates\" name=\"{}\"", name);
        switch (result.status) {
        case GateStatus::Pass: xml += "/>\n"; break;
        case GateStatus::Fail: xml += fmt::format("><failure message=\"{}\"/></testcase>\n", htmlEscaped(result.why)); break;
        case GateStatus::Inconclusive:
            xml += fmt::format("><error message=\"inconclusive: {}\"/></testcase>\n", htmlEscaped(result.why));
            break;
        }
    }
    return xml + "  </testsuite>\n</testsuites>\n";
}

} // namespace chokepoint
