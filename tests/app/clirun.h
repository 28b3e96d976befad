// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A run of the command line as a process of its own, and a small trace for it.
#pragma once

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>

namespace chokepoint::testing {

struct Run {
    int status = -1;
    QByteArray out;
    QByteArray err;

    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

/// Ends the test when the program crashes or hangs.
inline Run run(const QStringList& arguments, const QByteArray& input = {})
{
    QProcess process;
    process.start(CHOKEPOINT_CLI, arguments);
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(120000) || process.exitStatus() != QProcess::NormalExit)
        qFatal("chokepoint-cli %s did not end by itself", qPrintable(arguments.join(' ')));
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

inline const QByteArray twoSpans =
    R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"api"}}]},"scopeSpans":[{"spans":[
{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0000000000000001","name":"root","startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000001000000000"},
{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0000000000000002","parentSpanId":"0000000000000001","name":"search \u001b[31m","startTimeUnixNano":"1700000000100000000","endTimeUnixNano":"1700000000900000000","status":{"code":2}}
]}]}]})";

} // namespace chokepoint::testing
