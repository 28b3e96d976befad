// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Containers, limits, damage, files and directories.
#include "core/import/bytesource.h"
#include "core/import/readinput.h"
#include "tests/core/import/importtext.h"
#include "tests/core/import/packing.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <archive.h>

using namespace chokepoint;
using namespace chokepoint::testing;

namespace {

struct Unfolded {
    std::string bytes;
    std::string compression;
    std::string error;
    bool damaged = false;
};

/// \a blockSize is what comes from below at most, \a pullSize what is asked for above.
Unfolded unfold(std::string_view bytes, std::size_t blockSize = 0, ByteLimits limits = {}, std::size_t pullSize = 1000)
{
    Unfolded result;
    const auto source = ByteSource::openMemory(bytes, blockSize, limits);
    if (!source) {
        result.error = errorCodeName(source.error().code);
        return result;
    }
    Result<std::size_t> got = 0;
    do {
        got = (*source)->append(result.bytes, pullSize);
    } while (got && *got != 0);
    if (!got)
        result.error = errorCodeName(got.error().code);
    result.compression = (*source)->compression();
    result.damaged = (*source)->damage().has_value();
    return result;
}

std::string numbered(int lines)
{
    std::string text;
    for (int i = 0; i < lines; ++i)
        text += "line " + std::to_string(i) + '\n';
    return text;
}

const std::string skippableFrame("\x52\x2a\x4d\x18\x03\x00\x00\x00"
                                 "abc",
    11);

std::string request(const char* spanId)
{
    return std::string(R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01","spanId":")") + spanId
        + R"(","name":"n","startTimeUnixNano":1,"endTimeUnixNano":2}]}]}]})";
}

void write(const QString& path, const std::string& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes.data(), qint64(bytes.size())), qint64(bytes.size()));
}

} // namespace

class tst_ByteSource : public QObject {
    Q_OBJECT

private slots:
    void containers_data();
    void containers();
    void truncation();
    void damage_data();
    void damage();
    void trailingBytes();
    void limits();
    void peeking();
    void archivesOfTraces();
    void files();
    void standardInput();
    void directories();
};

void tst_ByteSource::containers_data()
{
    QTest::addColumn<QByteArray>("packed");
    QTest::addColumn<QByteArray>("plain");
    QTest::addColumn<QByteArray>("compression");
    const std::string a = numbered(500);
    const std::string b = "second\n";
    const auto row = [](const char* name, const std::string& packed, const std::string& plain, const char* compression) {
        QTest::newRow(name) << QByteArray::fromStdString(packed) << QByteArray::fromStdString(plain) << QByteArray(compression);
    };
    row("plain", a, a, "none");
    row("empty", "", "", "none");
    row("gzip", gzipped(a), a, "gzip");
    row("gzip, three members", gzipped(a) + gzipped("") + gzipped(b), a + b, "gzip");
    row("gzip, padded with zeros", gzipped(a) + std::string(512, '\0'), a, "gzip");
    row("zstd", zstdCompressed(a), a, "zstd");
    row("zstd, frames and skippable frames", skippableFrame + zstdCompressed(a) + skippableFrame + zstdCompressed(b), a + b, "zstd");
    row("xz", archived(ARCHIVE_FILTER_XZ, ARCHIVE_FORMAT_RAW, {{"x", a}}), a, "xz");
    row("bzip2", archived(ARCHIVE_FILTER_BZIP2, ARCHIVE_FORMAT_RAW, {{"x", a}}), a, "bzip2");
    row("lz4", archived(ARCHIVE_FILTER_LZ4, ARCHIVE_FORMAT_RAW, {{"x", a}}), a, "lz4");
    row("gzip in zstd", zstdCompressed(gzipped(a)), a, "zstd+gzip");
    row("three deep", gzipped(gzipped(gzipped(a))), a, "gzip+gzip+gzip");
    row("tar", archived(ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_TAR_USTAR, {{"x", a}}), a, "tar");
    row("tar.gz", archived(ARCHIVE_FILTER_GZIP, ARCHIVE_FORMAT_TAR_USTAR, {{"x", a}}), a, "gzip+tar");
    row("zip", archived(ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_ZIP, {{"x", a}}), a, "zip");
}

void tst_ByteSource::containers()
{
    QFETCH(QByteArray, packed);
    QFETCH(QByteArray, plain);
    QFETCH(QByteArray, compression);
    for (const std::size_t block : {0, 1, 7, 4096}) {
        const Unfolded got = unfold(packed.toStdString(), block);
        QCOMPARE(QByteArray::fromStdString(got.error), QByteArray());
        QCOMPARE(QByteArray::fromStdString(got.bytes), plain);
        QCOMPARE(QByteArray::fromStdString(got.compression), compression);
        QVERIFY(!got.damaged);
    }
}

/// What came before the cut is handed out, and the cut is told; without a byte to hand out it is an error.
void tst_ByteSource::truncation()
{
    const std::string plain = numbered(200000);
    for (const std::string& packed :
        {gzipped(plain), zstdCompressed(plain), archived(ARCHIVE_FILTER_XZ, ARCHIVE_FORMAT_RAW, {{"x", plain}})}) {
        const Unfolded half = unfold(std::string_view(packed).substr(0, packed.size() / 2));
        QVERIFY(half.damaged);
        QVERIFY(!half.bytes.empty() && half.bytes.size() < plain.size());
        QVERIFY(plain.starts_with(half.bytes));
        const Unfolded head = unfold(std::string_view(packed).substr(0, 20));
        QCOMPARE(head.error, std::string("CANNOT_READ"));
    }
    std::string damaged = gzipped(plain);
    damaged[damaged.size() / 2] = char(damaged[damaged.size() / 2] ^ 0x55);
    QVERIFY(unfold(damaged).damaged);
}

void tst_ByteSource::damage_data()
{
    QTest::addColumn<QByteArray>("packed");
    const std::string plain = numbered(400000); // several blocks of every codec
    const auto row = [](const char* name, std::string packed, std::size_t at) {
        std::string cut = packed.substr(0, at);
        packed[at] = char(packed[at] ^ 0x55);
        QTest::addRow("%s, a byte changed", name) << QByteArray::fromStdString(packed);
        QTest::addRow("%s, cut", name) << QByteArray::fromStdString(cut);
    };
    // The checksum at the end of gzip data comes after all of the text; the text of small data lies in one block.
    const std::string small = gzipped("{}\n");
    row("gzip", gzipped(plain), gzipped(plain).size() / 2);
    row("gzip, its checksum", small, small.size() - 6);
    const std::string blocks = zstdCompressed(plain);
    row("zstd", blocks, blocks.size() - 60);
    for (const auto& [name, filter] : {std::pair("xz", ARCHIVE_FILTER_XZ), {"bzip2", ARCHIVE_FILTER_BZIP2}, {"lz4", ARCHIVE_FILTER_LZ4}}) {
        const std::string packed = archived(filter, ARCHIVE_FORMAT_RAW, {{"x", plain}});
        row(name, packed, packed.size() - packed.size() / 16);
    }
    const std::string zip = archived(ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_ZIP, {{"x", plain}});
    row("zip", zip, zip.size() / 2);
}

/// Found by fuzz_otlp_json: how much comes before a fault does not depend on how the bytes arrive and are asked for.
void tst_ByteSource::damage()
{
    QFETCH(QByteArray, packed);
    const Unfolded whole = unfold(packed.toStdString(), 0, {}, std::size_t(16) << 20);
    QVERIFY(whole.damaged && !whole.bytes.empty());
    for (const std::size_t size : {999, 65536}) {
        QVERIFY(unfold(packed.toStdString(), size).bytes == whole.bytes);
        QVERIFY(unfold(packed.toStdString(), 0, {}, size).bytes == whole.bytes);
    }
}

void tst_ByteSource::trailingBytes()
{
    for (const std::string& packed : {gzipped("text\n"), zstdCompressed("text\n")}) {
        const std::string bytes = packed + "made by hand";
        const auto source = ByteSource::openMemory(bytes);
        QVERIFY(source);
        std::string text;
        QVERIFY((*source)->append(text, 100));
        QCOMPARE(text, std::string("text\n"));
        QCOMPARE((*source)->diagnostics().count(DiagnosticCode::TrailingData), 1ULL);
        QVERIFY(!(*source)->damage());
    }
}

void tst_ByteSource::limits()
{
    QCOMPARE(unfold(gzipped(gzipped(gzipped(gzipped("x"))))).error, std::string("LIMIT_EXCEEDED"));
    ByteLimits small;
    small.total = 1000;
    QCOMPARE(unfold(numbered(500), 0, small).error, std::string("LIMIT_EXCEEDED"));
    ByteLimits flat;
    flat.ratio = 100;
    const std::string bomb = zstdCompressed(std::string(std::size_t(80) << 20, ' '));
    QCOMPARE(unfold(bomb, 0, flat).error, std::string("LIMIT_EXCEEDED"));
}

void tst_ByteSource::peeking()
{
    const std::string packed = gzipped("0123456789");
    const auto source = ByteSource::openMemory(packed, 3);
    QVERIFY(source);
    QCOMPARE(std::string((*source)->peek(4).value_or("")), std::string("0123"));
    char two[2];
    QCOMPARE((*source)->read(two, 2).value_or(0), std::size_t(2));
    QCOMPARE(std::string((*source)->peek(100).value_or("")), std::string("23456789"));
    std::string rest;
    QCOMPARE((*source)->append(rest, 100).value_or(0), std::size_t(8));
    QCOMPARE((*source)->count().decompressed, 10ULL);
    QCOMPARE((*source)->count().onDisk, std::uint64_t(packed.size()));
}

/// Every trace file in an archive is read; others are passed over.
void tst_ByteSource::archivesOfTraces()
{
    const std::string packed = archived(ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_ZIP,
        {{"README.md", "# notes\n"}, {"a.json", request("a1")}, {"b.json.gz", gzipped(request("a2"))}});
    const ImportText got = importText(packed);
    QCOMPARE(got.spans, std::string("1/a1 'n' 1..2\n1/a2 'n' 1..2\n"));
    QCOMPARE(got.format, std::string("otlp-json"));
    const ImportText none = importText(archived(ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_ZIP, {{"README.md", "# notes\n"}}));
    QCOMPARE(none.format, std::string("UNRECOGNIZED_FORMAT"));
    QVERIFY(none.message.find("README.md") != std::string::npos);
}

void tst_ByteSource::files()
{
    QTemporaryDir dir;
    const auto codeOf = [](const QString& path) {
        const auto source = ByteSource::openFile(path.toStdString());
        return source ? std::string("opened") : std::string(errorCodeName(source.error().code));
    };
    QCOMPARE(codeOf(dir.filePath("none")), std::string("CANNOT_OPEN"));
    QCOMPARE(codeOf(dir.path()), std::string("CANNOT_OPEN"));
    write(dir.filePath("a.json"), request("a1"));
    QCOMPARE(codeOf(dir.filePath("a.json")), std::string("opened"));
    Dictionary dictionary;
    const auto report = readInput(
        dir.filePath("a.json").toStdString(), dictionary, [](SpanBatch&) -> Result<void> { return {}; }, JobControl{});
    QVERIFY(report);
    QCOMPARE(report->spans, 1ULL);
    QCOMPARE(report->bytes, std::uint64_t(request("a1").size()));
    const auto missing = readInput(
        dir.filePath("none").toStdString(), dictionary, [](SpanBatch&) -> Result<void> { return {}; }, JobControl{});
    QVERIFY(!missing);
    QCOMPARE(missing.error().place.file, dir.filePath("none").toStdString());
}

/// A file that is redirected tells its size, of what is left of it; other things do not.
void tst_ByteSource::standardInput()
{
    QTemporaryDir dir;
    const QString path = dir.filePath("a.jsonl");
    const std::string lines = request("a1") + "\n" + request("a2") + "\n";
    write(path, lines);
    for (const std::size_t passed : {std::size_t(0), request("a1").size() + 1}) {
        QVERIFY(std::freopen(path.toStdString().c_str(), "rb", stdin) != nullptr);
        QCOMPARE(std::fseek(stdin, long(passed), SEEK_SET), 0);
        const auto source = ByteSource::openStandardInput();
        QVERIFY(source);
        QCOMPARE((*source)->count().total, std::uint64_t(lines.size() - passed));
        std::string bytes;
        while ((*source)->append(bytes, lines.size()).value_or(0) != 0) { }
        QCOMPARE(bytes, lines.substr(passed));
    }
    QVERIFY(std::freopen("/dev/null", "rb", stdin) != nullptr);
    const auto source = ByteSource::openStandardInput();
    QVERIFY(source);
    QCOMPARE((*source)->count().total, std::uint64_t(0));
}

void tst_ByteSource::directories()
{
    QTemporaryDir dir;
    QVERIFY(QDir(dir.path()).mkpath("sub"));
    for (const char* name :
        {"traces.jsonl", "traces-2026-11-30T07-00-00.000.jsonl", "traces-2026-11-30T06-00-00.000.jsonl", "sub/other.json", "b.json"})
        write(dir.filePath(name), request("a1"));
    write(dir.filePath("README.md"), "# notes\n");
    write(dir.filePath("empty.json"), "");
    QVERIFY(QDir(dir.path()).mkpath(".git/sub"));
    for (const char* name : {".hidden.json", ".git/a.json", ".git/sub/a.json"})
        write(dir.filePath(name), request("a1"));
    write(dir.filePath("sub/late.zip"),
        archived(ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_ZIP, {{"README.txt", "# notes\n"}, {"a.json", request("a1")}}));
    write(dir.filePath("sub/notes.zip"),
        archived(ARCHIVE_FILTER_NONE, ARCHIVE_FORMAT_ZIP, {{"README.txt", "# notes\n"}, {"b.txt", "none\n"}}));
    std::vector<Error> passed;
    const auto files = expandInput(dir.path().toStdString(), &passed);
    QVERIFY(files);
    QStringList names;
    for (const std::string& file : *files)
        names.append(QDir(dir.path()).relativeFilePath(QString::fromStdString(file)));
    QCOMPARE(names,
        QStringList({"b.json", "traces-2026-11-30T06-00-00.000.jsonl", "traces-2026-11-30T07-00-00.000.jsonl", "traces.jsonl",
            "sub/late.zip", "sub/other.json"}));
    QStringList reasons;
    for (const Error& error : passed)
        reasons.append(QDir(dir.path()).relativeFilePath(QString::fromStdString(error.place.file)) + ' ' + errorCodeName(error.code));
    QCOMPARE(reasons, QStringList({"README.md UNRECOGNIZED_FORMAT", "empty.json EMPTY_FILE", "sub/notes.zip UNRECOGNIZED_FORMAT"}));
    QCOMPARE(expandInput("-").value().front(), std::string("-"));
    QTemporaryDir nothing;
    QVERIFY(!expandInput(nothing.path().toStdString()));
}

QTEST_GUILESS_MAIN(tst_ByteSource)
#include "tst_bytesource.moc"
