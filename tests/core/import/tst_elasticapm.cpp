// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Elastic APM: lines of the intake and documents of Elasticsearch.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

namespace {

const QByteArray metadata =
    R"({"metadata":{"service":{"name":"shop","version":"1","environment":"prod","agent":{"name":"java","version":"1.5"}},)"
    R"("labels":{"l":"x"}}})"
    "\n";

/// A transaction of 2 ms from 1 ms on; \a more is further members with a leading comma.
QByteArray transaction(const QByteArray& id, const QByteArray& more = {})
{
    return R"({"transaction":{"id":")" + id + R"(","trace_id":"01","name":"GET /","type":"request","timestamp":1000,"duration":2.0)" + more
        + "}}\n";
}

/// A span of 0.5 ms from 1.5 ms on.
QByteArray span(const QByteArray& id, const QByteArray& more = {}, const QByteArray& when = R"("timestamp":1500)")
{
    return R"({"span":{"id":")" + id + R"(","trace_id":"01","transaction_id":"a1","parent_id":"a1","name":"n","type":"db",)" + when
        + R"(,"duration":0.5)" + more + "}}\n";
}

QByteArray error(const QByteArray& parent)
{
    return R"({"error":{"id":"e1","trace_id":"01","transaction_id":"a1","parent_id":")" + parent
        + R"(","timestamp":1700,"culprit":"f","exception":{"type":"E","message":"no","handled":false,)"
          R"("stacktrace":[{"function":"f","filename":"a.java","lineno":7}]}}})"
          "\n";
}

const QByteArray server = " 'GET /' shop SERVER 1000000..3000000 {type=request}";
const QByteArray client = " 'n' shop CLIENT 1500000..2000000 {type=db}";
const QByteArray exceptionText =
    " event exception@1700000{exception.type=E, exception.message=no, exception.stacktrace=f (a.java:7), error.id=e1, error.culprit=f, "
    "exception.handled=false}";

/// A document of Elasticsearch; \a own is its transaction or span.
QByteArray document(const QByteArray& event, const QByteArray& own)
{
    return R"({"@timestamp":"1970-01-01T00:00:00.001Z","timestamp":{"us":1000},"processor":{"event":")" + event
        + R"("},"trace":{"id":"01"},"service":{"name":"shop","environment":"prod"},)" + own + "}";
}

} // namespace

class tst_ElasticApm : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads();

private:
    static void intake();
    static void intakeFields();
    static void documents();
};

void tst_ElasticApm::reads_data()
{
    readerColumns();
    intake();
    intakeFields();
    documents();
}

void tst_ElasticApm::intake()
{
    const QByteArray both = "1/b1<a1" + client + "\n1/a1" + server + "\n";
    readerRow("metadata applies to what follows", metadata + span("b1") + transaction("a1"), both);
    readerRow("another stream behind", metadata + transaction("a1") + QByteArray(metadata).replace("shop", "other") + transaction("a2"),
        "1/a1" + server + "\n1/a2" + QByteArray(server).replace("shop", "other") + "\n");
    readerRow("no metadata", transaction("a1"), "1/a1 'GET /' SERVER 1000000..3000000 {type=request}\n");
    readerRow("metrics", metadata + R"({"metricset":{"timestamp":1,"samples":{}}})" + "\n" + transaction("a1"), "1/a1" + server + "\n");
    readerRow(
        "what is no record", metadata + transaction("a1") + "\n" + R"({"hello":1})", "1/a1" + server + "\n", "BAD_RECORD:1 rejected:1");
    readerRow("start from the transaction, which comes later", metadata + span("b1", {}, R"("start":0.5)") + transaction("a1"),
        "1/a1" + server + "\n1/b1<a1" + client + "\n");
    readerRow("start from the transaction, which came before", metadata + transaction("a1") + span("b1", {}, R"("start":0.5)"),
        "1/a1" + server + "\n1/b1<a1" + client + "\n");
    readerRow(
        "start from a transaction elsewhere", metadata + span("b1", {}, R"("start":0.5)"), "1/b1<a1 'n' shop CLIENT ?..? {type=db}\n");
    readerRow("error before its span", metadata + error("b1") + span("b1"), "1/b1<a1" + client + exceptionText + "\n");
    readerRow("error behind its span", metadata + span("b1") + error("b1"), "1/b1<a1" + client + exceptionText + "\n");
    readerRow("error of a transaction", metadata + error("a1") + transaction("a1"), "1/a1" + server + exceptionText + "\n");
    readerRow("error without a span", metadata + transaction("a1") + error("c1"), "1/a1" + server + "\n", "OTHER_SIGNAL:1");
}

void tst_ElasticApm::intakeFields()
{
    const auto field = [](const char* name, const QByteArray& more, const QByteArray& text, const char* faults = "") {
        readerRow(name, metadata + transaction("a1", more), "1/a1 'GET /' " + text + "\n", faults);
    };
    field("failure", R"(,"outcome":"failure","result":"HTTP 5xx")",
        "shop SERVER ERROR 1000000..3000000 {type=request, outcome=failure, result=HTTP 5xx}");
    field("success", R"(,"outcome":"success")", "shop SERVER 1000000..3000000 {type=request, outcome=success}");
    field("context",
        R"(,"context":{"request":{"method":"GET","url":{"full":"http://h/"}},"response":{"status_code":200},"tags":{"t":1},)"
        R"("custom":{"c":2}})",
        "shop SERVER 1000000..3000000 {type=request, http.request.method=GET, url.full=http://h/, http.response.status_code=200, "
        "custom.c=2, t=1}");
    field("service of its own", R"(,"context":{"service":{"name":"inner"}})", "inner SERVER 1000000..3000000 {type=request}");
    field("OpenTelemetry's", R"(,"otel":{"span_kind":"CONSUMER","attributes":{"k":"v"}})",
        "shop CONSUMER 1000000..3000000 {type=request, k=v}");
    field("links", R"(,"links":[{"trace_id":"02","span_id":"b2"}])", "shop SERVER 1000000..3000000 {type=request} link 2/b2{}");
    field("unknown kind", R"(,"otel":{"span_kind":"odd"})", "shop SERVER 1000000..3000000 {type=request, import.raw_kind=odd}",
        "UNKNOWN_ENUM:1");
    readerRow("parent in another service", metadata + transaction("a1", R"(,"parent_id":"d1")"), "1/a1<d1" + server + "\n");
    readerRow("unreadable duration", metadata + QByteArray(transaction("a1")).replace("2.0", "\"long\""),
        "1/a1 'GET /' shop SERVER 1000000..? {type=request}\n", "BAD_TIMESTAMP:1");
    readerRow("types",
        metadata + QByteArray(transaction("a1")).replace("request", "messaging") + QByteArray(span("b1")).replace("\"db\"", "\"messaging\"")
            + QByteArray(span("b2")).replace("\"db\"", "\"app\"") + QByteArray(span("b3")).replace("\"db\"", "\"external\""),
        "1/a1 'GET /' shop CONSUMER 1000000..3000000 {type=messaging}\n1/b1<a1 'n' shop PRODUCER 1500000..2000000 {type=messaging}\n"
        "1/b2<a1 'n' shop INTERNAL 1500000..2000000 {type=app}\n1/b3<a1 'n' shop CLIENT 1500000..2000000 {type=external}\n");
    readerRow("composite", metadata + span("b1", R"(,"subtype":"sql","composite":{"count":3,"sum":0.4})"),
        "1/b1<a1 'n' shop CLIENT 1500000..2000000 {type=db, subtype=sql, composite.count=3, composite.sum=0.4}\n");
    readerRow("no trace id", QByteArray(metadata + transaction("a1") + span("b1")).replace(R"("trace_id":"01",)", ""),
        "a1/a1" + server + "\na1/b1<a1" + client + "\n");
}

void tst_ElasticApm::documents()
{
    const QByteArray own = R"("transaction":{"id":"a1","name":"GET /","type":"request","duration":{"us":2000}})";
    const QByteArray a1 = "1/a1 'GET /' shop SERVER 1000000..3000000 {transaction.type=request}\n";
    readerRow("document", document("transaction", own), a1);
    readerRow("answer", R"({"hits":{"total":1,"hits":[{"_index":"apm","_source":)" + document("transaction", own) + "}]}}", a1);
    readerRow("lines of _source", R"({"_id":"x","_source":)" + document("transaction", own) + "}\n", a1);
    readerRow("dotted names",
        R"({"@timestamp":"1970-01-01T00:00:00.001Z","timestamp.us":1000,"processor.event":"transaction","trace.id":"01",)"
        R"("service.name":"shop",)"
        R"("transaction.id":"a1","transaction.name":"GET /","transaction.type":"request","transaction.duration.us":2000})",
        a1);
    readerRow("span",
        document("span",
            R"("parent":{"id":"a1"},"transaction":{"id":"a1"},"span":{"id":"b1","name":"n","type":"db","duration":{"us":500}},)"
            R"("event":{"outcome":"failure"},"labels":{"l":"x"})"),
        "1/b1<a1 'n' shop CLIENT ERROR 1000000..1500000 {span.type=db, event.outcome=failure, l=x}\n");
    readerRow("links",
        document("transaction", own + R"(,"span":{"links":[{"trace":{"id":"02"},"span":{"id":"b2"}},{"trace.id":"03","span.id":"b3"}]})"),
        a1.chopped(1) + " link 2/b2{} link 3/b3{}\n");
    readerRow("no microseconds", document("transaction", own).replace(R"("timestamp":{"us":1000},)", ""), a1);
    readerRow("hex id beside a number",
        document("span", R"("transaction":{"id":"a1"},"span":{"id":-5,"hex_id":"b1","name":"n","type":"db","duration":{"us":500}})"),
        "1/b1<a1 'n' shop CLIENT 1000000..1500000 {span.type=db}\n");
    readerRow("numbers as ids",
        document("span", R"("transaction":{"id":"a1"},"span":{"id":12,"parent":-7,"name":"n","type":"db","duration":{"us":500}})"),
        "1/12<-7 'n' shop CLIENT 1000000..1500000 {span.type=db}\n");
    readerRow("start from the transaction",
        document(
            "span", R"("transaction":{"id":"a1"},"span":{"hex_id":"b1","name":"n","type":"db","start":{"us":250},"duration":{"us":500}})")
            + "\n" + document("transaction", own),
        a1 + "1/b1<a1 'n' shop CLIENT 1250000..1750000 {span.type=db}\n");
    readerRow("error",
        document("transaction", own) + "\n"
            + document("error", R"("transaction":{"id":"a1"},"error":{"exception":[{"type":"E","message":"no"}]})"),
        a1.chopped(1) + " event exception@1000000{exception.type=E, exception.message=no}\n");
}

void tst_ElasticApm::reads()
{
    compareReading("elastic-apm");
}

QTEST_GUILESS_MAIN(tst_ElasticApm)
#include "tst_elasticapm.moc"
