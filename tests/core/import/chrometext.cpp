// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/import/chrometext.h"

#include "core/import/readsource.h"
#include "tests/core/import/importtext.h"

#include <fmt/format.h>

#include <map>

namespace chokepoint::testing {

namespace {

/// One read file, with names for ids.
class Spans {
public:
    explicit Spans(const std::vector<SpanBatch>& batches, const Dictionary& dictionary) : m_batches(batches), m_dictionary(dictionary)
    {
        for (const SpanBatch& batch : batches)
            for (std::size_t i = 0; i < batch.size(); ++i)
                m_names[batch.spans.spanId[i].value] = dictionary.text(batch.spans.name[i]);
    }

    /// name<parent service start..end {attributes} event.. link->name flags
    [[nodiscard]] std::string text() const
    {
        std::string out;
        for (const SpanBatch& batch : m_batches)
            for (std::size_t i = 0; i < batch.size(); ++i)
                out += spanText(batch, i);
        return out;
    }

    [[nodiscard]] std::string ids() const
    {
        std::string out = m_batches.empty() ? "" : toHex(m_batches.front().traceId.front());
        for (const auto& [id, name] : m_names)
            out += fmt::format(" {:x}", id);
        return out;
    }

private:
    static std::string attributesText(const AttributeList& attributes)
    {
        std::string text;
        for (const Attribute& attribute : attributes)
            if (attribute.key != "thread.id")
                text += fmt::format("{}{}={}", text.empty() ? "" : ", ", attribute.key, toText(attribute.value));
        return text.empty() ? text : " {" + text + '}';
    }

    [[nodiscard]] std::string nameOf(SpanId id) const
    {
        const auto found = m_names.find(id.value);
        return found == m_names.end() ? "MISSING" : found->second;
    }

    [[nodiscard]] std::string spanText(const SpanBatch& batch, std::size_t i) const
    {
        const SpanRow row = batch.spans.row(i);
        bool ok = false;
        const SpanPayload payload = decodePayload(batch.payloadOf(i), row.start, m_dictionary.strings, &ok);
        const auto time = [](Timestamp t) { return isKnown(t) ? fmt::to_string(toNs(t)) : "?"; };
        std::string out = nameOf(row.spanId);
        if (!row.parentId.isNull())
            out += '<' + nameOf(row.parentId);
        out += fmt::format(" {}..{}{}", time(row.start), time(row.end), attributesText(payload.attributes));
        for (const SpanEvent& event : payload.events)
            out += fmt::format(" event {}@{}{}", event.name, time(event.time), attributesText(event.attributes));
        for (const SpanLink& link : payload.links)
            out += fmt::format(" link {}{}", nameOf(link.spanId), attributesText(link.attributes));
        out += row.flags.has(SpanFlags::RelativeClock) ? "" : " +absolute";
        out += row.flags.has(SpanFlags::TimeOutOfRange) ? " +range" : "";
        return out + (ok ? "\n" : " DAMAGED\n");
    }

    const std::vector<SpanBatch>& m_batches;
    const Dictionary& m_dictionary;
    std::map<std::uint64_t, std::string> m_names;
};

} // namespace

ChromeText chromeText(std::string_view bytes, std::size_t blockSize)
{
    ChromeText text;
    Dictionary dictionary;
    std::vector<SpanBatch> batches;
    const DeliverBatch deliver = [&](SpanBatch& batch) -> Result<void> {
        batches.push_back(batch);
        return {};
    };
    const auto report = readSource("test", ByteSource::openMemory(bytes, blockSize), dictionary, deliver, JobControl{});
    if (!report) {
        text.format = errorCodeName(report.error().code);
        text.faults = report.error().detail;
        return text;
    }
    const Spans spans(batches, dictionary);
    text.spans = spans.text();
    text.ids = spans.ids();
    text.format = report->format;
    for (const DiagnosticEntry& entry : report->diagnostics.entries())
        text.faults += fmt::format("{}{}:{}", text.faults.empty() ? "" : " ", diagnosticName(entry.code), entry.count);
    if (report->diagnostics.rejected() != 0)
        text.faults += fmt::format(" rejected:{}", report->diagnostics.rejected());
    return text;
}

QByteArray phase(const char* letter, const char* name, const QByteArray& ts, const QByteArray& more)
{
    return QByteArray(R"({"ph":")") + letter + R"(","name":")" + name + R"(","pid":1,"tid":1,"ts":)" + ts + more + "}";
}

QByteArray slice(const char* name, const QByteArray& ts, const QByteArray& duration, const QByteArray& more)
{
    return phase("X", name, ts, ",\"dur\":" + duration + more);
}

QByteArray list(const QByteArrayList& events)
{
    return '[' + events.join(",\n") + ']';
}

QByteArray object(const QByteArrayList& events, const QByteArray& more)
{
    return "{\"traceEvents\":[\n  " + events.join(",\n  ") + "\n]" + more + "}\n";
}

std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), std::size_t(bytes.size())};
}

void row(const char* name, const QByteArray& input, const QByteArray& spans, const char* faults)
{
    QTest::newRow(name) << input << spans << QByteArray(faults);
}

QByteArray outer()
{
    return slice("outer", "0", "10");
}

QByteArray outerText()
{
    return "outer 0..10000\n";
}

void addColumns()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("spans");
    QTest::addColumn<QByteArray>("faults");
}

void checkRow()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, spans);
    QFETCH(QByteArray, faults);
    const ChromeText got = chromeText(view(input));
    QCOMPARE(QByteArray::fromStdString(got.spans), spans);
    QCOMPARE(QByteArray::fromStdString(got.faults), faults);
    QCOMPARE(got.format, std::string("chrome-trace"));
    for (const std::size_t blockSize : {1U, 7U}) {
        const ChromeText again = chromeText(view(input), blockSize);
        QCOMPARE(again.spans, got.spans);
        QCOMPARE(again.faults, got.faults);
        QCOMPARE(again.ids, got.ids);
    }
    const ChromeText unpacked = chromeText(gzipped(view(input)));
    QCOMPARE(unpacked.spans, got.spans);
    QCOMPARE(unpacked.ids, got.ids);
}

} // namespace chokepoint::testing
