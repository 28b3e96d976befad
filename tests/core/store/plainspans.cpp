// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/store/plainspans.h"

#include <fmt/format.h>

#include <QDir>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>

namespace chokepoint::testkit {

namespace {

constexpr std::int64_t epoch = 1'730'000'000'000'000'000; // ns, 2024

std::string randomText(Random& random)
{
    static const std::vector<std::string> texts{"", "GET /v1/chat", "naïve", "東京", "line\nbreak", std::string("nul\0inside", 10),
        "'; DROP TABLE span; --", std::string(300, 'x'), "ok", "retry"};
    return random.chance(20) ? fmt::format("value-{}", random.below(5000)) : texts[random.below(texts.size())];
}

AttributeValue randomValue(Random& random, unsigned depth = 0)
{
    switch (random.below(depth < 3 ? 10 : 8)) {
    case 0: return {};
    case 1: return {random.chance(50)};
    case 2: return {std::int64_t(random.below(100))};
    case 3: return {random.chance(50) ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max()};
    case 4: return {random.chance(50) ? -0.0 : 0.1 + double(random.below(10))};
    case 5: return {Bytes{std::string("\0\xff\x80", 3)}};
    case 6: return {NumberText{"340282366920938463463374607431768211456"}};
    case 7: return {randomText(random)};
    case 8: {
        AttributeValue::Array array;
        for (std::uint64_t n = random.below(4); n > 0; --n)
            array.push_back(randomValue(random, depth + 1));
        return {std::move(array)};
    }
    default: {
        AttributeList map;
        for (std::uint64_t n = random.below(4); n > 0; --n)
            map.push_back({fmt::format("k{}", random.below(3)), randomValue(random, depth + 1)}); // keys may repeat
        return {std::move(map)};
    }
    }
}

AttributeList randomAttributes(Random& random)
{
    AttributeList attributes;
    for (std::uint64_t n = random.below(5); n > 0; --n)
        attributes.push_back({fmt::format("key.{}", random.below(8)), randomValue(random)});
    return attributes;
}

SpanPayload randomPayload(Random& random)
{
    SpanPayload payload;
    payload.attributes = randomAttributes(random);
    for (std::uint64_t n = random.chance(30) ? random.below(3) : 0; n > 0; --n)
        payload.events.push_back(
            {timestampFromNs(epoch + random.between(-1000, 1000)), randomText(random), randomAttributes(random), std::uint32_t(n)});
    for (std::uint64_t n = random.chance(20) ? random.below(3) : 0; n > 0; --n)
        payload.links.push_back({TraceId{random.below(9), n}, SpanId{random.below(1000)}, "a=b", randomAttributes(random), 1, 257,
            random.chance(30) ? "link-trace" : "", random.chance(30) ? "link-span" : ""});
    if (random.chance(10))
        payload.traceState = "vendor=1";
    if (random.chance(10))
        payload.statusMessage = "deadline exceeded";
    payload.flags = random.chance(50) ? 257 : 0;
    payload.droppedAttributes = random.chance(5) ? 3 : 0;
    payload.droppedEvents = random.chance(5) ? 4 : 0;
    payload.droppedLinks = random.chance(5) ? 5 : 0;
    return payload;
}

Resource randomResource(Random& random)
{
    const std::uint64_t n = random.below(4);
    if (n == 0)
        return {};
    Resource resource{
        {{"service.name", {fmt::format("service-{}", n)}}, {"host.name", {std::string("host")}}, {"pid", {std::int64_t(n)}}}, 0, "", {}};
    if (n == 3) {
        resource.schemaUrl = "https://opentelemetry.io/schemas/1.27.0";
        resource.droppedAttributes = 7;
        resource.entityRefs.value = AttributeValue::Array{{AttributeList{{"type", {std::string("host")}}}}};
    }
    return resource;
}

Scope randomScope(Random& random)
{
    const std::uint64_t n = random.below(3);
    return n == 0 ? Scope{} : Scope{fmt::format("library-{}", n), "1.0", {{"a", {std::int64_t(n)}}}, std::uint32_t(n), n == 2 ? "url" : ""};
}

/// The payload's bytes with a pool of their own: equal exactly when the payloads are, NaN and -0 included.
std::string canonicalBytes(const SpanPayload& payload)
{
    StringPool pool;
    PackedWriter writer(pool);
    std::string bytes;
    encodePayload(payload, unknownTime, writer, bytes);
    for (std::size_t id = 0; id < pool.size(); ++id)
        bytes += fmt::format("|{}", pool.text(StringId(id)));
    return bytes;
}

PlainSpan plainSpanOf(const TraceColumns& columns, std::size_t trace, std::size_t span, std::string_view payload)
{
    const TraceView view = columns.trace(trace);
    const Dictionary& dictionary = *columns.dictionary;
    PlainSpan plain;
    plain.traceId = view.traceId;
    plain.spanId = view.spanId[span];
    plain.parentId = view.parentId[span];
    plain.start = view.start[span];
    plain.end = view.end[span];
    plain.firstToken = view.firstToken[span];
    plain.name = dictionary.text(view.name[span]);
    plain.flags = view.flags[span].stored();
    plain.resource = dictionary.resource(view.resource[span]);
    plain.scope = dictionary.scope(view.scope[span]);
    bool intact = false;
    plain.payload = decodePayload(payload, view.start[span], dictionary.strings, &intact);
    if (!intact)
        qFatal("a stored payload does not decode");
    return plain;
}

template <typename T> T valueOrDie(Result<T> result)
{
    if (!result)
        qFatal("%s", result.error().message().c_str());
    return std::move(*result);
}

} // namespace

Store opened(Result<Store> store)
{
    return valueOrDie(std::move(store));
}

std::vector<PlainSpan> randomSpans(std::uint64_t seed, const PlainShape& shape)
{
    Random random(seed);
    std::vector<PlainSpan> spans;
    for (std::size_t t = 0; t < shape.traces; ++t) {
        const std::string opaque = random.chance(shape.opaquePercent) ? fmt::format("run/{}-{}", seed, t) : "";
        const TraceId traceId = opaque.empty() ? TraceId{random.below(3), seed << 32 | (t + 1)} : opaqueTraceId(opaque);
        const std::uint64_t firstId = 1 + random.below(1U << 30);
        const std::uint64_t count = 1 + random.below(shape.spansPerTrace);
        for (std::uint64_t k = 0; k < count; ++k) {
            PlainSpan span;
            span.traceId = traceId;
            span.spanId = SpanId{firstId + k};
            if (k > 0 && !random.chance(10))
                span.parentId = SpanId{random.chance(90) ? firstId + random.below(count) : 77};
            const std::int64_t start = epoch + std::int64_t(t) * 1'000'000 + random.between(0, 5000);
            span.start = random.chance(5) ? unknownTime : timestampFromNs(start);
            span.end = random.chance(5) ? unknownTime : timestampFromNs(start + random.between(-100, 1'000'000));
            span.firstToken = random.chance(10) ? timestampFromNs(start + 17) : unknownTime;
            span.name = randomText(random);
            SpanFlags flags;
            flags.setKind(SpanKind(random.below(6)));
            flags.setStatus(SpanStatus(random.below(3)));
            flags.bits |= std::uint32_t(random.below(512)) << 5;
            span.flags = flags.stored();
            span.resource = randomResource(random);
            span.scope = randomScope(random);
            span.payload = randomPayload(random);
            if (!opaque.empty()) {
                span.payload.traceIdText = opaque;
                span.payload.spanIdText = fmt::format("step {}", k);
            }
            spans.push_back(std::move(span));
        }
    }
    for (std::size_t i = spans.size(); i > 1; --i)
        std::swap(spans[i - 1], spans[random.below(i)]);
    return spans;
}

PlainSpan plainSpan(std::uint64_t trace, std::uint64_t id, std::int64_t startNs, std::int64_t endNs, std::uint64_t parent)
{
    PlainSpan span;
    span.traceId = {0, trace};
    span.spanId = {id};
    span.parentId = {parent};
    span.start = timestampFromNs(startNs);
    span.end = timestampFromNs(endNs);
    span.name = "work";
    return span;
}

std::string describe(const PlainSpan& span)
{
    const auto time = [](Timestamp t) { return isKnown(t) ? std::to_string(toNs(t)) : std::string("?"); };
    SpanPayload shared; // resource and scope, in the form that tells every value apart
    shared.attributes = span.resource.attributes;
    shared.attributes.push_back({"entityRefs", span.resource.entityRefs});
    SpanPayload scope;
    scope.attributes = span.scope.attributes;
    return fmt::format("{} {} < {} [{}, {}) token {} \"{}\" {:x} resource {} {} {} scope {} {} {} {} {} payload {}", toHex(span.traceId),
        toHex(span.spanId), toHex(span.parentId), time(span.start), time(span.end), time(span.firstToken), span.name, span.flags,
        toBase64(canonicalBytes(shared)), span.resource.droppedAttributes, span.resource.schemaUrl, span.scope.name, span.scope.version,
        span.scope.schemaUrl, span.scope.droppedAttributes, toBase64(canonicalBytes(scope)), toBase64(canonicalBytes(span.payload)));
}

std::vector<std::string> describeAll(const std::vector<PlainSpan>& spans)
{
    std::vector<std::string> lines;
    for (const PlainSpan& span : spans)
        lines.push_back(describe(span));
    std::sort(lines.begin(), lines.end());
    return lines;
}

Result<void> appendSpans(SpanWriter& writer, const std::vector<PlainSpan>& spans, std::size_t batchSize)
{
    Dictionary& dictionary = writer.dictionary();
    PackedWriter packed(dictionary.strings);
    SpanBatch batch;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const PlainSpan& span = spans[i];
        batch.traceId.push_back(span.traceId);
        batch.spans.push_back({span.spanId, span.parentId, span.start, span.end, dictionary.strings.intern(span.name),
            dictionary.internResource(span.resource), dictionary.internScope(span.scope), SpanFlags{span.flags}, span.firstToken});
        encodePayload(span.payload, span.start, packed, batch.payload);
        batch.payloadEnd.push_back(std::uint32_t(batch.payload.size()));
        if (batch.size() == batchSize || i + 1 == spans.size())
            if (auto done = writer.append(batch); !done)
                return done;
    }
    return {};
}

Result<SpanWriter::Written> importSpans(
    Store& store, const std::string& label, const std::vector<PlainSpan>& spans, const ImportShape& shape)
{
    auto writer = SpanWriter::begin(store, label, shape.window);
    if (!writer)
        return fail(writer.error());
    if (auto done = appendSpans(*writer, spans, shape.batch); !done)
        return fail(done.error());
    StoredInput input;
    input.path = label + ".jsonl";
    input.format = "otlp-json";
    input.compression = "none";
    input.bytes = 1000 + spans.size();
    return writer->commit(std::move(input));
}

std::vector<std::string> storedByColumns(const Store& store, std::optional<std::int64_t> deployment)
{
    const TraceColumns columns = valueOrDie(store.loadColumns(deployment, {}));
    std::vector<PlainSpan> spans;
    const auto visit = [&](std::size_t trace, const std::vector<std::string_view>& payloads) {
        for (std::size_t i = 0; i < payloads.size(); ++i)
            spans.push_back(plainSpanOf(columns, trace, i, payloads[i]));
        return true;
    };
    if (auto done = store.forEachTracePayloads(columns, visit, {}); !done)
        qFatal("%s", done.error().message().c_str());
    return describeAll(spans);
}

std::vector<std::string> storedByTrace(const Store& store, std::optional<std::int64_t> deployment)
{
    const TraceColumns columns = valueOrDie(store.loadColumns(deployment, {}));
    std::vector<PlainSpan> spans;
    for (const std::int64_t key : columns.storeKey) {
        const auto trace = valueOrDie(store.loadTrace(key));
        for (std::size_t i = 0; i < trace->size(); ++i)
            spans.push_back(plainSpanOf(trace->columns(), 0, i, trace->packedPayload(i)));
    }
    return describeAll(spans);
}

std::vector<PlainSpan> smallPopulation()
{
    PlainSpan root = plainSpan(0xa1, 0x11, 1000, 5000);
    root.name = "POST /chat";
    root.resource.attributes = {{"service.name", {std::string("api")}}, {"replicas", {std::int64_t(3)}}};
    root.scope.name = "fastapi";
    root.scope.version = "1.0";
    SpanFlags rootFlags;
    rootFlags.setKind(SpanKind::Server);
    root.flags = rootFlags.bits;

    PlainSpan call = plainSpan(0xa1, 0x12, 2000, 4500, 0x11);
    call.name = "chat";
    SpanFlags callFlags;
    callFlags.setKind(SpanKind::Client);
    callFlags.setStatus(SpanStatus::Error);
    call.flags = callFlags.bits;
    call.firstToken = timestampFromNs(2500);
    call.payload.statusMessage = "429";
    call.payload.traceState = "v=1";
    call.payload.attributes = {{"model", {std::string("gpt-4o")}}, {"tokens", {std::int64_t(17)}}, {"temperature", {0.5}},
        {"stream", {true}}, {"raw", {Bytes{"\x01\xff"}}}, {"none", {}},
        {"tags", {AttributeValue::Array{{std::string("a")}, {std::int64_t(1)}}}}, {"big", {NumberText{"99999999999999999999"}}}};
    call.payload.events = {{timestampFromNs(2500), "first token", {{"index", {std::int64_t(0)}}}, 2}};
    call.payload.links = {{TraceId{0, 0xb2}, SpanId{0x21}, "w=2", {}, 0, 0, "", ""}};

    PlainSpan open = plainSpan(0xb2, 0x21, 3000, 0);
    open.end = unknownTime;
    open.name = "chat";
    open.traceId = opaqueTraceId("run 7");
    open.payload.traceIdText = "run 7";
    open.payload.spanIdText = "step/1";
    open.payload.attributes = {{"model", {std::string("gpt-4o-mini")}}};
    return {root, call, open};
}

std::vector<std::string> StoreFolder::names() const
{
    std::vector<std::string> names;
    for (const QString& name : QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden, QDir::Name))
        names.push_back(name.toStdString());
    return names;
}

std::string readFile(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void writeFile(const std::string& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

} // namespace chokepoint::testkit
