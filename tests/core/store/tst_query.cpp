// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// SQL over a workspace: what each table says, what is looked up instead of scanned, what is refused; and the loadable extension.
#include "core/store/query.h"
#include "tests/core/store/plainspans.h"

#include <QtTest>

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

std::string textOf(const SqlValue& value)
{
    struct Visitor {
        std::string operator()(std::monostate) const { return "NULL"; }
        std::string operator()(std::int64_t number) const { return std::to_string(number); }
        std::string operator()(double number) const { return fmt::format("{}", number); }
        std::string operator()(const std::string& text) const { return text; }
    };
    return std::visit(Visitor{}, value);
}

/// Rows as "a|b|c", after the header; or the error's name as the one row.
std::vector<std::string> query(const std::string& path, const std::string& sql)
{
    std::vector<std::string> lines;
    const auto onHeader = [&](const std::vector<std::string>& columns) {
        lines.push_back(fmt::format("{}", fmt::join(columns, "|")));
        return true;
    };
    const auto onRow = [&](const std::vector<SqlValue>& row) {
        std::vector<std::string> texts;
        std::transform(row.begin(), row.end(), std::back_inserter(texts), textOf);
        lines.push_back(fmt::format("{}", fmt::join(texts, "|")));
        return true;
    };
    if (const auto done = runQuery(path, sql, onHeader, onRow, {}); !done)
        return {errorCodeName(done.error().code)};
    return lines;
}

using Lines = std::vector<std::string>;

/// As one text, which Qt Test shows when a comparison fails.
QString shown(const Lines& lines)
{
    return QString::fromStdString(fmt::format("{}", fmt::join(lines, "\n")));
}

/// A published workspace with smallPopulation().
class Workspace {
public:
    Workspace()
    {
        auto store = Store::create(path());
        if (!store || !importSpans(*store, "run", smallPopulation()) || !store->publish())
            qFatal("the workspace could not be made");
    }
    [[nodiscard]] std::string path() const { return m_folder.file(); }
    [[nodiscard]] const StoreFolder& folder() const { return m_folder; }

private:
    StoreFolder m_folder;
};

} // namespace

class TestQuery : public QObject {
    Q_OBJECT

private slots:
    void tables_data();
    void tables();
    void looksUpInsteadOfScanning_data();
    void looksUpInsteadOfScanning();
    void agreesWithTheStore();
    void summariesDoNotDependOnTheWindow();
    void everyLookupAgreesWithAScan();
    void refuses_data();
    void refuses();
    void refusalsLeaveTheFileAlone();
    void pointsAtTheMistake();
    void lastSelectCounts();
    void stopsWhenTold();
    void refusesOtherFiles();
    void damagedBlockIsReported();
    void extension();

private:
    Workspace m_workspace;
};

void TestQuery::tables_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QStringList>("rows");
    QTest::newRow("span")
        << "SELECT trace_id, span_id, parent_span_id, name, service, kind, status, status_message, start_ns, end_ns, duration_ns, "
           "first_token_ns, deployment, scope_name, scope_version, trace_state FROM span ORDER BY start_ns"
        << QStringList{"000000000000000000000000000000a1|0000000000000011|NULL|POST "
                       "/chat|api|SERVER|UNSET|NULL|1000|5000|4000|NULL|run|fastapi|1.0|NULL",
               "000000000000000000000000000000a1|0000000000000012|0000000000000011|chat|NULL|CLIENT|ERROR|429|2000|4500|2500|2500|run|NULL|"
               "NULL|v=1",
               "run 7|step/1|NULL|chat|NULL|UNSPECIFIED|UNSET|NULL|3000|NULL|NULL|NULL|run|NULL|NULL|NULL"};
    QTest::newRow("attribute")
        << "SELECT key, type, value, typeof(value), position FROM attribute WHERE span_id = '0000000000000012' ORDER BY position"
        << QStringList{"model|string|gpt-4o|text|0", "tokens|int|17|integer|1", "temperature|double|0.5|real|2", "stream|bool|1|integer|3",
               "raw|bytes|01ff|blob|4", "none|empty|NULL|null|5", "tags|array|[\"a\",1]|text|6", "big|number|99999999999999999999|text|7"};
    QTest::newRow("event") << "SELECT trace_id, span_id, position, time_ns, name, attributes, dropped_attributes FROM event"
                           << QStringList{"000000000000000000000000000000a1|0000000000000012|0|2500|first token|{\"index\":0}|2"};
    QTest::newRow("link")
        << "SELECT span_id, position, linked_trace_id, linked_span_id, trace_state, attributes, dropped_attributes FROM link"
        << QStringList{"0000000000000012|0|000000000000000000000000000000b2|0000000000000021|w=2|{}|0"};
    QTest::newRow("resource") << "SELECT resource_id, service, key, type, value, position FROM resource"
                              << QStringList{"1|api|service.name|string|api|0", "1|api|replicas|int|3|1"};
    QTest::newRow("trace")
        << "SELECT trace_id, deployment, start_ns, duration_ns, e2e_ns, spans, errors, root_name, service FROM trace ORDER BY start_ns"
        << QStringList{"000000000000000000000000000000a1|run|1000|4000|4000|2|1|POST /chat|api", "run 7|run|3000|0|NULL|1|0|chat|"};
    QTest::newRow("join") << "SELECT s.name, a.value FROM span s JOIN attribute a ON a.span_key = s.span_key AND a.key = 'model' ORDER BY 2"
                          << QStringList{"chat|gpt-4o", "chat|gpt-4o-mini"};
    QTest::newRow("join with resource")
        << "SELECT s.span_id, r.value FROM span s JOIN resource r USING(resource_id) WHERE r.key = 'replicas'"
        << QStringList{"0000000000000011|3"};
    QTest::newRow("group") << "SELECT name, count(*), sum(duration_ns) FROM span GROUP BY name"
                           << QStringList{"POST /chat|1|4000", "chat|2|2500"};
}

void TestQuery::tables()
{
    QFETCH(const QString, sql);
    QFETCH(const QStringList, rows);
    Lines lines = query(m_workspace.path(), sql.toStdString());
    QVERIFY(!lines.empty());
    lines.erase(lines.begin()); // the header
    Lines expected;
    for (const QString& row : rows)
        expected.push_back(row.toStdString());
    QCOMPARE(shown(lines), shown(expected));
}

void TestQuery::looksUpInsteadOfScanning_data()
{
    QTest::addColumn<QString>("where");
    QTest::addColumn<int>("plan"); // SpanPlan
    QTest::newRow("everything") << "1" << 0;
    QTest::newRow("trace id") << "trace_id = 'ab'" << 4;
    QTest::newRow("trace ids") << "trace_id IN ('ab', 'cd')" << 4;
    QTest::newRow("trace key") << "trace_key = 1" << 2;
    QTest::newRow("span key") << "span_key = 1" << 1;
    QTest::newRow("span key before trace key") << "trace_key = 1 AND span_key = 1" << 1;
    QTest::newRow("attribute key") << "key = 'model'" << 8;
    QTest::newRow("attribute key of a trace") << "key = 'model' AND trace_id = 'ab'" << 12;
    QTest::newRow("another comparison") << "trace_id COLLATE NOCASE = 'ab'" << 0;
    QTest::newRow("a range") << "trace_key > 1" << 0;
}

void TestQuery::looksUpInsteadOfScanning()
{
    QFETCH(const QString, where);
    QFETCH(const int, plan);
    const Lines lines = query(m_workspace.path(), "EXPLAIN QUERY PLAN SELECT * FROM attribute WHERE " + where.toStdString());
    QCOMPARE(lines.size(), std::size_t(2));
    const std::string expected = fmt::format("VIRTUAL TABLE INDEX {}:", plan);
    QVERIFY2(lines.back().find(expected) != std::string::npos, lines.back().c_str());
    // Storage order is the order of keys, so nothing has to be sorted.
    const Lines ordered = query(m_workspace.path(), "EXPLAIN QUERY PLAN SELECT * FROM span ORDER BY span_key");
    QCOMPARE(ordered.size(), std::size_t(2));
}

void TestQuery::agreesWithTheStore()
{
    const StoreFolder folder;
    const std::vector<PlainSpan> spans = randomSpans(21, {.traces = 50, .spansPerTrace = 40});
    auto store = Store::create(folder.file());
    QVERIFY(store && importSpans(*store, "run", spans, {.batch = 9, .window = {.spans = 50}}) && store->publish());
    std::size_t attributes = 0;
    std::size_t events = 0;
    std::size_t links = 0;
    for (const PlainSpan& span : spans) {
        attributes += span.payload.attributes.size();
        events += span.payload.events.size();
        links += span.payload.links.size();
    }
    const std::string sql = "SELECT (SELECT count(*) FROM span), (SELECT count(*) FROM attribute), (SELECT count(*) FROM event), "
                            "(SELECT count(*) FROM link), (SELECT count(*) FROM trace), (SELECT count(DISTINCT span_key) FROM span)";
    QCOMPARE(query(folder.file(), sql).at(1), fmt::format("{}|{}|{}|{}|50|{}", spans.size(), attributes, events, links, spans.size()));
    // The summary of each trace is what its spans say.
    QCOMPARE(query(folder.file(),
                 "SELECT count(*) FROM trace t WHERE spans <> (SELECT count(*) FROM span s WHERE s.trace_key = t.trace_key) "
                 "OR errors <> (SELECT count(*) FROM span s WHERE s.trace_key = t.trace_key AND status = 'ERROR') "
                 "OR start_ns IS NOT (SELECT min(start_ns) FROM span s WHERE s.trace_key = t.trace_key)")
                 .at(1),
        std::string("0"));
}

void TestQuery::summariesDoNotDependOnTheWindow()
{
    std::vector<PlainSpan> spans = randomSpans(23, {.traces = 12, .spansPerTrace = 40});
    const auto summaries = [&](std::size_t window) {
        const StoreFolder folder;
        auto store = Store::create(folder.file());
        if (!store || !importSpans(*store, "run", spans, {.batch = 5, .window = {.spans = window}}) || !store->publish())
            qFatal("the workspace could not be made");
        return query(folder.file(),
            "SELECT trace_id, start_ns, duration_ns, e2e_ns, spans, errors, root_name, service FROM trace ORDER BY trace_id");
    };
    const Lines whole = summaries(131072);
    QCOMPARE(whole.size(), std::size_t(13));
    for (const std::size_t window : {std::size_t(1), std::size_t(7), std::size_t(100)})
        QCOMPARE(shown(summaries(window)), shown(whole));
    std::reverse(spans.begin(), spans.end());
    QCOMPARE(shown(summaries(7)), shown(whole));
}

/// The same rows, whether a constraint is looked up or kept away from the table by a LIMIT.
void TestQuery::everyLookupAgreesWithAScan()
{
    const StoreFolder folder;
    auto store = Store::create(folder.file());
    QVERIFY(store && importSpans(*store, "run", randomSpans(22)) && importSpans(*store, "other", randomSpans(22)) && store->publish());
    const Lines values{"1", "3", "'3'", "3.0", "3.5", "NULL", "-1", "9223372036854775807", "4294967296", "12884901889", "'key.1'", "x'31'",
        "(SELECT max(span_key) FROM span)", "(SELECT max(trace_key) FROM span)", "(SELECT max(trace_id) FROM span)",
        "(SELECT min(trace_id) FROM span)", "'00000000000000000000000000000001'", "'1'", "''", "'run/22-1'"};
    for (const char* table : {"span", "attribute", "event", "link"})
        for (const char* column : {"span_key", "trace_key", "trace_id", "key"})
            for (const std::string& value : values) {
                if (std::string_view(column) == "key" && std::string_view(table) != "attribute")
                    continue;
                const auto count = [&](const std::string& source) {
                    const std::string sql =
                        fmt::format("SELECT count(*), sum(span_key), min(span_id) FROM {} WHERE {} = {}", source, column, value);
                    return query(folder.file(), sql).at(1);
                };
                const std::string lookedUp = count(table);
                const std::string scanned = count(fmt::format("(SELECT * FROM {} LIMIT -1 OFFSET 0)", table));
                QVERIFY2(lookedUp == scanned, fmt::format("{}.{} = {}: {} against {}", table, column, value, lookedUp, scanned).c_str());
            }
}

void TestQuery::refuses_data()
{
    QTest::addColumn<QString>("sql");
    for (const char* sql : {"DELETE FROM chunk", "INSERT INTO setting VALUES('a', 'b')", "UPDATE trace_summary SET spans = 0",
             "DROP TABLE seg", "CREATE TABLE t(x)", "CREATE TEMP TABLE t(x)", "CREATE VIEW v AS SELECT 1",
             "ATTACH '/tmp/other.db' AS other", "DETACH main", "VACUUM", "VACUUM INTO '/tmp/x.db'", "PRAGMA user_version = 5",
             "PRAGMA journal_mode = WAL", "PRAGMA writable_schema = ON", "PRAGMA query_only", "BEGIN", "COMMIT", "SAVEPOINT a", "REINDEX",
             "ANALYZE", "SELECT load_extension('x')", "INSERT INTO span VALUES(1)", "DELETE FROM attribute", "SELECT 1; DELETE FROM chunk",
             "SELEC 1", "SELECT * FROM nowhere", "SELECT nothing FROM span", "", "  -- nothing\n", "SELECT abs(-9223372036854775808)"})
        QTest::newRow(sql) << QString::fromUtf8(sql);
}

void TestQuery::refuses()
{
    QFETCH(const QString, sql);
    QCOMPARE(query(m_workspace.path(), sql.toStdString()), Lines{errorCodeName(ErrorCode::InvalidQuery)});
}

void TestQuery::refusalsLeaveTheFileAlone()
{
    const std::string before = readFile(m_workspace.path());
    query(m_workspace.path(), "DELETE FROM chunk");
    query(m_workspace.path(), "SELECT * FROM span; DROP TABLE chunk");
    QVERIFY(readFile(m_workspace.path()) == before);
    QCOMPARE(m_workspace.folder().names(), Lines{"test.chokepoint"});
    QCOMPARE(query(m_workspace.path(), "PRAGMA user_version"), (Lines{"user_version", "1"}));
    QCOMPARE(query(m_workspace.path(), "PRAGMA integrity_check"), (Lines{"integrity_check", "ok"}));
}

void TestQuery::pointsAtTheMistake()
{
    const auto ignore = [](const auto&) { return true; };
    const auto done = runQuery(m_workspace.path(), "SELECT 1;\nSELECT nme FROM span", ignore, ignore, {});
    QVERIFY(!done);
    QCOMPARE(done.error().place.byte.value_or(0), std::uint64_t(17));
    QVERIFY2(done.error().detail.find("nme") != std::string::npos, done.error().detail.c_str());
}

void TestQuery::lastSelectCounts()
{
    QCOMPARE(query(m_workspace.path(), "SELECT 1 AS a; SELECT 2 AS b, 'x' AS c; "), (Lines{"b|c", "2|x"}));
    QCOMPARE(query(m_workspace.path(), "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n"),
        (Lines{"i", "1", "2", "3"}));
    QCOMPARE(query(m_workspace.path(), "SELECT name FROM span WHERE 0"), Lines{"name"}); // a header without rows
    QCOMPARE(query(m_workspace.path(), "SELECT x'00ff' AS b, char(0) || 'z' AS t"), (Lines{"b|t", std::string("00ff|\0z", 7)}));
}

void TestQuery::stopsWhenTold()
{
    int rows = 0;
    const auto header = [](const auto&) { return true; };
    QVERIFY(runQuery(m_workspace.path(), "SELECT * FROM span", header, [&](const auto&) { return ++rows < 2; }, {}));
    QCOMPARE(rows, 2);
    std::stop_source stop;
    const auto endless = "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    const auto onRow = [&](const auto&) {
        stop.request_stop();
        return true;
    };
    const auto done = runQuery(m_workspace.path(), endless, header, onRow, JobControl(stop.get_token()));
    QVERIFY(!done);
    QCOMPARE(done.error().code, ErrorCode::Cancelled);
}

void TestQuery::refusesOtherFiles()
{
    const StoreFolder folder;
    QCOMPARE(query(folder.file(), "SELECT 1"), Lines{errorCodeName(ErrorCode::CannotOpen)});
    writeFile(folder.file(), "text");
    QCOMPARE(query(folder.file(), "SELECT 1"), Lines{errorCodeName(ErrorCode::NotAWorkspace)});
}

void TestQuery::damagedBlockIsReported()
{
    const StoreFolder folder;
    writeFile(folder.file(), readFile(m_workspace.path()));
    sqlite3* db = nullptr;
    QCOMPARE(sqlite3_open(folder.file().c_str(), &db), SQLITE_OK);
    QCOMPARE(sqlite3_exec(db, "UPDATE chunk SET data = substr(data, 1, 20)", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
    for (const char* table : {"span", "attribute", "event", "link"})
        QCOMPARE(
            query(folder.file(), fmt::format("SELECT * FROM {}", table)).back(), std::string(errorCodeName(ErrorCode::WorkspaceDamaged)));
}

/// The module that the sqlite3 shell loads says what runQuery says.
void TestQuery::extension()
{
    sqlite3* db = nullptr;
    QCOMPARE(sqlite3_open_v2(m_workspace.path().c_str(), &db, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, nullptr);
    char* message = nullptr;
    const int loaded = sqlite3_load_extension(db, CHOKEPOINT_EXTENSION, nullptr, &message);
    QVERIFY2(loaded == SQLITE_OK, message);
    for (const char* table : {"span", "attribute", "event", "link", "resource", "trace"}) {
        const std::string sql = fmt::format("SELECT * FROM {}", table);
        Lines lines;
        const auto collect = [](void* to, int count, char** values, char**) {
            std::vector<std::string> texts;
            for (int i = 0; i < count; ++i)
                texts.emplace_back(values[i] != nullptr ? values[i] : "NULL");
            static_cast<Lines*>(to)->push_back(fmt::format("{}", fmt::join(texts, "|")));
            return 0;
        };
        QVERIFY2(sqlite3_exec(db, sql.c_str(), collect, &lines, nullptr) == SQLITE_OK, sqlite3_errmsg(db));
        Lines expected = query(m_workspace.path(), sql);
        expected.erase(expected.begin());
        for (std::string& line : expected) // the one blob: as text here, as hex there
            if (const auto at = line.find("|01ff|"); at != std::string::npos)
                line.replace(at, 6, "|\x01\xff|");
        QCOMPARE(shown(lines), shown(expected));
    }
    sqlite3_close(db);

    sqlite3* foreign = nullptr;
    QCOMPARE(sqlite3_open(":memory:", &foreign), SQLITE_OK);
    sqlite3_db_config(foreign, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, nullptr);
    QCOMPARE(sqlite3_load_extension(foreign, CHOKEPOINT_EXTENSION, nullptr, nullptr), SQLITE_OK);
    QCOMPARE(sqlite3_exec(foreign, "SELECT * FROM span", nullptr, nullptr, nullptr), SQLITE_ERROR);
    QVERIFY(std::string(sqlite3_errmsg(foreign)).find("not a Chokepoint workspace") != std::string::npos);
    sqlite3_close(foreign);
}

QTEST_GUILESS_MAIN(TestQuery)
#include "tst_query.moc"
