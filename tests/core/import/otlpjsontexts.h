// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// OTLP JSON of one span as the tests write it, and rows that are read in every framing.
#pragma once

#include "tests/core/import/readerrows.h"

namespace chokepoint::testing {

inline QByteArray resourceSpans(const QByteArray& spans)
{
    return R"({"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]},"scopeSpans":[{"scope":{"name":"lib"},"spans":[)"
        + spans + "]}]}";
}

inline QByteArray request(const QByteArray& spans)
{
    return R"({"resourceSpans":[)" + resourceSpans(spans) + "]}";
}

/// A span with the given id; \a more is further members with a leading comma.
inline QByteArray span(const QByteArray& id, const QByteArray& more = {})
{
    return R"({"traceId":"00000000000000000000000000000001","spanId":"00000000000000)" + id
        + R"(","name":"n","startTimeUnixNano":"1000","endTimeUnixNano":"2000")" + more + "}";
}

inline QByteArray attribute(const QByteArray& value)
{
    return request(span("a1", R"(,"attributes":[{"key":"k","value":)" + value + "}]"));
}

inline const QByteArray a1 = "1/a1 'n' s|lib 1000..2000\n";
inline const QByteArray a2 = "1/a2 'n' s|lib 1000..2000\n";
inline const QByteArray bare = "1/a1 'n' 1000..2000\n";

inline void otlpColumns()
{
    readerColumns();
    QTest::addColumn<QByteArray>("format");
}

inline void row(
    const char* name, const QByteArray& input, const QByteArray& spans, const char* faults = "", const char* format = "otlp-json")
{
    QTest::newRow(name) << input << spans << QByteArray(faults) << QByteArray(format);
}

/// The body of the test function that has these rows: also in single bytes, in sevens, gzipped and as zstd.
inline void compareOtlpReading()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, spans);
    QFETCH(QByteArray, faults);
    QFETCH(QByteArray, format);
    const ImportText whole = importText(viewOf(input));
    QCOMPARE(QByteArray::fromStdString(whole.spans), spans);
    QCOMPARE(QByteArray::fromStdString(whole.faults), faults);
    QCOMPARE(QByteArray::fromStdString(whole.format), format);
    QVERIFY(importText(viewOf(input), 1) == whole);
    QVERIFY(importText(viewOf(input), 7) == whole);
    for (const std::string& packed : {gzipped(viewOf(input)), zstdCompressed(viewOf(input))}) {
        ImportText unpacked = importText(packed, 5);
        unpacked.compression = whole.compression;
        QVERIFY(unpacked == whole);
    }
}

} // namespace chokepoint::testing
