// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One SDK request recorded as JSON and as protobuf: both readers must find the same spans.
#include "core/import/readinput.h"

#include <QTest>

#include <map>

using namespace chokepoint;

namespace {

struct ComparableSpan {
    SpanId parentId;
    Timestamp start;
    Timestamp end;
    Timestamp firstToken;
    SpanFlags flags;
    std::string name;
    SpanPayload payload;
    Resource resource;
    Scope scope;

    friend bool operator==(const ComparableSpan&, const ComparableSpan&) = default;
};

struct ReadFile {
    Result<InputReport> report;
    std::map<std::pair<TraceId, SpanId>, ComparableSpan> spans;
};

ReadFile readFile(const std::string& name)
{
    ReadFile file;
    Dictionary dictionary;
    const auto deliver = [&](SpanBatch& batch) -> Result<void> {
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const SpanRow row = batch.spans.row(i);
            file.spans[{batch.traceId[i], row.spanId}] = {row.parentId, row.start, row.end, row.firstToken, row.flags,
                std::string(dictionary.text(row.name)), decodePayload(batch.payloadOf(i), row.start, dictionary.strings),
                dictionary.resource(row.resource), dictionary.scope(row.scope)};
        }
        return {};
    };
    file.report = readInput(CHOKEPOINT_SOURCE_DIR "/tests/core/import/data/" + name, dictionary, deliver, {});
    return file;
}

} // namespace

class TestOtlpProtoJson : public QObject {
    Q_OBJECT

private slots:
    void jsonAndProtobufGiveEqualSpans();
};

void TestOtlpProtoJson::jsonAndProtobufGiveEqualSpans()
{
    const ReadFile json = readFile("one-request.json.gz");
    const ReadFile protobuf = readFile("one-request.pb.gz");
    QVERIFY(json.report && protobuf.report);
    QCOMPARE(json.report->format, std::string("otlp-json"));
    QCOMPARE(protobuf.report->format, std::string("otlp-proto"));
    QCOMPARE(protobuf.report->compression, std::string("gzip"));
    QCOMPARE(protobuf.report->spans, std::uint64_t(239));
    QVERIFY(protobuf.report->diagnostics.empty());
    QCOMPARE(protobuf.spans.size(), std::size_t(239));
    QCOMPARE(json.spans.size(), std::size_t(239));
    for (auto a = json.spans.begin(), b = protobuf.spans.begin(); a != json.spans.end(); ++a, ++b)
        QVERIFY2(*a == *b, toHex(a->first.second).c_str());
}

QTEST_GUILESS_MAIN(TestOtlpProtoJson)
#include "tst_otlpprotojson.moc"
