// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that another thread reads: the same bytes, faults and counts as without it.
#include "core/import/bytesource.h"
#include "core/import/readahead.h"
#include "tests/core/import/importtext.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <pthread.h>
#include <thread>

using namespace chokepoint;
using namespace chokepoint::testing;

namespace {

constexpr std::size_t mebibyte = std::size_t(1) << 20;

std::string numbered(std::size_t size)
{
    std::string text;
    for (int i = 0; text.size() < size; ++i)
        text += "line " + std::to_string(i) + '\n';
    return text;
}

struct Pulled {
    std::string bytes;
    std::string error;
};

template <typename Pull> Pulled pullAll(Pull&& pull, std::size_t size)
{
    Pulled all;
    std::string block(size, '\0');
    while (true) {
        const Result<std::size_t> got = pull(block.data(), size);
        if (!got)
            all.error = got.error().detail;
        if (got.value_or(0) == 0)
            return all;
        all.bytes.append(block, 0, *got);
    }
}

} // namespace

class tst_ReadAhead : public QObject {
    Q_OBJECT

private slots:
    void bytesAndFault_data();
    void bytesAndFault();
    void counts();
    void givenUp();
    void leavingAnIdleInput();
    void withoutThread_data();
    void withoutThread();
    void hashOfFile();
    void bomb();
};

void tst_ReadAhead::bytesAndFault_data()
{
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("pull");
    QTest::addColumn<QString>("fault");
    const int whole = int(mebibyte);
    for (const QString& fault : {QString(), QString("the disk is gone")}) {
        const QByteArray name = fault.isEmpty() ? "no fault" : fault.toUtf8();
        for (const int size : {0, 1, whole - 1, whole, whole + 1, 5 * whole + 7})
            QTest::addRow("%d bytes, %s", size, name.data()) << size << 4096 << fault;
        QTest::addRow("odd pulls, %s", name.data()) << 3 * whole << 999 << fault;
        QTest::addRow("large pulls, %s", name.data()) << 3 * whole << 4 * whole << fault;
    }
}

/// All bytes in their order, then the fault, every time that somebody asks.
void tst_ReadAhead::bytesAndFault()
{
    QFETCH(int, size);
    QFETCH(int, pull);
    QFETCH(QString, fault);
    const std::string text = numbered(std::size_t(size)).substr(0, std::size_t(size));
    std::size_t taken = 0;
    ByteLayer below([&](char* to, std::size_t room) -> Result<std::size_t> {
        const std::size_t got = text.copy(to, std::min<std::size_t>(room, 10007), taken);
        taken += got;
        if (got == 0 && !fault.isEmpty())
            return fail(ErrorCode::CannotRead, fault.toStdString());
        return got;
    });
    ReadTally tally;
    ReadAhead ahead(below, tally, [](ReadTally&) {});
    for (int round = 0; round < 2; ++round) {
        const Pulled all = pullAll([&](char* to, std::size_t room) { return ahead.pull(to, room); }, std::size_t(pull));
        QVERIFY(all.bytes == (round == 0 ? text : std::string()));
        QCOMPARE(QString::fromStdString(all.error), fault);
    }
}

/// What the layers below count is told in steps that never go back, with each fault once, and to the last byte.
void tst_ReadAhead::counts()
{
    const std::size_t size = 4 * mebibyte + 5;
    ReadTally tally;
    std::size_t left = size;
    ByteLayer below([&](char* to, std::size_t room) -> Result<std::size_t> {
        const std::size_t got = std::min({room, left, std::size_t(5000)});
        std::fill_n(to, got, 'x');
        left -= got;
        tally.onDisk += got;
        if (left == 0 && got != 0)
            tally.diagnostics.report(DiagnosticCode::TrailingData, "once");
        return got;
    });
    std::uint64_t onDisk = 0;
    bool isOrdered = true;
    Diagnostics diagnostics;
    std::uint64_t pulled = 0;
    ReadAhead ahead(below, tally, [&](ReadTally& counted) {
        isOrdered &= counted.onDisk >= onDisk && counted.onDisk >= pulled;
        onDisk = counted.onDisk;
        diagnostics.merge(counted.diagnostics);
        counted.diagnostics = {};
    });
    std::string block(70000, '\0');
    for (auto got = ahead.pull(block.data(), block.size()); *got != 0; got = ahead.pull(block.data(), block.size()))
        pulled += *got;
    QVERIFY(isOrdered);
    QCOMPARE(pulled, std::uint64_t(size));
    QCOMPARE(onDisk, std::uint64_t(size));
    QCOMPARE(diagnostics.count(DiagnosticCode::TrailingData), 1ULL);
}

/// Whoever stops in the middle waits for no more than what is being read.
void tst_ReadAhead::givenUp()
{
    const std::string packed = gzipped(numbered(12 * mebibyte));
    for (const std::size_t size : {std::size_t(1), mebibyte, mebibyte + 1, 3 * mebibyte}) {
        const auto source = ByteSource::openMemory(packed);
        QVERIFY(source);
        std::string text;
        QCOMPARE((*source)->append(text, size).value_or(0), size);
        QVERIFY((*source)->count().onDisk < packed.size());
    }
}

/// A source that gives a byte at a time is not waited for until a block is full.
void tst_ReadAhead::leavingAnIdleInput()
{
    constexpr std::size_t block = std::size_t(256) << 10;
    std::size_t given = 0;
    std::atomic<bool> isLeft = false;
    ByteLayer below([&](char* to, std::size_t room) -> Result<std::size_t> {
        const std::size_t got = given < block ? room : 1;
        if (given >= block)
            isLeft.wait(false);
        std::this_thread::yield();
        std::fill_n(to, got, 'x');
        given += got;
        return got;
    });
    ReadTally tally;
    {
        ReadAhead ahead(
            below, tally, [](ReadTally&) {}, 0);
        char byte = 0;
        QCOMPARE(ahead.pull(&byte, 1).value_or(0), std::size_t(1));
        isLeft = true;
        isLeft.notify_all();
    }
    QVERIFY(given < 2 * block);
}

void tst_ReadAhead::withoutThread_data()
{
    QTest::addColumn<bool>("hasThreads");
    QTest::addColumn<quint64>("readAtOnce");
    QTest::newRow("a pipe") << true << quint64(ReadAhead::never);
    QTest::newRow("no thread to be had") << false << quint64(mebibyte);
}

/// The same bytes, on the thread that asks for them.
void tst_ReadAhead::withoutThread()
{
    QFETCH(bool, hasThreads);
    QFETCH(quint64, readAtOnce);
    pthread_attr_t usual;
    QCOMPARE(pthread_getattr_default_np(&usual), 0);
    if (!hasThreads) {
        pthread_attr_t huge = usual;
        QCOMPARE(pthread_attr_setstacksize(&huge, std::size_t(1) << 47), 0); // more than there are addresses
        QCOMPARE(pthread_setattr_default_np(&huge), 0);
    }
    const std::string text = numbered(5 * mebibyte);
    std::size_t taken = 0;
    bool isHere = true;
    ByteLayer below([&, here = std::this_thread::get_id()](char* to, std::size_t room) -> Result<std::size_t> {
        isHere &= std::this_thread::get_id() == here;
        const std::size_t got = text.copy(to, room, taken);
        taken += got;
        return got;
    });
    ReadTally tally;
    ReadAhead ahead(
        below, tally, [](ReadTally&) {}, readAtOnce);
    const Pulled all = pullAll([&](char* to, std::size_t room) { return ahead.pull(to, room); }, 70000);
    QCOMPARE(pthread_setattr_default_np(&usual), 0);
    QVERIFY(all.bytes == text);
    QVERIFY(isHere);
}

/// Of the bytes that were read, whatever was read ahead.
void tst_ReadAhead::hashOfFile()
{
    QTemporaryDir dir;
    const std::string text = numbered(5 * mebibyte);
    const std::string path = dir.filePath("a.txt").toStdString();
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text.data(), qint64(text.size())), qint64(text.size()));
    file.close();

    FilePart part;
    part.keepsHash = true;
    part.tail = "the rest of the last line\n";
    const auto source = ByteSource::openFile(path, {}, part);
    QVERIFY(source);
    std::string half;
    QCOMPARE((*source)->append(half, 2 * mebibyte).value_or(0), 2 * mebibyte);
    ContentHash hash;
    hash.add(std::string_view(text).substr(0, (*source)->count().onDisk));
    QCOMPARE((*source)->contentHash(), hash.value());
    const Pulled rest = pullAll([&](char* to, std::size_t room) { return (*source)->read(to, room); }, 1000);
    QVERIFY(half + rest.bytes == text + part.tail);
    ContentHash whole;
    whole.add(text);
    QCOMPARE((*source)->contentHash(), whole.value());
    QCOMPARE((*source)->count().onDisk, std::uint64_t(text.size()));
}

/// The limit is met where the bytes are unpacked, not where they are taken.
void tst_ReadAhead::bomb()
{
    ByteLimits limits;
    limits.ratio = 100;
    const std::string packed = gzipped(std::string(80 * mebibyte, ' '));
    const auto source = ByteSource::openMemory(packed, 0, limits);
    QVERIFY(source);
    std::uint64_t taken = 0;
    std::string block(mebibyte, '\0');
    auto got = (*source)->read(block.data(), block.size());
    for (; got && *got != 0; got = (*source)->read(block.data(), block.size()))
        taken += *got;
    QVERIFY(!got);
    QCOMPARE(got.error().code, ErrorCode::LimitExceeded);
    QVERIFY(taken <= 64 * mebibyte);
}

QTEST_GUILESS_MAIN(tst_ReadAhead)
#include "tst_readahead.moc"
