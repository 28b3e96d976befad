// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the reader tests: raw text in, spans as text out, whole, in single bytes and in sevens.
#pragma once

#include "tests/core/import/importtext.h"

#include <QByteArray>
#include <QtTest>

namespace chokepoint::testing {

inline std::string_view viewOf(const QByteArray& bytes)
{
    return {bytes.constData(), std::size_t(bytes.size())};
}

inline void readerColumns()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("spans");
    QTest::addColumn<QByteArray>("faults");
}

inline void readerRow(const char* name, const QByteArray& input, const QByteArray& spans, const char* faults = "")
{
    QTest::newRow(name) << input << spans << QByteArray(faults);
}

/// The body of the test function that has these rows.
inline void compareReading(const char* format)
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, spans);
    QFETCH(QByteArray, faults);
    const ImportText whole = importText(viewOf(input));
    QCOMPARE(QByteArray::fromStdString(whole.spans), spans);
    QCOMPARE(QByteArray::fromStdString(whole.faults), faults);
    QCOMPARE(QByteArray::fromStdString(whole.format), QByteArray(format));
    QVERIFY(importText(viewOf(input), 1) == whole);
    QVERIFY(importText(viewOf(input), 7) == whole);
}

} // namespace chokepoint::testing
