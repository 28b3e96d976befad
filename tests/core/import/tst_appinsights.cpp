// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Application Insights: tables as objects and rows, and an SDK's envelopes.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

namespace {

/// A request of the classic table, 2.5 ms from 1 s on; \a more is further fields with a leading comma.
QByteArray request(const QByteArray& id, const QByteArray& more = {})
{
    return R"({"timestamp":"1970-01-01T00:00:01Z","itemType":"request","id":")" + id
        + R"(","operation_Id":"01","operation_ParentId":"01","name":"GET /","duration":2.5,"success":"True","cloud_RoleName":"shop")" + more
        + "}";
}

QByteArray envelope(const QByteArray& type, const QByteArray& data)
{
    return R"({"name":"Microsoft.ApplicationInsights.x","time":"1970-01-01T00:00:01Z","iKey":"k",)"
           R"("tags":{"ai.operation.id":"01","ai.operation.parentId":"a1","ai.cloud.role":"shop"},"data":{"baseType":")"
        + type + R"(","baseData":)" + data + "}}";
}

const QByteArray a1 = "1/a1 'GET /' shop SERVER 1000000000..1002500000\n";

} // namespace

class tst_AppInsights : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads();

private:
    static void tables();
    static void fields();
    static void envelopes();
};

void tst_AppInsights::reads_data()
{
    readerColumns();
    tables();
    fields();
    envelopes();
}

void tst_AppInsights::tables()
{
    readerRow("classic table", request("a1"), a1);
    readerRow("lines", request("a1") + "\n" + request("a2"), a1 + QByteArray(a1).replace("a1", "a2"));
    readerRow("what is no item", request("a1") + "\n" + R"({"hello":1})", a1, "BAD_RECORD:1 rejected:1");
    readerRow("workspace table",
        R"([{"TimeGenerated":"1970-01-01T00:00:01Z","Type":"AppRequests","Id":"a1","OperationId":"01","ParentId":"01","Name":"GET /",)"
        R"("DurationMs":2.5,"Success":true,"AppRoleName":"shop"}])",
        a1);
    readerRow("answer of the query API",
        R"({"tables":[{"name":"PrimaryResult","columns":[{"name":"timestamp","type":"datetime"},{"name":"itemType","type":"string"},)"
        R"({"name":"id","type":"string"},{"name":"operation_Id","type":"string"},{"name":"operation_ParentId","type":"string"},)"
        R"({"name":"name","type":"string"},{"name":"duration","type":"real"},{"name":"cloud_RoleName","type":"string"}],)"
        R"("rows":[["1970-01-01T00:00:01Z","request","a1","01","01","GET /",2.5,"shop"],)"
        R"(["1970-01-01T00:00:01Z","dependency","b1","01","a1","call",1,"shop"]]}]})",
        a1 + "1/b1<a1 'call' shop CLIENT 1000000000..1001000000\n");
    readerRow("rows before the columns",
        R"({"tables":[{"rows":[["1970-01-01T00:00:01Z","a1","01","GET /",2.5,"shop"]],"name":"requests",)"
        R"("columns":[{"name":"timestamp"},{"name":"id"},)"
        R"({"name":"operation_Id"},{"name":"name"},{"name":"duration"},{"name":"cloud_RoleName"}]}]})",
        a1);
    readerRow("older query API",
        R"({"Tables":[{"TableName":"requests","Columns":[{"ColumnName":"timestamp"},{"ColumnName":"id"},{"ColumnName":"operation_Id"},)"
        R"({"ColumnName":"name"},{"ColumnName":"duration"},{"ColumnName":"cloud_RoleName"}],)"
        R"("Rows":[["1970-01-01T00:00:01Z","a1","01","GET /",2.5,"shop"]]}]})",
        a1);
    readerRow("metrics",
        request("a1") + R"({"timestamp":"1970-01-01T00:00:01Z","operation_Id":"01","itemType":"performanceCounter","name":"cpu"})", a1);
    const QByteArray exception =
        R"({"timestamp":"1970-01-01T00:00:01.001Z","itemType":"exception","operation_Id":"01","operation_ParentId":"a1",)"
        R"("type":"E","outerMessage":"no"})";
    const QByteArray withException = a1.chopped(1) + " event exception@1001000000{exception.type=E, exception.message=no}\n";
    readerRow("exception behind its request", request("a1") + exception, withException);
    readerRow("exception before its request", exception + request("a1"), withException);
    readerRow("message",
        request("a1")
            + R"({"timestamp":"1970-01-01T00:00:01.001Z","itemType":"trace","operation_Id":"01","operation_ParentId":"a1",)"
              R"("message":"m","severityLevel":2})",
        a1.chopped(1) + " event m@1001000000{severity=2}\n");
    readerRow("message of no span", request("a1") + QByteArray(exception).replace("a1", "c1"), a1, "OTHER_SIGNAL:1");
}

void tst_AppInsights::fields()
{
    const auto dependency = [](const char* name, const QByteArray& more, const QByteArray& text) {
        readerRow(name,
            QByteArray(request("a1", more))
                .replace(R"("itemType":"request")", R"("itemType":"dependency")")
                .replace(R"(ParentId":"01")", R"(ParentId":"d1")"),
            "1/a1<d1 'GET /' shop " + text + "\n");
    };
    dependency("HTTP", R"(,"type":"HTTP","target":"h","data":"http://h/","resultCode":"200")",
        "CLIENT 1000000000..1002500000 {http.response.status_code=200, peer.service=h, dependency.type=HTTP, dependency.data=http://h/}");
    dependency("SQL", R"(,"type":"SQL","data":"SELECT 1")", "CLIENT 1000000000..1002500000 {dependency.type=SQL, db.query.text=SELECT 1}");
    dependency("in the process", R"(,"type":"InProc")", "INTERNAL 1000000000..1002500000 {dependency.type=InProc}");
    dependency("queue", R"(,"type":"Queue Message | Azure Service Bus")",
        "PRODUCER 1000000000..1002500000 {dependency.type=Queue Message | Azure Service Bus}");
    const auto failed = QByteArray("1/a1 'GET /' shop SERVER ERROR 1000000000..1002500000\n");
    readerRow("failure as a text", QByteArray(request("a1")).replace("\"True\"", "\"False\""), failed);
    readerRow("failure", QByteArray(request("a1")).replace("\"True\"", "false"), failed);
    readerRow("hierarchical ids",
        QByteArray(request("|root.1."))
            .replace(R"("operation_Id":"01","operation_ParentId":"01")", R"("operation_Id":"root","operation_ParentId":"|root.")"),
        "root/|root.1.<|root. 'GET /' shop SERVER 1000000000..1002500000\n");
    readerRow("dimensions", request("a1", R"(,"customDimensions":{"k":"v"},"itemCount":4)"), a1.chopped(1) + " {itemCount=4, k=v}\n");
    readerRow("dimensions as a text", request("a1", R"(,"customDimensions":"{\"k\":\"v\"}")"), a1.chopped(1) + " {k=v}\n");
    readerRow("dimensions that are no JSON", request("a1", R"(,"customDimensions":"k=v")"), a1.chopped(1) + " {properties=k=v}\n");
    readerRow("result that is no status", request("a1", R"(,"resultCode":"ok","url":"http://h/")"),
        a1.chopped(1) + " {result_code=ok, url.full=http://h/}\n");
    readerRow("unreadable duration", QByteArray(request("a1")).replace("2.5", "\"long\""), "1/a1 'GET /' shop SERVER 1000000000..?\n",
        "BAD_TIMESTAMP:1");
}

void tst_AppInsights::envelopes()
{
    const auto requestFor = [](const QByteArray& duration) {
        return envelope("RequestData",
            R"({"ver":2,"id":"b1","name":"GET /","duration":")" + duration
                + R"(","responseCode":"200","success":true,"properties":{"k":"v"}})");
    };
    const auto text = [](const QByteArray& end) {
        return "1/b1<a1 'GET /' shop SERVER 1000000000.." + end + " {http.response.status_code=200, k=v}\n";
    };
    readerRow("request", requestFor("00:00:00.0025000"), text("1002500000"));
    readerRow("days", requestFor("1.02:03:04.5"), text("93785500000000"));
    readerRow("a duration that is none", requestFor("a:b:c"), text("?"), "BAD_TIMESTAMP:1");
    readerRow("dependency",
        envelope("RemoteDependencyData", R"({"id":"b1","name":"n","duration":"00:00:01","success":false,"type":"HTTP"})"),
        "1/b1<a1 'n' shop CLIENT ERROR 1000000000..2000000000 {dependency.type=HTTP}\n");
    readerRow("exception", request("a1") + envelope("ExceptionData", R"({"exceptions":[{"typeName":"E","message":"no","stack":"f"}]})"),
        a1.chopped(1) + " event exception@1000000000{exception.type=E, exception.message=no, exception.stacktrace=f}\n");
}

void tst_AppInsights::reads()
{
    compareReading("app-insights");
}

QTEST_GUILESS_MAIN(tst_AppInsights)
#include "tst_appinsights.moc"
