// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the text form of stage tests.
#include "tests/core/analysis/tst_stages_text.h"

#include "core/model/packed.h"

#include <algorithm>
#include <sstream>

namespace chokepoint {

namespace {

constexpr std::int64_t millisecond = 1'000'000;

struct Line {
    SpanRow row;
    SpanPayload payload;
    std::string expected;
};

std::vector<std::string> fieldsOf(const std::string& text)
{
    std::vector<std::string> fields;
    std::size_t begin = 0;
    for (std::size_t end = text.find(" | "); end != std::string::npos; begin = end + 3, end = text.find(" | ", begin))
        fields.push_back(text.substr(begin, end - begin));
    fields.push_back(text.substr(begin));
    return fields;
}

bool isDuration(const std::string& field)
{
    return field.ends_with("ms") && field.find_first_not_of("0123456789") == field.size() - 2;
}

void addAttribute(const std::string& field, SpanPayload& payload)
{
    const std::size_t equals = field.find('=');
    AttributeValue value;
    const bool isNumber = equals > 0 && field[equals - 1] == ':';
    const std::string text = field.substr(equals + 1);
    if (!isNumber)
        value.value = text;
    else if (text.find('.') == std::string::npos)
        value.value = std::int64_t(std::stoll(text));
    else
        value.value = std::stod(text);
    payload.attributes.push_back({field.substr(0, isNumber ? equals - 1 : equals), value});
}

void readField(const std::string& field, Line& line, Dictionary& dictionary)
{
    for (unsigned kind = 0; kind <= unsigned(SpanKind::Consumer); ++kind) {
        if (field == spanKindName(SpanKind(kind)))
            return line.row.flags.setKind(SpanKind(kind));
    }
    if (field.front() == '@') {
        Scope scope;
        scope.name = field.substr(1);
        line.row.scope = dictionary.internScope(scope);
    } else if (field.front() == '%') {
        Resource resource;
        resource.attributes.push_back({"service.name", AttributeValue{field.substr(1)}});
        line.row.resource = dictionary.internResource(resource);
    } else if (field.front() == '!') {
        const std::size_t at = std::min(field.rfind('@'), field.size());
        SpanEvent event;
        event.name = field.substr(1, at - 1);
        event.time = line.row.start + Duration((at < field.size() ? std::stoll(field.substr(at + 1)) : 0) * millisecond);
        line.payload.events.push_back(event);
    } else if (isDuration(field)) {
        line.row.end = line.row.start + Duration(std::stoll(field) * millisecond);
    } else {
        addAttribute(field, line.payload);
    }
}

Line readLine(std::string text, std::uint64_t number, Dictionary& dictionary)
{
    Line line;
    if (const std::size_t arrow = text.find(" -> "); arrow != std::string::npos) {
        line.expected = text.substr(arrow + 4);
        text.resize(arrow);
    }
    const std::vector<std::string> fields = fieldsOf(text);
    line.row.spanId = SpanId{number};
    line.row.start = timestampFromNs(std::int64_t(number) * millisecond);
    line.row.end = timestampFromNs(1000 * millisecond);
    line.row.flags.setKind(SpanKind::Internal);
    line.row.name = dictionary.strings.intern(fields.front());
    for (std::size_t f = 1; f < fields.size(); ++f)
        readField(fields[f], line, dictionary);
    return line;
}

void addTrace(const std::string& text, std::uint64_t& number, Dictionary& dictionary, StageCase& out)
{
    std::vector<Line> lines;
    std::vector<SpanId> open; // by depth
    std::istringstream stream(text);
    for (std::string raw; std::getline(stream, raw);) {
        const std::size_t indentation = raw.find_first_not_of(' ');
        if (indentation == std::string::npos)
            continue;
        Line line = readLine(raw.substr(indentation), ++number, dictionary);
        open.resize(indentation / 2);
        line.row.parentId = open.empty() ? SpanId{} : open.back();
        open.push_back(line.row.spanId);
        lines.push_back(std::move(line));
    }
    SpanColumns rows;
    for (const Line& line : lines)
        rows.push_back(line.row);
    std::vector<std::uint32_t> order;
    assembleTrace(rows, order, out.columns);
    out.columns.traceId.push_back(TraceId{0, out.columns.traceId.size() + 1});
    out.columns.storeKey.push_back(0);
    PackedWriter writer(dictionary.strings);
    for (const std::uint32_t index : order) {
        std::string payload;
        encodePayload(lines[index].payload, lines[index].row.start, writer, payload);
        out.payloads.push_back(payload);
        out.expected.push_back(lines[index].expected);
    }
}

} // namespace

StageCase stageCase(const std::vector<std::string>& traces)
{
    StageCase out;
    const auto dictionary = std::make_shared<Dictionary>();
    std::uint64_t number = 0;
    for (const std::string& trace : traces)
        addTrace(trace, number, *dictionary, out);
    out.columns.dictionary = dictionary;
    return out;
}

StageMap classified(const StageCase& given, std::string_view userRules)
{
    StageClassifier classifier(parseStageRules(builtInStageRules(), userRules).value(), given.columns.dictionary);
    for (std::size_t t = 0; t < given.columns.traceCount(); ++t) {
        const auto first = given.payloads.begin() + std::ptrdiff_t(given.columns.firstSpan[t]);
        const auto last = given.payloads.begin() + std::ptrdiff_t(given.columns.firstSpan[t + 1]);
        classifier.classify(given.columns.trace(t), std::vector<std::string_view>(first, last));
    }
    return classifier.take();
}

std::string stageAndRule(const StageMap& map, std::size_t i)
{
    return map.table->name(map.stage[i]) + " " + map.ruleNames[map.rule[i]];
}

std::string mismatches(const StageCase& given, const StageMap& map)
{
    std::string wrong;
    for (std::size_t i = 0; i < given.expected.size(); ++i) {
        const std::string got = stageAndRule(map, i);
        const bool stageOnly = given.expected[i].find(' ') == std::string::npos;
        if (!given.expected[i].empty() && given.expected[i] != (stageOnly ? map.table->name(map.stage[i]) : got))
            wrong += std::string(given.columns.dictionary->text(given.columns.spans.name[i])) + ": " + got + ", expected "
                + given.expected[i] + "\n";
    }
    return wrong;
}

} // namespace chokepoint
