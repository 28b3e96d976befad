// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of container runtimes around records: wrapped lines, and lines that the runtime cut into parts.
#include "tests/core/import/readerrows.h"

using namespace chokepoint::testing;

namespace {

/// An X-Ray segment of one second with a tag of \a size bytes.
QByteArray segment(const QByteArray& id, int size = 1)
{
    return R"({"trace_id":"1-00000000-000000000000000000000001","id":")" + id
        + R"(","name":"shop","start_time":1,"end_time":2,"annotations":{"k":")" + QByteArray(size, 'x') + R"("}})";
}

QByteArray spanText(const QByteArray& id, int size = 1)
{
    return "1/" + id + " 'shop' shop SERVER 1000000000..2000000000 {k=" + QByteArray(size, 'x') + "}\n";
}

QByteArray escaped(QByteArray text)
{
    return text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
}

const QByteArray criTime = "2026-11-30T06:58:44.123456789Z stdout ";

/// The lines of \a text as Docker's json-file driver writes them, long ones in parts of \a part bytes.
QByteArray docker(const QByteArray& text, int part = 16384)
{
    QByteArray out;
    for (QByteArray line : text.split('\n')) {
        line += '\n';
        for (int at = 0; at < line.size() && line.size() > 1; at += part)
            out += "{\"log\":\"" + escaped(line.mid(at, part)) + "\",\"stream\":\"stdout\",\"time\":\"2026-11-30T06:58:44.1Z\"}\n";
    }
    return out;
}

/// The same as the CRI runtimes do: P goes on, F ends.
QByteArray cri(const QByteArray& text, int part = 16384)
{
    QByteArray out;
    for (const QByteArray& line : text.split('\n'))
        for (int at = 0; at < line.size(); at += part)
            out += criTime + (at + part < line.size() ? "P " : "F ") + line.mid(at, part) + "\n";
    return out;
}

} // namespace

class tst_ContainerLog : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads();
};

void tst_ContainerLog::reads_data()
{
    readerColumns();
    const QByteArray two = segment("a1") + "\n" + segment("a2");
    const QByteArray twoText = spanText("a1") + spanText("a2");
    readerRow("Docker", docker(two), twoText);
    readerRow("CRI", cri(two), twoText);
    readerRow("Docker, parts of 16 KiB", docker(segment("a1", 40000) + "\n" + segment("a2")), spanText("a1", 40000) + spanText("a2"));
    readerRow("CRI, parts of 16 KiB", cri(segment("a1", 40000) + "\n" + segment("a2")), spanText("a1", 40000) + spanText("a2"));
    readerRow("Docker, small parts", docker(two, 10), twoText);
    readerRow("CRI, small parts", cri(two, 10), twoText);
    readerRow("a line of exactly one part", cri(segment("a1", 16384 - int(segment("a1", 0).size()))),
        spanText("a1", 16384 - int(segment("a1", 0).size())));
    readerRow("other lines between", cri("started\n" + segment("a1") + "\nGET / 200\n" + segment("a2")), twoText, "NON_JSON_TEXT:2");
    readerRow(
        "Docker, other lines between", docker("started\n" + segment("a1") + "\nGET / 200\n" + segment("a2")), twoText, "NON_JSON_TEXT:2");
    readerRow("CRI with carriage returns", cri(two).replace("\n", "\r\n"), twoText);
    readerRow("Docker, members in another order",
        R"({"stream":"stdout","time":"2026-11-30T06:58:44.1Z","log":")" + segment("a1").replace('"', "\\\"")
            + R"(\n"})"
              "\n",
        spanText("a1"));
    readerRow("Docker, one long line with spaces",
        docker(segment("a1", 9000)).replace("{\"log\":\"", "{\"log\": \"").replace("\",\"", "\", \""), spanText("a1", 9000));
    readerRow("Docker, with spaces", docker(two).replace("\":\"", "\": \"").replace("\",\"", "\", \""), twoText);
}

void tst_ContainerLog::reads()
{
    compareReading("xray");
}

QTEST_GUILESS_MAIN(tst_ContainerLog)
#include "tst_containerlog.moc"
