// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/treespan.h"

#include "core/base/utf8.h"
#include "core/import/decodeenum.h"
#include "core/import/decodeid.h"
#include "core/import/decodenumber.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

constexpr std::size_t deepestValue = 256; // lists and maps inside each other, as JsonValues writes them

template <typename Id> Id idAndText(const DecodedId<Id>& decoded, std::string_view source, std::string& text)
{
    text = decoded.isOpaque ? source : std::string_view();
    return decoded.id;
}

/// The members of \a object and of the objects in it, as TreeSpan::flattened() says.
template <typename Visit>
void forEachLeaf(std::string_view prefix, JsonNode object, std::span<const AttributeName> names, const Visit& visit)
{
    struct Level {
        const JsonEntry* end;
        std::string prefix;
    };
    if (!object.isObject())
        return;
    std::vector<Level> levels{{object.entry() + object.entry()->size, std::string(prefix)}};
    const JsonEntry* entry = object.entry() + 1;
    while (!levels.empty()) {
        if (entry == levels.back().end) {
            levels.pop_back();
            continue;
        }
        const JsonNode member(entry);
        std::string key = levels.back().prefix + std::string(member.key());
        const auto name = std::find_if(names.begin(), names.end(), [&key](const AttributeName& known) { return known.own == key; });
        if (name != names.end())
            key = name->known;
        if (member.isObject() && member.hasChildren() && !key.empty()) {
            levels.push_back({entry + entry->size, key + '.'});
            ++entry;
            continue;
        }
        if (!key.empty())
            visit(key, member);
        entry += entry->size;
    }
}

std::string unlikeSpan(const RecordPlace& place, JsonNode record)
{
    constexpr std::size_t namesAtMost = 6;
    std::vector<std::string_view> names;
    for (const JsonNode member : record)
        if (names.size() < namesAtMost)
            names.push_back(member.key());
    return fmt::format("{}: what is no span of this format was left out; its members are {}", place.text(),
        names.empty() ? "none" : elided(fmt::format("{}", fmt::join(names, ", ")), 120));
}

} // namespace

TreeSpan::TreeSpan(SpanSink& sink, const RecordPlace& place)
    : m_sink(sink), m_place(place), m_writer(sink.writer()), m_values(m_writer, sink.diagnostics(), place)
{
    begin();
}

void TreeSpan::begin()
{
    m_draft.clear();
    m_finer = 0;
    m_output = &m_draft.attributes;
    m_nested = nullptr;
}

void TreeSpan::resume(SpanDraft draft)
{
    m_draft = std::move(draft);
    m_finer = 0;
    m_output = &m_draft.attributes;
    m_nested = nullptr;
}

void TreeSpan::setTraceId(std::string_view text)
{
    m_draft.traceId = idAndText(decodeTraceId(text), text, m_draft.traceIdText);
}

void TreeSpan::setSpanId(std::string_view text)
{
    row().spanId = idAndText(decodeSpanId(text), text, m_draft.spanIdText);
}

void TreeSpan::setParentId(std::string_view text)
{
    row().parentId = idAndText(decodeSpanId(text), text, m_draft.parentIdText);
}

void TreeSpan::setKind(JsonNode kind)
{
    if (!kind)
        return;
    const std::string text = kind.text();
    if (const auto known = decodeSpanKind(text)) {
        row().flags.setKind(*known);
        return;
    }
    attribute("import.raw_kind", kind);
    m_sink.diagnostics().report(DiagnosticCode::UnknownEnum,
        [&] { return fmt::format("{}: \"{}\" is no span kind; kept as attribute import.raw_kind", m_place.text(), elided(text, 60)); });
}

void TreeSpan::setStatus(JsonNode code)
{
    if (!code)
        return;
    const std::string text = code.text();
    if (const auto known = decodeSpanStatus(text)) {
        row().flags.setStatus(*known);
        return;
    }
    attribute("import.raw_status", code);
    m_sink.diagnostics().report(DiagnosticCode::UnknownEnum,
        [&] { return fmt::format("{}: \"{}\" is no status code; kept as attribute import.raw_status", m_place.text(), elided(text, 60)); });
}

void TreeSpan::setStatus(SpanStatus status, std::string_view message)
{
    row().flags.setStatus(status);
    m_draft.statusMessage = message;
}

/// The decimal text of a time; the objects that stand for one are put together.
std::string TreeSpan::timeText(JsonNode node, TimeUnit unit) const
{
    if (!node.isObject() && !node.isArray())
        return node.text();
    const auto low = integerFromText(node["low"].text());
    const auto high = integerFromText(node["high"].text());
    if (low && high)
        return fmt::format("{}", std::uint64_t(std::uint32_t(*high)) << 32 | std::uint32_t(*low));
    JsonNode whole = node["seconds"];
    JsonNode rest = node.first({"nanos", "nanoseconds"});
    if (node.isArray() && node.hasChildren()) {
        JsonNode::Iterator part = node.begin();
        whole = *part;
        ++part;
        rest = part != node.end() ? *part : JsonNode();
    }
    const auto seconds = scaledInteger(whole.text(), 9);
    const auto nanos = rest ? integerFromText(rest.text()) : 0;
    std::int64_t ns = 0;
    if (!seconds || !nanos || __builtin_add_overflow(seconds->value, *nanos, &ns))
        return {};
    constexpr std::array<const char*, 10> exponents = {"e0", "e-1", "e-2", "e-3", "e-4", "e-5", "e-6", "e-7", "e-8", "e-9"};
    return fmt::format("{}{}", ns, exponents[std::size_t(unit)]);
}

Timestamp TreeSpan::time(JsonNode node, TimeUnit unit)
{
    if (!node || (node.isText() && node.text().empty()))
        return unknownTime;
    const auto decoded = decodeTime(timeText(node, unit), unit);
    if (!decoded) {
        m_sink.diagnostics().report(DiagnosticCode::BadTimestamp,
            [&] { return fmt::format("{}: the time {} cannot be read; kept without", m_place.text(), elided(node.token().raw, 60)); });
        return unknownTime;
    }
    const bool namesUnits = decoded->isDate || node["seconds"] || node.isArray();
    m_draft.timeUnit = std::max(m_draft.timeUnit, namesUnits ? TimeUnit::Seconds : unit);
    reportOddTime(*decoded, node.token().raw, m_sink.diagnostics(), m_place);
    if (decoded->isOutOfRange)
        row().flags.set(SpanFlags::TimeOutOfRange);
    if (decoded->finer != 0) {
        row().flags.set(SpanFlags::TimeRepaired);
        const bool isEvent = isKnown(row().start); // times of events are read behind it, and say nothing about the duration
        m_repairedUnit = isEvent ? m_repairedUnit : unit;
        m_finer = isEvent ? m_finer : decoded->finer;
    }
    return decoded->time;
}

void TreeSpan::setDuration(JsonNode length, TimeUnit unit)
{
    if (!length || !isKnown(row().start))
        return;
    const int finer = unit == m_repairedUnit ? m_finer : 0;
    const auto decoded = scaledInteger(length.text(), int(unit) - finer);
    if (!decoded) {
        m_sink.diagnostics().report(DiagnosticCode::BadTimestamp, [&] {
            return fmt::format(
                "{}: the duration {} cannot be read; the span was kept as unfinished", m_place.text(), elided(length.token().raw, 60));
        });
        return;
    }
    std::int64_t end = 0;
    if (decoded->isOutOfRange || __builtin_add_overflow(toNs(row().start), decoded->value, &end)) {
        row().flags.set(SpanFlags::TimeOutOfRange);
        m_sink.diagnostics().report(DiagnosticCode::TimeOutOfRange, [&] {
            return fmt::format(
                "{}: a span of the duration {} ends beyond the year 2262; clamped", m_place.text(), elided(length.token().raw, 60));
        });
        end = toNs(Timestamp::max());
    }
    row().end = timestampFromNs(end);
}

void TreeSpan::attribute(std::string_view key, JsonNode value)
{
    if (value.entry() == nullptr)
        return;
    m_writer.setOutput(m_output);
    m_writer.key(key);
    write(value);
}

void TreeSpan::attribute(std::string_view key, std::string_view text)
{
    m_writer.setOutput(m_output);
    m_writer.key(key);
    m_writer.text(text);
}

void TreeSpan::attribute(std::string_view key, std::int64_t value)
{
    m_writer.setOutput(m_output);
    m_writer.key(key);
    m_writer.integer(value);
}

void TreeSpan::attribute(std::string_view key, double value)
{
    m_writer.setOutput(m_output);
    m_writer.key(key);
    m_writer.real(value);
}

void TreeSpan::attribute(std::string_view key, bool value)
{
    m_writer.setOutput(m_output);
    m_writer.key(key);
    m_writer.boolean(value);
}

void TreeSpan::attributes(JsonNode object)
{
    if (!object.isObject())
        return;
    for (const JsonNode member : object)
        attribute(member.key(), member);
}

void TreeSpan::flattened(std::string_view prefix, JsonNode object, std::span<const AttributeName> names)
{
    forEachLeaf(prefix, object, names, [this](std::string_view key, JsonNode leaf) { attribute(key, leaf); });
}

void TreeSpan::flattened(AttributeList& list, std::string_view prefix, JsonNode object, std::span<const AttributeName> names)
{
    forEachLeaf(prefix, object, names, [&](std::string_view key, JsonNode leaf) { list.push_back({std::string(key), value(leaf)}); });
}

/// One value under the key that was written last.
void TreeSpan::write(JsonNode node)
{
    struct Open {
        const JsonEntry* end;
        bool isObject;
    };
    std::vector<Open> open;
    const JsonEntry* entry = node.entry();
    const auto closeFinished = [&] {
        while (!open.empty() && open.back().end == entry) {
            open.back().isObject ? m_writer.endMap() : m_writer.endArray();
            open.pop_back();
        }
    };
    do {
        if (!open.empty() && open.back().isObject)
            m_writer.key(entry->key);
        const bool isObject = entry->token.kind == JsonKind::Object;
        if (entry->token.isScalar()) {
            m_values.plainScalar(entry->token);
            ++entry;
        } else if (open.size() >= deepestValue) {
            m_sink.diagnostics().report(DiagnosticCode::DepthLimit,
                [&] { return fmt::format("{}: values nested more than {} deep were left out", m_place.text(), deepestValue); });
            m_writer.empty();
            entry += entry->size;
        } else {
            isObject ? m_writer.beginMap() : m_writer.beginArray();
            open.push_back({entry + entry->size, isObject});
            ++entry;
        }
        closeFinished();
    } while (!open.empty());
}

EventDraft& TreeSpan::beginEvent(std::string_view name, Timestamp time)
{
    EventDraft& event = m_draft.addEvent();
    event.name = name;
    event.time = time;
    event.attributes = {m_draft.nested.size(), m_draft.nested.size()};
    m_nested = &event.attributes;
    m_output = &m_draft.nested;
    return event;
}

void TreeSpan::beginException(Timestamp time, std::string_view type, std::string_view message, std::string_view stack)
{
    beginEvent("exception", time);
    const std::pair<std::string_view, std::string_view> texts[] = {
        {"exception.type", type}, {"exception.message", message}, {"exception.stacktrace", stack}};
    for (const auto& [key, text] : texts)
        if (!text.empty())
            attribute(key, text);
}

LinkDraft& TreeSpan::beginLink(std::string_view traceId, std::string_view spanId)
{
    LinkDraft& link = m_draft.addLink();
    link.traceId = idAndText(decodeTraceId(traceId), traceId, link.traceIdText);
    link.spanId = idAndText(decodeSpanId(spanId), spanId, link.spanIdText);
    link.attributes = {m_draft.nested.size(), m_draft.nested.size()};
    m_nested = &link.attributes;
    m_output = &m_draft.nested;
    return link;
}

void TreeSpan::endNested()
{
    if (m_nested != nullptr)
        m_nested->end = m_draft.nested.size();
    m_nested = nullptr;
    m_output = &m_draft.attributes;
}

AttributeValue TreeSpan::value(JsonNode node)
{
    if (!node)
        return {};
    m_packed.clear();
    m_writer.setOutput(&m_packed);
    m_writer.key("import.value"); // the writer counts the values of each key
    const std::size_t start = m_packed.size();
    write(node);
    PackedCursor cursor(std::string_view(m_packed).substr(start));
    return decodeValue(cursor, m_sink.dictionary().strings);
}

void TreeSpan::setService(std::string_view name)
{
    setResource({{{"service.name", {std::string(name)}}}, 0, {}, {}});
}

void TreeSpan::setScope(std::string_view name, std::string_view version)
{
    if (!name.empty() || !version.empty())
        row().scope = m_sink.dictionary().internScope({std::string(name), std::string(version), {}, 0, {}});
}

bool TreeSpan::leaveOut(JsonNode record)
{
    m_sink.diagnostics().reject(DiagnosticCode::BadRecord, [&] { return unlikeSpan(m_place, record); });
    return true;
}

bool TreeSpan::passOver(JsonNode record)
{
    m_sink.diagnostics().report(DiagnosticCode::NonJsonText, [&] { return unlikeSpan(m_place, record); });
    return true;
}

bool TreeSpan::add(SpanDraft& draft)
{
    endNested();
    if (const auto added = m_sink.add(draft); !added)
        m_failure = added.error();
    return !m_failure;
}

} // namespace chokepoint
