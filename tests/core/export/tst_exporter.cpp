// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Exports: exact JSON, plain SQLite rows, and files that appear whole or not at all.
#include "core/export/exporter.h"
#include "core/model/traceassembler.h"
#include "tests/core/export/exportedfile.h"
#include "tests/testkit/tracebuilder.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <sqlite3.h>

#include <cmath>
#include <limits>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

AttributeValue text(const char* value)
{
    return {std::string(value)};
}

/// A trace of one span with everything that OTLP can say.
Trace fullTrace()
{
    auto dictionary = std::make_shared<Dictionary>();
    Resource resource;
    resource.attributes = {{"service.name", text("gateway")}};
    resource.droppedAttributes = 1;
    resource.schemaUrl = "https://s/r";
    resource.entityRefs.value =
        AttributeValue::Array{{AttributeList{{"type", text("service")}, {"idKeys", {AttributeValue::Array{text("id")}}}}}};
    SpanRow row;
    row.spanId = {0xb7};
    row.parentId = {0xa1};
    row.start = timestampFromNs(1'700'000'000'000'000'001);
    row.end = timestampFromNs(1'700'000'000'000'000'009);
    row.name = dictionary->strings.intern("chat \"x\"\n");
    row.flags.setKind(SpanKind::Client);
    row.flags.setStatus(SpanStatus::Error);
    row.resource = dictionary->internResource(resource);
    row.scope = dictionary->internScope({"lib", "1.2", {{"short", {true}}}, 2, "https://s/s"});
    SpanPayload payload;
    payload.attributes = {
        {"empty", {}},
        {"int", {std::numeric_limits<std::int64_t>::min()}},
        {"double", {0.1}},
        {"huge", {NumberText{"99999999999999999999"}}},
        {"nan", {NumberText{"NaN"}}},
        {"bytes", {Bytes{std::string("\0\xff", 2)}}},
        {"list", {AttributeValue::Array{text("a"), {AttributeList{{"k", {false}}}}, {AttributeValue::Array{}}}}},
    };
    payload.droppedAttributes = 3;
    payload.events = {{timestampFromNs(1'700'000'000'000'000'002), "retry", {{"n", {std::int64_t(1)}}}, 4}};
    payload.droppedEvents = 5;
    payload.links = {{{1, 2}, {3}, "a=b", {}, 6, 0x301, "", ""}, {{}, {}, "", {}, 0, 0, "run-42", "step-1"}};
    payload.droppedLinks = 7;
    payload.traceState = "v=1";
    payload.statusMessage = "timeout";
    payload.flags = 0x101;
    payload.spanIdText = "span/7";

    SpanColumns rows;
    rows.push_back(row);
    TraceColumns columns;
    std::vector<std::uint32_t> order;
    assembleTrace(rows, order, columns);
    columns.traceId = {TraceId{0x5b8efff798038103, 0xd269b633813fc60c}};
    columns.storeKey = {1};
    std::string packed;
    PackedWriter writer(dictionary->strings);
    encodePayload(payload, row.start, writer, packed);
    columns.dictionary = dictionary;
    const auto size = std::uint32_t(packed.size());
    return Trace(std::move(columns), {0}, {size}, std::move(packed));
}

/// Rows of a query as text, columns joined by '|'.
QStringList query(const QString& path, const char* sql)
{
    sqlite3* database = nullptr;
    sqlite3_open_v2(path.toUtf8(), &database, SQLITE_OPEN_READONLY, nullptr);
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database, sql, -1, &statement, nullptr);
    QStringList rows;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        QStringList cells;
        for (int i = 0; i < sqlite3_column_count(statement); ++i) {
            const auto* cell = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
            cells << (cell == nullptr ? "NULL" : QString::fromUtf8(cell));
        }
        rows << cells.join('|');
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return rows;
}

} // namespace

class TestExporter : public QObject {
    Q_OBJECT

private slots:
    void knowsFormatsByName_data();
    void knowsFormatsByName();
    void otlpJsonIsExact();
    void otlpJsonLeavesOutWhatIsUnknown();
    void otlpJsonMarksClampedTimesAgain();
    void sqliteHasPlainRows();
    void targetStaysUntilTheNewFileIsWhole();
    void failuresNameTheReason_data();
    void failuresNameTheReason();
};

void TestExporter::knowsFormatsByName_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("format"); // -1: unknown
    QTest::newRow("csv") << "csv" << int(ExportFormat::Csv);
    QTest::newRow("html") << "html" << int(ExportFormat::Html);
    QTest::newRow("md") << "md" << int(ExportFormat::Markdown);
    QTest::newRow("markdown") << "markdown" << int(ExportFormat::Markdown);
    QTest::newRow("json") << "json" << int(ExportFormat::OtlpJson);
    QTest::newRow("otlp-json") << "otlp-json" << int(ExportFormat::OtlpJson);
    QTest::newRow("sqlite") << "sqlite" << int(ExportFormat::Sqlite);
    QTest::newRow("other") << "xlsx" << -1;
    QTest::newRow("empty") << "" << -1;
}

void TestExporter::knowsFormatsByName()
{
    QFETCH(QString, name);
    QFETCH(int, format);
    const auto found = exportFormatFromName(name.toStdString());
    QCOMPARE(found ? int(*found) : -1, format);
}

void TestExporter::otlpJsonIsExact()
{
    const QByteArray expected =
        R"({"resourceSpans":[)"
        "\n"
        R"({"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"gateway"}}],"droppedAttributesCount":1,)"
        R"("entityRefs":[{"type":"service","idKeys":["id"]}]},"scopeSpans":[{"scope":{"name":"lib","version":"1.2",)"
        R"("attributes":[{"key":"short","value":{"boolValue":true}}],"droppedAttributesCount":2},"spans":[)"
        "\n"
        R"({"traceId":"5b8efff798038103d269b633813fc60c","spanId":"span/7","parentSpanId":"00000000000000a1","traceState":"v=1",)"
        R"("flags":257,"name":"chat \"x\"\n","kind":3,"startTimeUnixNano":"1700000000000000001","endTimeUnixNano":"1700000000000000009",)"
        R"("attributes":[{"key":"empty","value":{}},{"key":"int","value":{"intValue":"-9223372036854775808"}},)"
        R"({"key":"double","value":{"doubleValue":0.1}},{"key":"huge","value":{"intValue":"99999999999999999999"}},)"
        R"({"key":"nan","value":{"doubleValue":"NaN"}},{"key":"bytes","value":{"bytesValue":"AP8="}},)"
        R"({"key":"list","value":{"arrayValue":{"values":[{"stringValue":"a"},)"
        R"({"kvlistValue":{"values":[{"key":"k","value":{"boolValue":false}}]}},{"arrayValue":{"values":[]}}]}}}],)"
        R"("droppedAttributesCount":3,"events":[{"timeUnixNano":"1700000000000000002","name":"retry",)"
        R"("attributes":[{"key":"n","value":{"intValue":"1"}}],"droppedAttributesCount":4}],"droppedEventsCount":5,)"
        R"("links":[{"traceId":"00000000000000010000000000000002","spanId":"0000000000000003","traceState":"a=b",)"
        R"("droppedAttributesCount":6,"flags":769},{"traceId":"run-42","spanId":"step-1"}],"droppedLinksCount":7,)"
        R"("status":{"message":"timeout","code":2}}],"schemaUrl":"https://s/s"}],"schemaUrl":"https://s/r"})"
        "\n]}\n";
    QCOMPARE(exported(fullTrace(), {ExportFormat::OtlpJson, {}, {}}), expected);
}

void TestExporter::otlpJsonLeavesOutWhatIsUnknown()
{
    const QByteArray json = exported(TraceBuilder().span("open", 5, 0).noStart().noEnd().buildTrace(), {ExportFormat::OtlpJson, {}, {}});
    QVERIFY(json.contains("\"name\":\"open\""));
    for (const char* absent : {"startTimeUnixNano", "endTimeUnixNano", "parentSpanId", "events", "links", "\"code\""})
        QVERIFY2(!json.contains(absent), absent);
}

void TestExporter::otlpJsonMarksClampedTimesAgain()
{
    const Trace trace =
        TraceBuilder().span("late", 5, std::numeric_limits<std::int64_t>::max()).flag(SpanFlags::TimeOutOfRange).buildTrace();
    QVERIFY(exported(trace, {ExportFormat::OtlpJson, {}, {}}).contains("\"endTimeUnixNano\":\"9223372036854775808\""));
}

void TestExporter::sqliteHasPlainRows()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath("out.sqlite");
    const Trace other = TraceBuilder().span("open", 10, 0).noEnd().service("db").buildTrace();
    auto exporter =
        Exporter::begin(path.toStdString(), {ExportFormat::Sqlite, [](const Trace&, std::size_t) { return std::string("decode"); }, {}});
    QVERIFY(exporter && exporter->append(fullTrace()) && exporter->append(other) && exporter->finish());

    QCOMPARE(query(path,
                 "SELECT trace_id, root_name, root_service, span_count, start_unix_ns, duration_ns FROM trace ORDER BY start_unix_ns DESC"),
        QStringList({"5b8efff798038103d269b633813fc60c|chat \"x\"\n|gateway|1|1700000000000000001|8",
            "00000000000000000000000000000001|open|db|1|10|0"}));
    QCOMPARE(
        query(path,
            "SELECT span_id, parent_span_id, service, name, kind, status, status_message, stage, start_unix_ns, end_unix_ns, duration_ns, "
            "scope_name, scope_version, trace_state, flags, dropped_attributes, dropped_events, dropped_links FROM span ORDER BY span_key"),
        QStringList({"span/7|00000000000000a1|gateway|chat "
                     "\"x\"\n|CLIENT|ERROR|timeout|decode|1700000000000000001|1700000000000000009|8|lib|1.2|v=1|"
                     "257|3|5|7",
            "0000000000000001|NULL|db|open|UNSPECIFIED|UNSET||decode|10|NULL|NULL||||0|0|0|0"}));
    QCOMPARE(
        query(path,
            "SELECT position, key, type, typeof(value), CASE type WHEN 'bytes' THEN hex(value) ELSE value END FROM attribute ORDER BY 1"),
        QStringList({"0|empty|empty|null|NULL", "1|int|int|integer|-9223372036854775808", "2|double|double|real|0.1",
            "3|huge|number|text|99999999999999999999", "4|nan|number|text|NaN", "5|bytes|bytes|blob|00FF",
            "6|list|array|text|[\"a\",{\"k\":false},[]]"}));
    QCOMPARE(query(path, "SELECT time_unix_ns, name, attributes, dropped_attributes FROM event"),
        QStringList({"1700000000000000002|retry|{\"n\":1}|4"}));
    QCOMPARE(query(path, "SELECT trace_id, span_id, trace_state, flags FROM link ORDER BY position"),
        QStringList({"00000000000000010000000000000002|0000000000000003|a=b|769", "run-42|step-1||0"}));
    QCOMPARE(query(path, "SELECT service, attributes, dropped_attributes, schema_url FROM resource ORDER BY resource_key"),
        QStringList({"gateway|{\"service.name\":\"gateway\"}|1|https://s/r", "db|{\"service.name\":\"db\"}|0|"}));
}

void TestExporter::targetStaysUntilTheNewFileIsWhole()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath("out.csv");
    QFile old(path);
    QVERIFY(old.open(QIODevice::WriteOnly) && old.write("old") == 3);
    old.close();
    for (const ExportFormat format : {ExportFormat::Csv, ExportFormat::OtlpJson, ExportFormat::Sqlite}) {
        auto abandoned = Exporter::begin(path.toStdString(), {format, {}, {}});
        QVERIFY(abandoned && abandoned->append(fullTrace()));
        QCOMPARE(contentOf(path), QByteArray("old"));
    }
    QCOMPARE(QDir(dir.path()).entryList(QDir::Files), QStringList({"out.csv"}));

    auto exporter = Exporter::begin(path.toStdString(), {ExportFormat::Csv, {}, {}});
    QVERIFY(exporter && exporter->append(fullTrace()) && exporter->finish());
    QVERIFY(contentOf(path).startsWith("trace_id,"));
    QCOMPARE(QDir(dir.path()).entryList(QDir::Files), QStringList({"out.csv"}));
}

void TestExporter::failuresNameTheReason_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("format");
    QTest::addColumn<QString>("reason");
    QTest::newRow("a directory") << "." << int(ExportFormat::Csv) << "Is a directory";
    QTest::newRow("no such folder") << "absent/out.csv" << int(ExportFormat::OtlpJson) << "No such file or directory";
    if (QFileInfo::exists("/dev/full")) {
        QTest::newRow("full disk") << "/dev/full" << int(ExportFormat::Csv) << "No space left";
        QTest::newRow("full disk, JSON") << "/dev/full" << int(ExportFormat::OtlpJson) << "No space left";
        QTest::newRow("a device for SQLite") << "/dev/full" << int(ExportFormat::Sqlite) << "regular file";
    }
}

void TestExporter::failuresNameTheReason()
{
    QFETCH(QString, path);
    QFETCH(int, format);
    QFETCH(QString, reason);
    const QTemporaryDir dir;
    const QString target = QDir(dir.path()).absoluteFilePath(path);
    auto exporter = Exporter::begin(target.toStdString(), {ExportFormat(format), {}, {}});
    Result<void> done = exporter ? exporter->append(fullTrace()) : Result<void>(fail(exporter.error()));
    if (done)
        done = exporter->finish();
    QVERIFY(!done);
    QCOMPARE(int(done.error().code), int(ErrorCode::CannotWrite));
    QVERIFY2(QString::fromStdString(done.error().detail).contains(reason), done.error().detail.c_str());
    QVERIFY(QDir(dir.path()).entryList(QDir::Files).isEmpty());
}

QTEST_GUILESS_MAIN(TestExporter)
#include "tst_exporter.moc"
