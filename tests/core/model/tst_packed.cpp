// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Packed values: what goes in comes out, equal content hashes equal, damage is noticed and never runs away.
#include "core/model/packed.h"

#include <QTest>

#include <limits>

using namespace chokepoint;

namespace {

AttributeValue text(const char* value)
{
    return {std::string(value)};
}

AttributeValue nested(int depth)
{
    AttributeValue value{std::int64_t(7)};
    for (int i = 0; i < depth; ++i) {
        if (i % 2 == 0)
            value = AttributeValue{AttributeValue::Array{value, text("x")}};
        else
            value = AttributeValue{AttributeList{{"inner", value}, {"inner", text("again")}}};
    }
    return value;
}

SpanPayload everything()
{
    SpanPayload payload;
    payload.attributes = {{"empty", {}}, {"yes", {true}}, {"no", {false}}, {"min", {std::numeric_limits<std::int64_t>::min()}},
        {"max", {std::numeric_limits<std::int64_t>::max()}}, {"zero", {std::int64_t(0)}}, {"pi", {3.25}},
        {"infinite", {std::numeric_limits<double>::infinity()}}, {"blank", text("")}, {"name", text("grüße")},
        {"long", {std::string(5000, 'x')}}, {"raw", {Bytes{std::string("\0\1\xff", 3)}}}, {"big", {NumberText{"18446744073709551616"}}},
        {"array", {AttributeValue::Array{}}}, {"map", {AttributeList{}}}, {"deep", nested(150)}, {"name", text("a key may occur twice")}};
    payload.events = {{timestampFromNs(1500), "first", {{"k", text("v")}}, 2}, {timestampFromNs(5), "before the span", {}, 0}};
    payload.links = {{TraceId{1, 2}, SpanId{3}, "state", {{"a", {std::int64_t(-1)}}}, 4, 257, "run-42", "step-1"}};
    payload.traceState = "vendor=1";
    payload.statusMessage = "deadline exceeded";
    payload.flags = 0x301;
    payload.droppedAttributes = 1;
    payload.droppedEvents = 2;
    payload.droppedLinks = 3;
    payload.traceIdText = "run-42";
    payload.spanIdText = "step-7";
    payload.parentIdText = "step-6";
    return payload;
}

std::string packed(const SpanPayload& payload, StringPool& strings, Timestamp start = timestampFromNs(1000))
{
    PackedWriter writer(strings);
    std::string out;
    encodePayload(payload, start, writer, out);
    return out;
}

} // namespace

class tst_Packed : public QObject {
    Q_OBJECT

private slots:
    void roundTrip()
    {
        StringPool strings;
        const SpanPayload payload = everything();
        for (const Timestamp start : {timestampFromNs(1000), unknownTime, Timestamp::max(), timestampFromNs(0)}) {
            bool ok = false;
            const SpanPayload back = decodePayload(packed(payload, strings, start), start, strings, &ok);
            QVERIFY(ok);
            QVERIFY(back == payload);
        }
    }

    void emptyPayloadIsOneByte()
    {
        StringPool strings;
        QCOMPARE(packed({}, strings).size(), std::size_t(1));
        QVERIFY(decodePayload(packed({}, strings), {}, strings) == SpanPayload{});
    }

    void attributesAreWalkedWithoutDecoding()
    {
        StringPool strings;
        const std::string bytes = packed(everything(), strings);
        std::vector<std::string> keys;
        PackedCursor cursor = payloadAttributes(bytes);
        forEachAttribute(cursor, strings, [&](StringId key, const PackedValue& value) {
            keys.emplace_back(strings.text(key));
            if (keys.back() == "max")
                return value.tag == ValueTag::Int && value.integer == std::numeric_limits<std::int64_t>::max();
            return true;
        });
        QCOMPARE(keys.size(), everything().attributes.size());
        QCOMPARE(keys.back(), std::string("name"));
        PackedCursor none = payloadAttributes(packed({}, strings));
        forEachAttribute(none, strings, [](StringId, const PackedValue&) -> bool { qFatal("there are none"); });
    }

    void hashSaysWhatThePayloadSays()
    {
        StringPool first;
        StringPool second;
        second.intern("something that shifts every id");
        PackedWriter worn(second);
        std::string scratch;
        worn.setOutput(&scratch);
        for (int i = 0; i < 3000; ++i) { // makes "name" a key whose texts stay inline
            worn.key("name");
            worn.text("value " + std::to_string(i));
        }
        std::string inlined;
        encodePayload(everything(), timestampFromNs(1000), worn, inlined);
        const std::string interned = packed(everything(), first);
        QVERIFY(inlined != interned);
        QCOMPARE(payloadHash(inlined, second), payloadHash(interned, first));

        SpanPayload other = everything();
        other.attributes[4].value = {std::int64_t(1)};
        QVERIFY(payloadHash(packed(other, first), first) != payloadHash(interned, first));
    }

    void manyDistinctTextsStayInline()
    {
        StringPool strings;
        PackedWriter writer(strings);
        std::string out;
        writer.setOutput(&out);
        for (int i = 0; i < 100000; ++i) {
            writer.key("request.id");
            writer.text("request-" + std::to_string(i));
            writer.key("model");
            writer.text(i % 2 == 0 ? "small" : "large");
        }
        QVERIFY2(strings.size() < 1100, std::to_string(strings.size()).c_str());
    }

    void damageIsNoticed()
    {
        StringPool strings;
        const std::string good = packed(everything(), strings);
        for (std::size_t cut = 0; cut < good.size(); ++cut) {
            bool ok = true;
            (void)decodePayload(std::string_view(good).substr(0, cut), timestampFromNs(1000), strings, &ok);
            QVERIFY2(!ok, std::to_string(cut).c_str());
        }
        for (std::size_t at = 0; at < good.size(); ++at)
            for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
                std::string bad = good;
                bad[at] = char(static_cast<unsigned char>(bad[at]) ^ flip);
                (void)decodePayload(bad, timestampFromNs(1000), strings); // must end, within bounds
                PackedCursor cursor = payloadAttributes(bad);
                cursor.skipAttributes();
            }
    }

    void hostileNestingUsesNoCallStack()
    {
        StringPool strings;
        std::string bytes(1, char(1)); // attributes section
        appendVarint(bytes, toIndex(strings.intern("deep")) + 1);
        bytes.append(1000000, char(ValueTag::Array));
        bytes.append(1000000, char(ValueTag::End));
        bytes.push_back(0);
        PackedCursor cursor = payloadAttributes(bytes);
        cursor.skipAttributes();
        QVERIFY(cursor.ok() && cursor.atEnd());
    }

    void dictionaryInternsByContent()
    {
        Dictionary dictionary;
        const Resource api{{{"service.name", text("api")}, {"host.name", text("rack-1")}}, 0, "schema", {}};
        const ResourceId id = dictionary.internResource(api);
        QVERIFY(dictionary.internResource(api) == id);
        Resource dropped = api;
        dropped.droppedAttributes = 1;
        QVERIFY(dictionary.internResource(dropped) != id);
        QCOMPARE(dictionary.text(dictionary.service(id)), std::string_view("api"));
        QCOMPARE(dictionary.text(dictionary.host(id)), std::string_view("rack-1"));
        QVERIFY(dictionary.resource(id) == api);
        QVERIFY(dictionary.internResource({}) == ResourceId{});
        QCOMPARE(dictionary.text(dictionary.service(ResourceId{})), std::string_view());
        QVERIFY(dictionary.internScope({}) == ScopeId{});
        QVERIFY(dictionary.internScope({"lib", "1", {}, 0, ""}) != dictionary.internScope({"lib", "2", {}, 0, ""}));
    }

    void poolKeepsViewsWhileItGrows()
    {
        StringPool pool;
        std::vector<std::string_view> views;
        for (int i = 0; i < 50000; ++i)
            views.push_back(pool.text(pool.intern("text " + std::to_string(i))));
        for (int i = 0; i < 50000; ++i)
            QCOMPARE(views[std::size_t(i)], "text " + std::to_string(i));
        QVERIFY(pool.find("text 4711") == std::optional(StringId(4712)));
        QVERIFY(!pool.find("never seen"));
        QVERIFY(pool.intern("") == StringId{});
        QCOMPARE(pool.text(pool.intern(std::string(1 << 20, 'y'))).size(), std::size_t(1) << 20);
    }
};

QTEST_GUILESS_MAIN(tst_Packed)
#include "tst_packed.moc"
