// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fast reader against the protobuf library: random messages, field by field.
#include "otlptrace.pb.h"
#include "tests/core/import/otlpprotobytes.h"
#include "tests/testkit/randomtrace.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

constexpr int deepest = 5;

// ---- random messages ------------------------------------------------------------------------------------------------

std::string randomText(Random& random)
{
    constexpr std::string_view pieces[] = {
        "", "a", "gen_ai", "\n", "\"", "\xc3\xa9", "\xe6\x9d\xb1\xe4\xba\xac", "\xf0\x9f\x98\x80", " ", "=1+1"};
    std::string text;
    for (std::uint64_t i = random.below(6); i > 0; --i)
        text += pieces[random.below(std::size(pieces))];
    return text;
}

std::string randomBytes(Random& random, std::size_t size)
{
    std::string bytes(size, '\0');
    for (char& c : bytes)
        c = char(random.below(256));
    return bytes;
}

double randomDouble(Random& random)
{
    constexpr double odd[] = {0.0, -0.0, 0.1, 1e300, -1e-300, std::numeric_limits<double>::denorm_min(),
        std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    return random.chance(5) ? std::nan("") : odd[random.below(std::size(odd))];
}

std::int64_t randomInt(Random& random)
{
    return std::int64_t(random.below(std::numeric_limits<std::uint64_t>::max()) >> random.below(64)) * (random.chance(50) ? 1 : -1);
}

void fillValue(Random& random, otlp::AnyValue& value, int depth)
{
    switch (random.below(depth < deepest ? 8 : 6)) {
    case 0: value.set_string_value(randomText(random)); return;
    case 1: value.set_bool_value(random.chance(50)); return;
    case 2: value.set_int_value(randomInt(random)); return;
    case 3: value.set_double_value(randomDouble(random)); return;
    case 4: value.set_bytes_value(randomBytes(random, random.below(9))); return;
    case 5: return;
    case 6:
        value.mutable_array_value();
        for (std::uint64_t i = random.below(4); i > 0; --i)
            fillValue(random, *value.mutable_array_value()->add_values(), depth + 1);
        return;
    default:
        value.mutable_kvlist_value();
        for (std::uint64_t i = random.below(4); i > 0; --i) {
            otlp::KeyValue& pair = *value.mutable_kvlist_value()->add_values();
            pair.set_key(randomText(random));
            if (random.chance(90))
                fillValue(random, *pair.mutable_value(), depth + 1);
        }
    }
}

template <typename Message> void fillAttributes(Random& random, Message& message)
{
    for (std::uint64_t i = random.below(4); i > 0; --i) {
        otlp::KeyValue& pair = *message.add_attributes();
        pair.set_key("key." + std::to_string(random.below(5)));
        fillValue(random, *pair.mutable_value(), 0);
    }
    message.set_dropped_attributes_count(std::uint32_t(random.below(3)));
}

void fillSpan(Random& random, otlp::Span& span)
{
    span.set_trace_id(randomBytes(random, 16));
    span.set_span_id(randomBytes(random, 8));
    span.set_trace_state(randomText(random));
    if (random.chance(70))
        span.set_parent_span_id(random.chance(80) ? randomBytes(random, 8) : std::string(8, '\0'));
    span.set_name(randomText(random));
    span.set_kind(std::uint32_t(random.below(6)));
    span.set_start_time_unix_nano(random.chance(95) ? 1'700'000'000'000'000'000ULL + random.below(1'000'000'000) : 0);
    span.set_end_time_unix_nano(
        random.chance(90) ? 1'700'000'001'000'000'000ULL : random.below(2) * std::numeric_limits<std::uint64_t>::max());
    fillAttributes(random, span);
    for (std::uint64_t i = random.below(3); i > 0; --i) {
        otlp::Event& event = *span.add_events();
        event.set_time_unix_nano(1 + random.below(std::numeric_limits<std::int64_t>::max()));
        event.set_name(randomText(random));
        fillAttributes(random, event);
    }
    for (std::uint64_t i = random.below(3); i > 0; --i) {
        otlp::Link& link = *span.add_links();
        link.set_trace_id(randomBytes(random, 16));
        link.set_span_id(randomBytes(random, 8));
        link.set_trace_state(randomText(random));
        link.set_flags(std::uint32_t(random.below(1024)));
        fillAttributes(random, link);
    }
    span.set_dropped_events_count(std::uint32_t(random.below(3)));
    span.set_dropped_links_count(std::uint32_t(random.below(3)));
    if (random.chance(50)) {
        span.mutable_status()->set_code(std::uint32_t(random.below(3)));
        span.mutable_status()->set_message(randomText(random));
    }
    span.set_flags(std::uint32_t(random.below(std::uint64_t(1) << 32)));
}

otlp::ExportTraceServiceRequest randomRequest(Random& random)
{
    otlp::ExportTraceServiceRequest request;
    for (std::uint64_t r = 1 + random.below(3); r > 0; --r) {
        otlp::ResourceSpans& element = *request.add_resource_spans();
        if (random.chance(80)) {
            fillAttributes(random, *element.mutable_resource());
            if (random.chance(30)) {
                otlp::EntityRef& entity = *element.mutable_resource()->add_entity_refs();
                entity.set_type("service");
                entity.add_id_keys("service.name");
            }
        }
        element.set_schema_url(randomText(random));
        for (std::uint64_t s = random.below(3); s > 0; --s) {
            otlp::ScopeSpans& scope = random.chance(90) ? *element.add_scope_spans() : *element.add_library_spans();
            scope.mutable_scope()->set_name(randomText(random));
            scope.mutable_scope()->set_version(randomText(random));
            fillAttributes(random, *scope.mutable_scope());
            scope.set_schema_url(randomText(random));
            for (std::uint64_t n = 1 + random.below(4); n > 0; --n)
                fillSpan(random, *scope.add_spans());
        }
    }
    return request;
}

// ---- what the library says, in our words ----------------------------------------------------------------------------

AttributeValue valueOf(const otlp::AnyValue& value);

AttributeList listOf(const google::protobuf::RepeatedPtrField<otlp::KeyValue>& pairs)
{
    AttributeList list;
    for (const otlp::KeyValue& pair : pairs)
        list.push_back({pair.key(), valueOf(pair.value())});
    return list;
}

AttributeValue valueOf(const otlp::AnyValue& value)
{
    switch (value.value_case()) {
    case otlp::AnyValue::kStringValue: return {value.string_value()};
    case otlp::AnyValue::kBoolValue: return {value.bool_value()};
    case otlp::AnyValue::kIntValue: return {std::int64_t(value.int_value())};
    case otlp::AnyValue::kBytesValue: return {Bytes{value.bytes_value()}};
    case otlp::AnyValue::kKvlistValue: return {listOf(value.kvlist_value().values())};
    case otlp::AnyValue::kDoubleValue: {
        const double real = value.double_value();
        if (std::isfinite(real))
            return {real};
        return {NumberText{std::isnan(real) ? "NaN" : real > 0 ? "Infinity" : "-Infinity"}};
    }
    case otlp::AnyValue::kArrayValue: {
        AttributeValue::Array array;
        for (const otlp::AnyValue& element : value.array_value().values())
            array.push_back(valueOf(element));
        return {array};
    }
    case otlp::AnyValue::VALUE_NOT_SET: break;
    }
    return {};
}

std::uint64_t bigEndian(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (const char c : bytes)
        value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

TraceId traceIdOf(const std::string& bytes)
{
    return {bigEndian(std::string_view(bytes).substr(0, 8)), bigEndian(std::string_view(bytes).substr(8))};
}

Timestamp timeOf(std::uint64_t ns)
{
    return timestampFromNs(std::int64_t(std::min<std::uint64_t>(ns, std::numeric_limits<std::int64_t>::max())));
}

SpanPayload payloadOf(const otlp::Span& span)
{
    SpanPayload payload;
    payload.attributes = listOf(span.attributes());
    for (const otlp::Event& event : span.events())
        payload.events.push_back(
            {timeOf(event.time_unix_nano()), event.name(), listOf(event.attributes()), event.dropped_attributes_count()});
    for (const otlp::Link& link : span.links())
        payload.links.push_back({traceIdOf(link.trace_id()), {bigEndian(link.span_id())}, link.trace_state(), listOf(link.attributes()),
            link.dropped_attributes_count(), link.flags(), "", ""});
    payload.traceState = span.trace_state();
    payload.statusMessage = span.status().message();
    payload.flags = span.flags();
    payload.droppedAttributes = span.dropped_attributes_count();
    payload.droppedEvents = span.dropped_events_count();
    payload.droppedLinks = span.dropped_links_count();
    return payload;
}

DecodedSpan spanOf(const otlp::Span& span, const otlp::ResourceSpans& element, const otlp::ScopeSpans& scope)
{
    constexpr auto latest = std::uint64_t(std::numeric_limits<std::int64_t>::max());
    DecodedSpan decoded;
    decoded.traceId = traceIdOf(span.trace_id());
    decoded.spanId = {bigEndian(span.span_id())};
    decoded.parentId = {bigEndian(span.parent_span_id())};
    decoded.start = timeOf(span.start_time_unix_nano());
    decoded.end = span.end_time_unix_nano() == 0 ? unknownTime : timeOf(span.end_time_unix_nano());
    decoded.timeOutOfRange = span.end_time_unix_nano() > latest;
    decoded.kind = SpanKind(span.kind());
    decoded.status = SpanStatus(span.status().code());
    decoded.name = span.name();
    decoded.payload = payloadOf(span);
    decoded.resource.attributes = listOf(element.resource().attributes());
    decoded.resource.droppedAttributes = element.resource().dropped_attributes_count();
    decoded.resource.schemaUrl = element.schema_url();
    AttributeValue::Array entities;
    for (const otlp::EntityRef& entity : element.resource().entity_refs())
        entities.push_back({AttributeList{{"type", {entity.type()}}, {"idKeys", {AttributeValue::Array{{entity.id_keys(0)}}}}}});
    if (!entities.empty())
        decoded.resource.entityRefs.value = entities;
    decoded.scope = {scope.scope().name(), scope.scope().version(), listOf(scope.scope().attributes()),
        scope.scope().dropped_attributes_count(), scope.schema_url()};
    return decoded;
}

std::vector<DecodedSpan> spansOf(const otlp::ExportTraceServiceRequest& request)
{
    std::vector<DecodedSpan> spans;
    for (const otlp::ResourceSpans& element : request.resource_spans()) {
        const auto& scopes = element.scope_spans().empty() ? element.library_spans() : element.scope_spans();
        for (const otlp::ScopeSpans& scope : scopes)
            for (const otlp::Span& span : scope.spans())
                spans.push_back(spanOf(span, element, scope));
    }
    return spans;
}

} // namespace

class TestOtlpProtoLibrary : public QObject {
    Q_OBJECT

private slots:
    void randomMessagesReadAlike();
    void unknownFieldsReadAlike();
};

void TestOtlpProtoLibrary::randomMessagesReadAlike()
{
    std::size_t compared = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        // Two bodies after each other are one message with the elements of both.
        const std::string file = randomRequest(random).SerializeAsString() + randomRequest(random).SerializeAsString();
        otlp::ExportTraceServiceRequest parsed;
        QVERIFY(parsed.ParseFromString(file));
        const std::vector<DecodedSpan> expected = spansOf(parsed);
        const ReadOutcome outcome = readOtlpProto(file, seed % 3 == 0 ? 100 : 0);
        QVERIFY2(outcome.result, qPrintable(QString("seed %1").arg(seed)));
        QCOMPARE(outcome.spans.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY2(outcome.spans[i] == expected[i], qPrintable(QString("seed %1, span %2").arg(seed).arg(i)));
        compared += expected.size();
    }
    QVERIFY(compared > 1000);
}

/// Fields of later versions at every level, in front of and behind the known ones.
void TestOtlpProtoLibrary::unknownFieldsReadAlike()
{
    const std::string later = varintField(50, 7) + lengthField(51, "later") + fixed64Field(52, 1) + fixed32Field(53, 1);
    const std::string span = later + spanBytes(1, "s") + lengthField(9, later + textAttribute("k", "v") + later)
        + lengthField(11, later + fixed64Field(1, 9) + later) + lengthField(15, later + varintField(3, 2)) + later;
    const std::string scopeSpans = later + lengthField(1, later + lengthField(1, "lib")) + lengthField(2, span) + later;
    const std::string file = later
        + lengthField(1, later + lengthField(2, scopeSpans) + lengthField(1, later + lengthField(1, textAttribute("a", "b"))) + later)
        + later;
    otlp::ExportTraceServiceRequest parsed;
    QVERIFY(parsed.ParseFromString(file));
    const ReadOutcome outcome = readOtlpProto(file);
    QVERIFY(outcome.result);
    QVERIFY(outcome.diagnostics.empty());
    QCOMPARE(outcome.spans.size(), std::size_t(1));
    QVERIFY(outcome.spans == spansOf(parsed));
}

QTEST_GUILESS_MAIN(TestOtlpProtoLibrary)
#include "tst_otlpprotolibrary.moc"
