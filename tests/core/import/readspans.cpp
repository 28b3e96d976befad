// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/import/readspans.h"

#include "core/import/readsource.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace chokepoint::testing {

namespace {

std::string idText(const std::string& text, const std::string& hex)
{
    return text.empty() ? hex : text;
}

ReadSpan readSpan(const SpanBatch& batch, std::size_t i, const Dictionary& dictionary)
{
    const SpanRow row = batch.spans.row(i);
    ReadSpan span;
    span.payload = decodePayload(batch.payloadOf(i), row.start, dictionary.strings);
    span.traceId = idText(span.payload.traceIdText, toHex(batch.traceId[i]));
    span.spanId = idText(span.payload.spanIdText, toHex(row.spanId));
    if (!row.parentId.isNull())
        span.parentId = idText(span.payload.parentIdText, toHex(row.parentId));
    span.name = dictionary.text(row.name);
    span.kind = row.flags.kind();
    span.status = row.flags.status();
    span.start = row.start;
    span.end = row.end;
    span.resource = dictionary.resource(row.resource);
    span.scope = dictionary.scope(row.scope);
    return span;
}

/// Lines of text about one span.
class SpanText {
public:
    SpanText(std::uint32_t losses, const std::map<std::string, std::string>& names, const std::set<std::string>& keys)
        : m_losses(losses), m_names(names), m_keys(keys)
    {
    }

    std::string of(const ReadSpan& span)
    {
        m_out.clear();
        if (keeps(TraceIds))
            m_out += span.traceId + '/';
        m_out += fmt::format("{}<{} '{}'", spanId(span.spanId), span.parentId.empty() ? "-" : spanId(span.parentId), span.name);
        addHead(span);
        addAttributes("", keeps(Attributes) ? span.payload.attributes : AttributeList{});
        addEvents(span.payload);
        addLinks(span.payload);
        addNumbers(span.payload);
        return m_out + '\n';
    }

private:
    [[nodiscard]] bool keeps(Loss loss) const { return (m_losses & loss) == 0; }

    std::string spanId(const std::string& id) const
    {
        const auto name = m_names.find(id);
        return keeps(SpanIds) || name == m_names.end() ? id : name->second;
    }

    std::string time(Timestamp t) const
    {
        if (!isKnown(t))
            return "?";
        const std::int64_t unit = !keeps(BelowMillisecond) ? 1'000'000 : !keeps(BelowMicrosecond) ? 1000 : 1;
        return fmt::to_string(toNs(t) / unit);
    }

    void addHead(const ReadSpan& span)
    {
        if (keeps(Kinds))
            m_out += fmt::format(" {}", spanKindName(span.kind));
        const SpanStatus status = !keeps(StatusOk) && span.status == SpanStatus::Ok ? SpanStatus::Unset : span.status;
        if (keeps(Statuses))
            m_out += fmt::format(" {}({})", spanStatusName(status), keeps(StatusMessages) ? span.payload.statusMessage : "");
        m_out += fmt::format(" {}..{}", time(span.start), time(span.end));
        const AttributeValue* service = findAttribute(span.resource.attributes, "service.name");
        if (keeps(Services))
            m_out += fmt::format(" service={}", service != nullptr ? toText(*service) : "");
        addAttributes(" resource", keeps(ResourceAttributes) ? span.resource.attributes : AttributeList{});
        if (keeps(Scopes))
            m_out += fmt::format(" scope={}@{}", span.scope.name, span.scope.version);
    }

    void addAttributes(const char* what, const AttributeList& attributes)
    {
        std::vector<std::string> texts;
        for (const Attribute& attribute : attributes) {
            const bool isEmpty = std::holds_alternative<std::monostate>(attribute.value.value);
            if (!keeps(MoreAttributes) && !m_keys.contains(attribute.key))
                continue;
            if (!keeps(EmptyValues) && (isEmpty || toText(attribute.value).empty()))
                continue;
            texts.push_back(
                attribute.key + (keeps(ValueTypes) ? fmt::format(":{}", typeOf(attribute.value)) : "") + '=' + toText(attribute.value));
        }
        std::sort(texts.begin(), texts.end());
        m_out += fmt::format("{} {{", what);
        for (const std::string& text : texts)
            m_out += text + ';';
        m_out += '}';
    }

    std::size_t typeOf(const AttributeValue& value) const
    {
        const bool isContainer =
            std::holds_alternative<AttributeValue::Array>(value.value) || std::holds_alternative<AttributeList>(value.value);
        return isContainer && !keeps(ContainersAsText) ? AttributeValue{std::string()}.value.index() : value.value.index();
    }

    void addEvents(const SpanPayload& payload)
    {
        if (!keeps(Events))
            return;
        for (const SpanEvent& event : payload.events) {
            m_out += fmt::format(" event {}@{}", keeps(EventNames) ? event.name : "", time(event.time));
            addAttributes("", keeps(EventAttributes) ? event.attributes : AttributeList{});
            if (keeps(DroppedCounts))
                m_out += fmt::format("-{}", event.droppedAttributes);
        }
    }

    void addLinks(const SpanPayload& payload)
    {
        if (!keeps(Links))
            return;
        for (const SpanLink& link : payload.links) {
            m_out += fmt::format(" link {}/{}", idText(link.traceIdText, toHex(link.traceId)), idText(link.spanIdText, toHex(link.spanId)));
            if (keeps(LinkAttributes)) {
                addAttributes("", link.attributes);
                m_out += fmt::format("{}-{}+{}", link.traceState, link.droppedAttributes, link.flags);
            }
        }
    }

    void addNumbers(const SpanPayload& payload)
    {
        if (keeps(TraceStates))
            m_out += " state=" + payload.traceState;
        if (keeps(Flags))
            m_out += fmt::format(" flags={}", payload.flags);
        if (keeps(DroppedCounts))
            m_out += fmt::format(" dropped={},{},{}", payload.droppedAttributes, payload.droppedEvents, payload.droppedLinks);
    }

    std::uint32_t m_losses;
    const std::map<std::string, std::string>& m_names; // of spans, by id
    const std::set<std::string>& m_keys;
    std::string m_out;
};

} // namespace

std::vector<ReadSpan> readSpans(std::string_view bytes, std::size_t blockSize)
{
    std::vector<ReadSpan> spans;
    Dictionary dictionary;
    const DeliverBatch deliver = [&](SpanBatch& batch) -> Result<void> {
        for (std::size_t i = 0; i < batch.size(); ++i)
            spans.push_back(readSpan(batch, i, dictionary));
        return {};
    };
    const auto report = readSource("test", ByteSource::openMemory(bytes, blockSize), dictionary, deliver, JobControl{});
    if (report)
        return spans;
    ReadSpan failure;
    failure.name = report.error().message();
    return {failure};
}

std::set<std::string> attributeKeys(const std::vector<ReadSpan>& spans)
{
    std::set<std::string> keys;
    const auto add = [&keys](const AttributeList& attributes) {
        for (const Attribute& attribute : attributes)
            keys.insert(attribute.key);
    };
    for (const ReadSpan& span : spans) {
        add(span.payload.attributes);
        add(span.resource.attributes);
        for (const SpanEvent& event : span.payload.events)
            add(event.attributes);
        for (const SpanLink& link : span.payload.links)
            add(link.attributes);
    }
    return keys;
}

std::string textOf(const std::vector<ReadSpan>& spans, std::uint32_t losses, const std::set<std::string>& keys)
{
    std::map<std::string, std::string> names;
    for (const ReadSpan& span : spans)
        names[span.spanId] = span.name;
    SpanText text(losses, names, keys);
    std::vector<std::string> lines;
    for (const ReadSpan& span : spans)
        lines.push_back(text.of(span));
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& line : lines)
        all += line;
    return all;
}

} // namespace chokepoint::testing
