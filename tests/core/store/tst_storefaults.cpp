// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What can go wrong with a workspace file: damage of every kind, a crash half-way, a full disk, other programs' files and locks.
#include "tests/core/store/plainspans.h"

#include <QtTest>

#include <sqlite3.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

using namespace chokepoint;
using namespace chokepoint::testkit;

namespace {

/// A small published workspace with \a spans.
void makeWorkspace(const std::string& path, const std::vector<PlainSpan>& spans)
{
    auto store = Store::create(path);
    if (!store || !importSpans(*store, "run", spans) || !store->publish())
        qFatal("the workspace could not be made");
}

void patchFile(const std::string& path, std::size_t at, char byte)
{
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(std::streamoff(at));
    file.put(byte);
}

void runSql(const std::string& path, const char* sql)
{
    sqlite3* db = nullptr;
    if (sqlite3_open(path.c_str(), &db) != SQLITE_OK || sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        qFatal("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

ErrorCode errorOfOpening(const std::string& path, Store::Mode mode = Store::Mode::ReadOnly)
{
    const auto store = Store::open(path, mode);
    if (store)
        qFatal("%s was opened", path.c_str());
    return store.error().code;
}

/// Reads everything there is. Returns false when something was refused; what comes back must be sound either way.
bool readsEverything(const std::string& path)
{
    const auto store = Store::open(path, Store::Mode::ReadOnly);
    if (!store)
        return false;
    bool fine = store->deployments().has_value() && store->inputs().has_value() && store->setting("rules").has_value();
    const auto columns = store->loadColumns({}, {});
    if (!columns)
        return false;
    std::size_t bytes = 0;
    const auto visit = [&](std::size_t trace, const std::vector<std::string_view>& payloads) {
        for (std::size_t i = 0; i < payloads.size(); ++i)
            bytes += decodePayload(payloads[i], columns->trace(trace).start[i], columns->dictionary->strings).attributes.size();
        return true;
    };
    fine &= store->forEachTracePayloads(*columns, visit, {}).has_value();
    for (const std::int64_t key : columns->storeKey) {
        const auto trace = store->loadTrace(key);
        fine &= trace.has_value();
        for (std::size_t i = 0; trace && i < (*trace)->size(); ++i)
            bytes += (*trace)->name(i).size() + (*trace)->payload(i).events.size();
    }
    return fine;
}

/// No file of this process may grow beyond \a bytes: to a program that looks like a full disk.
class FullDisk {
public:
    explicit FullDisk(rlim_t bytes)
    {
        std::signal(SIGXFSZ, SIG_IGN); // the write fails instead
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    ~FullDisk() { setrlimit(RLIMIT_FSIZE, &m_before); }

private:
    rlimit m_before{};
};

} // namespace

class TestStoreFaults : public QObject {
    Q_OBJECT

private slots:
    void refusesOtherFiles_data();
    void refusesOtherFiles();
    void refusesANewerVersion();
    void refusesADamagedSchema();
    void readOnlyFile();
    void survivesTruncation();
    void survivesFlippedBytes();
    void namesTheDamagedTrace();
    void droppedWriterLeavesNothing();
    void failedImportDoesNotStopTheNext();
    void crashHalfWay();
    void fullDisk();
    void createInMissingFolder();
    void lockedByAnotherProgram();
    void oneWriterAtATime();
    void commitsOnce();
};

void TestStoreFaults::refusesOtherFiles_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("code");
    QTest::newRow("empty") << QByteArray() << int(ErrorCode::NotAWorkspace);
    QTest::newRow("text") << QByteArray("{\"resourceSpans\":[]}") << int(ErrorCode::NotAWorkspace);
    QTest::newRow("the magic alone") << QByteArray("SQLite format 3\0", 16) << int(ErrorCode::NotAWorkspace);
    QTest::newRow("the magic and noise") << QByteArray("SQLite format 3\0", 16) + QByteArray(5000, 'x') << int(ErrorCode::NotAWorkspace);
}

void TestStoreFaults::refusesOtherFiles()
{
    QFETCH(const QByteArray, bytes);
    QFETCH(const int, code);
    const StoreFolder folder;
    writeFile(folder.file(), bytes.toStdString());
    QCOMPARE(int(errorOfOpening(folder.file())), code);
    QVERIFY(!Store::isWorkspace(folder.file()));
    QCOMPARE(readFile(folder.file()), bytes.toStdString());
    QCOMPARE(errorOfOpening(folder.file("missing")), ErrorCode::CannotOpen);
    QVERIFY(!Store::isWorkspace(folder.file("missing")));
    QCOMPARE(errorOfOpening(folder.file("")), ErrorCode::CannotOpen); // the folder itself

    runSql(folder.file("foreign.db"), "CREATE TABLE trace_summary(id); PRAGMA user_version = 1;");
    QCOMPARE(errorOfOpening(folder.file("foreign.db")), ErrorCode::NotAWorkspace);
    QCOMPARE(errorOfOpening(folder.file("foreign.db"), Store::Mode::ReadWrite), ErrorCode::NotAWorkspace);
    QVERIFY(!Store::isWorkspace(folder.file("foreign.db")));
}

void TestStoreFaults::refusesANewerVersion()
{
    const StoreFolder folder;
    makeWorkspace(folder.file(), randomSpans(1));
    runSql(folder.file(), "PRAGMA user_version = 1000");
    for (const Store::Mode mode : {Store::Mode::ReadOnly, Store::Mode::ReadWrite})
        QCOMPARE(errorOfOpening(folder.file(), mode), ErrorCode::WorkspaceTooNew);
    runSql(folder.file(), "PRAGMA user_version = 0");
    QCOMPARE(errorOfOpening(folder.file()), ErrorCode::WorkspaceDamaged);
}

void TestStoreFaults::refusesADamagedSchema()
{
    const StoreFolder folder;
    makeWorkspace(folder.file(), randomSpans(1));
    const std::string intact = readFile(folder.file());
    const std::vector<const char*> damages{"DELETE FROM dict_text WHERE id = 3",
        "UPDATE dict_text SET text = (SELECT text FROM dict_text WHERE id = 2) WHERE id = 3",
        "UPDATE dict_text SET text = CAST(x'ff' AS TEXT) WHERE id = 3", "UPDATE dict_resource SET packed = x'09' WHERE id = 1",
        "UPDATE dict_scope SET packed = x'' WHERE id = 1", "UPDATE seg SET data = x''", "UPDATE chunk SET data = x'01'", "DELETE FROM seg",
        "DELETE FROM chunk", "UPDATE trace_summary SET spans = spans + 1", "UPDATE trace_summary SET trace_id = x'01' WHERE id = 1",
        "DELETE FROM trace_summary WHERE id = 1", "UPDATE trace_summary SET start_ns = 'x', id_text = x'00', spans = -1",
        "UPDATE chunk SET data = (SELECT data FROM chunk WHERE id <> 1048576 LIMIT 1)"};
    for (const char* damage : damages) {
        writeFile(folder.file(), intact);
        runSql(folder.file(), damage);
        readsEverything(folder.file()); // refused or not: no crash, no endless loop
    }
    writeFile(folder.file(), intact);
    runSql(folder.file(), damages.front());
    QCOMPARE(errorOfOpening(folder.file()), ErrorCode::WorkspaceDamaged);
    QVERIFY(std::string(Store::open(folder.file(), Store::Mode::ReadOnly).error().detail).find("dict_text") != std::string::npos);
}

void TestStoreFaults::readOnlyFile()
{
    const StoreFolder folder;
    makeWorkspace(folder.file(), randomSpans(1));
    auto store = Store::open(folder.file(), Store::Mode::ReadOnly);
    QVERIFY(store.has_value());
    QCOMPARE(SpanWriter::begin(*store, "run").error().code, ErrorCode::CannotWrite);
    QCOMPARE(store->setSetting("rules", "x").error().code, ErrorCode::CannotWrite);
    QVERIFY(store->publish());
    QCOMPARE(storedByColumns(*store), describeAll(randomSpans(1)));
}

void TestStoreFaults::survivesTruncation()
{
    const StoreFolder folder;
    makeWorkspace(folder.file("whole"), randomSpans(1, {.traces = 3, .spansPerTrace = 4}));
    const std::string whole = readFile(folder.file("whole"));
    QVERIFY(readsEverything(folder.file("whole")));
    for (std::size_t size = 0; size < whole.size(); size += whole.size() / 61 + 1) {
        writeFile(folder.file(), whole.substr(0, size));
        QVERIFY2(!readsEverything(folder.file()), std::to_string(size).c_str());
    }
}

/// Every 97th byte in turn. Much of a file is free space, so many flips change nothing; none may crash or hang.
void TestStoreFaults::survivesFlippedBytes()
{
    const StoreFolder folder;
    makeWorkspace(folder.file("whole"), randomSpans(2, {.traces = 4, .spansPerTrace = 6}));
    const std::string whole = readFile(folder.file("whole"));
    writeFile(folder.file(), whole);
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole.size(); at += 97) {
        patchFile(folder.file(), at, char(whole[at] ^ 0x55));
        refused += readsEverything(folder.file()) ? 0 : 1;
        patchFile(folder.file(), at, whole[at]);
    }
    QVERIFY(readsEverything(folder.file()));
    QVERIFY(refused > 0);
}

void TestStoreFaults::namesTheDamagedTrace()
{
    const StoreFolder folder;
    makeWorkspace(folder.file(), {plainSpan(0xabc, 1, 10, 20)});
    runSql(folder.file(), "UPDATE chunk SET data = substr(data, 1, length(data) - 1) || x'7f'");
    const auto store = Store::open(folder.file(), Store::Mode::ReadOnly);
    QVERIFY(store.has_value());
    const auto key = store->findTrace("abc");
    const auto trace = store->loadTrace(key->at(0));
    QVERIFY(!trace);
    QCOMPARE(trace.error().code, ErrorCode::WorkspaceDamaged);
    QVERIFY(trace.error().detail.find("00000000000000000000000000000abc") != std::string::npos);
}

void TestStoreFaults::droppedWriterLeavesNothing()
{
    const StoreFolder folder;
    makeWorkspace(folder.file(), randomSpans(1));
    const std::string before = readFile(folder.file());
    auto store = Store::open(folder.file(), Store::Mode::ReadWrite);
    {
        auto writer = SpanWriter::begin(*store, "another", {.spans = 10});
        QVERIFY(writer.has_value());
        QVERIFY(appendSpans(*writer, randomSpans(2)));
        auto more = SpanWriter::begin(*store, "run");
        QCOMPARE(more.error().code, ErrorCode::WorkspaceBusy);
    }
    QCOMPARE(storedByColumns(*store), describeAll(randomSpans(1)));
    QCOMPARE(store->deployments()->size(), std::size_t(1));
    QCOMPARE(store->inputs()->size(), std::size_t(1));
    store = Store::open(folder.file(), Store::Mode::ReadOnly);
    QCOMPARE(storedByColumns(*store), describeAll(randomSpans(1)));
    QCOMPARE(readFile(folder.file()).size(), before.size());
}

/// One file is given up, the next is imported: into a new file, a temporary one, an existing one.
void TestStoreFaults::failedImportDoesNotStopTheNext()
{
    const StoreFolder folder;
    makeWorkspace(folder.file("existing"), {});
    std::vector<Store> stores;
    stores.push_back(std::move(*Store::create(folder.file())));
    stores.push_back(std::move(*Store::temporary()));
    stores.push_back(std::move(*Store::open(folder.file("existing"), Store::Mode::ReadWrite)));
    for (Store& store : stores) {
        QVERIFY(importSpans(store, "run", randomSpans(1)));
        {
            auto writer = SpanWriter::begin(store, "run", {.spans = 4});
            QVERIFY(writer.has_value());
            QVERIFY(appendSpans(*writer, randomSpans(2)));
        }
        QVERIFY(importSpans(store, "run", randomSpans(3)));
        std::vector<PlainSpan> expected = randomSpans(1);
        const std::vector<PlainSpan> third = randomSpans(3);
        expected.insert(expected.end(), third.begin(), third.end());
        QCOMPARE(storedByColumns(store), describeAll(expected));
        QVERIFY(store.publish());
    }
    QVERIFY(readsEverything(folder.file()));
}

/// The file and its hot journal as a killed process leaves them: the next opening undoes what was half done.
void TestStoreFaults::crashHalfWay()
{
    const StoreFolder folder;
    makeWorkspace(folder.file(), randomSpans(1));
    auto store = Store::open(folder.file(), Store::Mode::ReadWrite);
    auto writer = SpanWriter::begin(*store, "run", {.spans = 1000});
    QVERIFY(writer.has_value());
    std::vector<PlainSpan> many;
    for (std::uint64_t i = 1; i < 60000; ++i) { // more than the page cache holds, so that pages are in the file already
        many.push_back(plainSpan(i, i, 10, 20));
        many.back().payload.attributes.push_back({"text", {std::string(1200, char('a' + i % 26))}});
    }
    QVERIFY(appendSpans(*writer, many, 4096));
    QVERIFY(std::filesystem::exists(folder.file() + "-journal"));
    writeFile(folder.file("killed"), readFile(folder.file()));
    writeFile(folder.file("killed-journal"), readFile(folder.file() + "-journal"));
    QVERIFY(readFile(folder.file("killed")).size() > 10'000'000);

    const auto revived = Store::open(folder.file("killed"), Store::Mode::ReadWrite);
    QVERIFY2(revived.has_value(), revived ? "" : revived.error().message().c_str());
    QCOMPARE(storedByColumns(*revived), describeAll(randomSpans(1)));
    QVERIFY(!std::filesystem::exists(folder.file("killed-journal")));
}

/// While reading, while committing; a new file, an existing one, a copy. The store stays usable.
void TestStoreFaults::fullDisk()
{
    const StoreFolder folder;
    makeWorkspace(folder.file("existing"), randomSpans(1));
    std::vector<PlainSpan> many = randomSpans(5, {.traces = 400, .spansPerTrace = 10});
    for (PlainSpan& span : many) // too large for the page cache, so that the import writes long before its end
        span.payload.attributes.push_back({"text", {std::string(60000, 'x')}});

    for (const std::size_t window : {std::size_t(10), std::size_t(131072)}) {
        auto created = Store::create(folder.file());
        auto existing = Store::open(folder.file("existing"), Store::Mode::ReadWrite);
        {
            const FullDisk full(2'000'000);
            for (Store* store : {&*created, &*existing}) {
                const auto written = importSpans(*store, "run", many, {.batch = 100, .window = {.spans = window}});
                QVERIFY(!written);
                QCOMPARE(written.error().code, ErrorCode::CannotWrite);
            }
        }
        QCOMPARE(storedByColumns(*created), std::vector<std::string>{});
        QCOMPARE(storedByColumns(*existing), describeAll(randomSpans(1)));
        QVERIFY(importSpans(*created, "run", randomSpans(3)));
        QCOMPARE(storedByColumns(*created), describeAll(randomSpans(3)));
    }
    QCOMPARE(folder.names(), std::vector<std::string>{"existing"});
    QVERIFY(readsEverything(folder.file("existing")));

    const auto existing = Store::open(folder.file("existing"), Store::Mode::ReadOnly);
    const FullDisk full(20'000);
    QCOMPARE(existing->copyTo(folder.file("copy")).error().code, ErrorCode::CannotWrite);
    QCOMPARE(folder.names(), std::vector<std::string>{"existing"});
}

void TestStoreFaults::createInMissingFolder()
{
    const StoreFolder folder;
    const auto store = Store::create(folder.file("missing/x.chokepoint"));
    QVERIFY(!store);
    QCOMPARE(store.error().code, ErrorCode::CannotWrite);
    QCOMPARE(store.error().place.file, folder.file("missing/x.chokepoint"));
}

void TestStoreFaults::lockedByAnotherProgram()
{
    const StoreFolder folder;
    makeWorkspace(folder.file(), randomSpans(1));
    sqlite3* other = nullptr;
    QCOMPARE(sqlite3_open(folder.file().c_str(), &other), SQLITE_OK);
    QCOMPARE(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
    QCOMPARE(errorOfOpening(folder.file()), ErrorCode::WorkspaceBusy);
    sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);

    auto store = Store::open(folder.file(), Store::Mode::ReadWrite);
    QCOMPARE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    QCOMPARE(SpanWriter::begin(*store, "run").error().code, ErrorCode::WorkspaceBusy);
    QCOMPARE(storedByColumns(*store), describeAll(randomSpans(1))); // reading goes on
    sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
    sqlite3_close(other);
    QVERIFY(importSpans(*store, "run", randomSpans(2)));
}

void TestStoreFaults::oneWriterAtATime()
{
    auto store = Store::temporary();
    {
        auto writer = SpanWriter::begin(*store, "run");
        QVERIFY(writer.has_value());
        QCOMPARE(SpanWriter::begin(*store, "run").error().code, ErrorCode::WorkspaceBusy);
        QCOMPARE(store->loadColumns({}, {}).error().code, ErrorCode::WorkspaceBusy);
        QCOMPARE(store->setSetting("a", "b").error().code, ErrorCode::WorkspaceBusy);
    }
    QVERIFY(SpanWriter::begin(*store, "run").has_value());
}

void TestStoreFaults::commitsOnce()
{
    auto store = Store::temporary();
    auto writer = SpanWriter::begin(*store, "run");
    QVERIFY(writer.has_value());
    QVERIFY(appendSpans(*writer, randomSpans(1)));
    QVERIFY(writer->commit({}));
    QVERIFY(!writer->commit({}));
    QVERIFY(!appendSpans(*writer, randomSpans(2)));
    QCOMPARE(storedByColumns(*store), describeAll(randomSpans(1)));
}

QTEST_GUILESS_MAIN(TestStoreFaults)
#include "tst_storefaults.moc"
