// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that people read: durations at unit borders, ids, UTF-8 repair, counted faults.
#include "core/base/diagnostics.h"
#include "core/base/error.h"
#include "core/base/format.h"
#include "core/base/ids.h"
#include "core/base/starttext.h"
#include "core/base/utf8.h"

#include <QTest>

#include <regex>

using namespace chokepoint;

class tst_Base : public QObject {
    Q_OBJECT

private slots:
    void durations_data()
    {
        QTest::addColumn<qint64>("ns");
        QTest::addColumn<QString>("text");
        const auto row = [](qint64 ns, const char* text) { QTest::newRow(text) << ns << QString::fromUtf8(text); };
        row(0, "0 ns");
        row(999, "999 ns");
        row(1000, "1.00 µs");
        row(1204, "1.20 µs");
        row(9996, "10.0 µs");
        row(999499, "999 µs");
        row(999999, "1.00 ms");
        row(999999499, "1.00 s");
        row(1320000000, "1.32 s");
        row(59949000000, "59.9 s");
        row(59999600000, "1 m 00 s");
        row(60000000000, "1 m 00 s");
        row(119600000000, "2 m 00 s");
        row(3599999000000, "1 h 00 m");
        row(7199999999999, "2 h 00 m");
        row(86399999999999, "1 d 00 h");
        row(-280000000, "−280 ms");
    }
    void durations()
    {
        QFETCH(const qint64, ns);
        QTEST(QString::fromStdString(formatDuration(Duration{ns})), "text");
    }

    void durationTextIsWithinOnePercentAndNeverReachesTheNextUnit()
    {
        const std::regex forbidden("(^|[^0-9.,])(60 (s|m)|1000 (ns|µs|ms|s))");
        std::uint64_t state = 1;
        for (int i = 0; i < 20000; ++i) {
            state = mix64(state + 0x9e3779b97f4a7c15ULL);
            const auto ns = std::int64_t(state >> (1 + state % 62));
            const std::string text = formatDuration(Duration{ns});
            QVERIFY2(!std::regex_search(text, forbidden), text.c_str());
            QVERIFY2(std::abs(parsed(text) - double(ns)) <= 0.01 * double(ns) + 0.5 || ns > 3600000000000, text.c_str());
        }
    }

    void unknownIsNotZero()
    {
        QCOMPARE(formatDuration(unknownDuration), std::string("unknown"));
        QCOMPARE(formatTimestamp(unknownTime), std::string("unknown"));
        QCOMPARE(formatDelta(Duration{280000000}), std::string("+280 ms"));
        QCOMPARE(formatChange(-0.2841), std::string("−28.4 %"));
        QCOMPARE(formatChange(-0.00001), std::string("0.0 %"));
        QCOMPARE(formatCount(1234567), std::string("1,234,567"));
        QCOMPARE(formatTimestamp(timestampFromNs(1700000000123456789)), std::string("2023-11-14 22:13:20.123456789"));
        QCOMPARE(formatTimestamp(timestampFromNs(-1)), std::string("1969-12-31 23:59:59.999999999"));
    }

    void starts_data()
    {
        QTest::addColumn<qint64>("start");
        QTest::addColumn<qint64>("begin");
        QTest::addColumn<int>("decimals");
        QTest::addColumn<QString>("text");
        constexpr qint64 unknown = std::numeric_limits<qint64>::min();
        QTest::newRow("a date") << qint64(1700000000123456789) << unknown << 9 << "2023-11-14 22:13:20.123456789";
        QTest::newRow("a date to the millisecond") << qint64(1700000000123999999) << unknown << 3 << "2023-11-14 22:13:20.123";
        QTest::newRow("a date beside data without dates") << qint64(1700000000000000000) << qint64(5) << 3 << "2023-11-14 22:13:20.000";
        QTest::newRow("the oldest date") << qint64(toNs(oldestDate)) << unknown << 1 << "1990-01-01 00:00:00.0";
        QTest::newRow("just before it") << qint64(toNs(oldestDate) - 1) << unknown << 3 << "+631151999.999 s";
        QTest::newRow("since boot") << qint64(86412345678901) << qint64(86400000000000) << 9 << "+12.345678901 s";
        QTest::newRow("since boot, cut off") << qint64(86412345999999) << qint64(86400000000000) << 3 << "+12.345 s";
        QTest::newRow("the begin itself") << qint64(86400000000000) << qint64(86400000000000) << 3 << "+0.000 s";
        QTest::newRow("begin unknown: the clock's zero") << qint64(86400000000001) << unknown << 9 << "+86400.000000001 s";
        QTest::newRow("before the begin") << qint64(0) << qint64(1500000000) << 3 << QStringLiteral("−1.500 s");
        QTest::newRow("unknown") << unknown << qint64(5) << 3 << "unknown";
    }
    void starts()
    {
        QFETCH(const qint64, start);
        QFETCH(const qint64, begin);
        QFETCH(const int, decimals);
        QTEST(QString::fromStdString(formatStart(timestampFromNs(start), timestampFromNs(begin), decimals)), "text");
    }

    void dataWithoutDatesBeginsAtItsEarliestStart()
    {
        const auto at = [](std::int64_t ns) { return timestampFromNs(ns); };
        QCOMPARE(earliestStart({}), unknownTime);
        QCOMPARE(earliestStart(std::vector{unknownTime, oldestDate, at(0), at(9)}), at(0));
        QCOMPARE(beginWithoutDate({}), unknownTime);
        QCOMPARE(beginWithoutDate(std::vector{unknownTime, oldestDate}), unknownTime);
        QCOMPARE(beginWithoutDate(std::vector{oldestDate, at(9), unknownTime, at(7), at(8)}), at(7));
    }

    void saturatingTimes()
    {
        QCOMPARE(saturatingDifference(timestampFromNs(5), timestampFromNs(2)), Duration{3});
        QCOMPARE(saturatingDifference(Timestamp::max(), timestampFromNs(-2)), Duration::max());
        QVERIFY(isKnown(saturatingDifference(timestampFromNs(std::numeric_limits<std::int64_t>::min() + 1), Timestamp::max())));
    }

    void ids()
    {
        QCOMPARE(toHex(*traceIdFromHex("1F3A9C")), std::string("000000000000000000000000001f3a9c"));
        QCOMPARE(toHex(*traceIdFromHex("5b8efff798038103d269b633813fc60c")), std::string("5b8efff798038103d269b633813fc60c"));
        QCOMPARE(toHex(*spanIdFromHex("A")), std::string("000000000000000a"));
        QVERIFY(!traceIdFromHex(""));
        QVERIFY(!traceIdFromHex("5b8efff7-9803"));
        QVERIFY(!spanIdFromHex("00112233445566778"));
        QVERIFY(opaqueSpanId("run-42") == opaqueSpanId("run-42"));
        QVERIFY(opaqueSpanId("run-42") != opaqueSpanId("run-43"));
        QVERIFY(opaqueSpanId("span-A") < opaqueSpanId("span-B"));
        QVERIFY(opaqueSpanId("a") < opaqueSpanId("ab"));
        QVERIFY(!opaqueTraceId("").isNull() && !opaqueSpanId("").isNull() && !opaqueSpanId(std::string_view("\0", 1)).isNull());
    }

    void utf8_data()
    {
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QByteArray>("repaired");
        QTest::newRow("plain") << QByteArray("abc") << QByteArray("abc");
        QTest::newRow("four bytes") << QByteArray("\xf0\x9f\x98\x80") << QByteArray("\xf0\x9f\x98\x80");
        QTest::newRow("lone continuation") << QByteArray("a\x80z") << QByteArray("a\xef\xbf\xbdz");
        QTest::newRow("cut sequence") << QByteArray("a\xe2\x82") << QByteArray("a\xef\xbf\xbd\xef\xbf\xbd");
        QTest::newRow("overlong slash") << QByteArray("\xc0\xaf") << QByteArray("\xef\xbf\xbd\xef\xbf\xbd");
        QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << QByteArray("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
        QTest::newRow("beyond Unicode") << QByteArray("\xf5\x80\x80\x80") << QByteArray("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    }
    void utf8()
    {
        QFETCH(const QByteArray, input);
        QFETCH(const QByteArray, repaired);
        QCOMPARE(QByteArray::fromStdString(repairedUtf8(input.toStdString())), repaired);
        QCOMPARE(isValidUtf8(input.toStdString()), input == repaired);
        QVERIFY(isValidUtf8(repaired.toStdString()));
    }

    void texts()
    {
        QCOMPARE(escapedControls("a\x1b[31mb\n\xc2\x9b"), std::string("a\\x1b[31mb\\n\\x9b"));
        QCOMPARE(elided("abcdef", 6), std::string("abcdef"));
        QCOMPARE(elided("abcdefg", 6), std::string("abcde…"));
        QCOMPARE(elided("äöüß", 3), std::string("äö…"));
        QCOMPARE(foldedCase("CAFÉ Straße ЖΩ"), std::string("café straße жω"));
    }

    void diagnosticsCountAndKeepTheFirst()
    {
        Diagnostics faults;
        int described = 0;
        for (int i = 0; i < 3; ++i)
            faults.report(DiagnosticCode::MissingParent, [&] { return "fault " + std::to_string(++described); });
        faults.reject(DiagnosticCode::BadRecord, [] { return std::string("line 7"); });
        QCOMPARE(described, 1);
        QCOMPARE(faults.entries().size(), std::size_t(2));
        QCOMPARE(faults.count(DiagnosticCode::MissingParent), std::uint64_t(3));
        QCOMPARE(faults.entries().back().first, std::string("fault 1"));
        QCOMPARE(faults.rejected(), std::uint64_t(1));
        QCOMPARE(faults.firstRejection(), std::string("line 7"));
        for (int code = 0; code < int(DiagnosticCode::Count_); ++code)
            QCOMPARE(diagnosticFromName(diagnosticName(DiagnosticCode(code))), DiagnosticCode(code));
    }

    void errorMessagesSayWhere()
    {
        QCOMPARE((Error{ErrorCode::Malformed, "no closing brace", {"a.json", 3, 120}}).message(),
            std::string("a.json, line 3, byte 120: no closing brace"));
        QCOMPARE((Error{ErrorCode::EmptyInput, "the file is empty", {}}).message(), std::string("the file is empty"));
    }

private:
    static double parsed(const std::string& text)
    {
        const std::map<std::string, double> units = {
            {"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 6e10}, {"h", 3.6e12}, {"d", 8.64e13}};
        double total = 0;
        const std::regex part("([0-9.]+) ([a-zµ]+)");
        for (std::sregex_iterator it(text.begin(), text.end(), part); it != std::sregex_iterator(); ++it)
            total += std::stod((*it)[1]) * units.at((*it)[2]);
        return total;
    }
};

QTEST_GUILESS_MAIN(tst_Base)
#include "tst_base.moc"
