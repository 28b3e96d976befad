// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Chrome trace events for tests: short ways to write them, and the text of what came of them.
#pragma once

#include <QtTest>

#include <string>
#include <string_view>

namespace chokepoint::testing {

struct ChromeText {
    std::string spans;
    std::string faults;
    std::string format; // or the name of the error code
    std::string ids; // trace id, then all span ids, sorted
};
[[nodiscard]] ChromeText chromeText(std::string_view bytes, std::size_t blockSize = 0);

/// An event of thread 1 of process 1; times in microseconds as they are written, \a more is further members with a leading comma.
[[nodiscard]] QByteArray phase(const char* letter, const char* name, const QByteArray& ts, const QByteArray& more = {});
[[nodiscard]] QByteArray slice(const char* name, const QByteArray& ts, const QByteArray& duration, const QByteArray& more = {});
/// The array form.
[[nodiscard]] QByteArray list(const QByteArrayList& events);
/// The object form; \a more is further members with a leading comma.
[[nodiscard]] QByteArray object(const QByteArrayList& events, const QByteArray& more = {});
[[nodiscard]] std::string_view view(const QByteArray& bytes);

/// The slice "outer" from 0 to 10 us, and its text.
[[nodiscard]] QByteArray outer();
[[nodiscard]] QByteArray outerText();

/// Tables of inputs with the spans and faults that they give.
void addColumns();
void row(const char* name, const QByteArray& input, const QByteArray& spans, const char* faults = "");
/// Fails the test that runs when the row's input gives something else: at once, in single bytes, in sevens, or compressed.
void checkRow();

} // namespace chokepoint::testing
