// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/import/importtext.h"

#include "core/import/readsource.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

namespace chokepoint::testing {

namespace {

std::string shortHex(std::string hex)
{
    const std::size_t first = hex.find_first_not_of('0');
    return first == std::string::npos ? "0" : hex.substr(first);
}

std::string timeText(Timestamp time)
{
    return isKnown(time) ? fmt::to_string(toNs(time)) : "?";
}

std::string attributesText(const AttributeList& attributes)
{
    std::string text;
    for (const Attribute& attribute : attributes)
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", attribute.key, toText(attribute.value));
    return '{' + text + '}';
}

std::string flagsText(SpanFlags flags)
{
    constexpr std::pair<SpanFlags::Bit, const char*> names[] = {
        {SpanFlags::Follows, "follows"},
        {SpanFlags::Async, "async"},
        {SpanFlags::Cancelled, "cancelled"},
        {SpanFlags::TimedOut, "timed-out"},
        {SpanFlags::Streaming, "streaming"},
        {SpanFlags::TimeOutOfRange, "time-out-of-range"},
        {SpanFlags::FloatRounded, "rounded"},
        {SpanFlags::RelativeClock, "relative"},
        {SpanFlags::TimeRepaired, "repaired"},
    };
    std::string text;
    for (const auto& [bit, name] : names)
        if (flags.has(bit))
            text += fmt::format(" +{}", name);
    return text;
}

std::string spanText(const SpanBatch& batch, std::size_t i, const Dictionary& dictionary)
{
    const SpanRow row = batch.spans.row(i);
    bool ok = false;
    const SpanPayload payload = decodePayload(batch.payloadOf(i), row.start, dictionary.strings, &ok);
    const auto id = [](const std::string& text, std::string hex) { return text.empty() ? shortHex(std::move(hex)) : text; };
    std::string out = fmt::format("{}/{}", id(payload.traceIdText, toHex(batch.traceId[i])), id(payload.spanIdText, toHex(row.spanId)));
    if (!row.parentId.isNull())
        out += '<' + id(payload.parentIdText, toHex(row.parentId));
    out += fmt::format(" '{}'", dictionary.text(row.name));
    if (const std::string_view service = dictionary.text(dictionary.service(row.resource)); !service.empty())
        out += fmt::format(" {}", service);
    if (const Scope& scope = dictionary.scope(row.scope); !scope.name.empty())
        out += fmt::format("|{}{}{}", scope.name, scope.version.empty() ? "" : "@", scope.version);
    if (row.flags.kind() != SpanKind::Unspecified)
        out += fmt::format(" {}", spanKindName(row.flags.kind()));
    if (row.flags.status() != SpanStatus::Unset || !payload.statusMessage.empty())
        out += fmt::format(
            " {}{}", spanStatusName(row.flags.status()), payload.statusMessage.empty() ? "" : '(' + payload.statusMessage + ')');
    out += fmt::format(" {}..{}", timeText(row.start), timeText(row.end));
    if (!payload.attributes.empty())
        out += ' ' + attributesText(payload.attributes);
    for (const SpanEvent& event : payload.events)
        out += fmt::format(" event {}@{}{}", event.name, timeText(event.time), attributesText(event.attributes));
    for (const SpanLink& link : payload.links)
        out += fmt::format(" link {}/{}{}", id(link.traceIdText, toHex(link.traceId)), id(link.spanIdText, toHex(link.spanId)),
            attributesText(link.attributes));
    if (!payload.traceState.empty())
        out += " state=" + payload.traceState;
    for (const auto& [name, number] : {std::pair{"w3c", payload.flags}, std::pair{"-attributes", payload.droppedAttributes},
             std::pair{"-events", payload.droppedEvents}, std::pair{"-links", payload.droppedLinks}})
        if (number != 0)
            out += fmt::format(" {}={}", name, number);
    out += flagsText(row.flags);
    if (isKnown(row.firstToken))
        out += " first-token=" + timeText(row.firstToken);
    return out + (ok ? "\n" : " DAMAGED\n");
}

} // namespace

ImportText importText(std::string_view bytes, std::size_t blockSize)
{
    ImportText text;
    Dictionary dictionary;
    const DeliverBatch deliver = [&](SpanBatch& batch) -> Result<void> {
        for (std::size_t i = 0; i < batch.size(); ++i)
            text.spans += spanText(batch, i, dictionary);
        return {};
    };
    const auto report = readSource("test", ByteSource::openMemory(bytes, blockSize), dictionary, deliver, JobControl{});
    if (!report) {
        text.format = errorCodeName(report.error().code);
        text.message = report.error().detail;
        return text;
    }
    text.format = report->format;
    text.compression = report->compression;
    text.message = report->diagnostics.firstRejection();
    for (const DiagnosticEntry& entry : report->diagnostics.entries())
        text.faults += fmt::format("{}{}:{}", text.faults.empty() ? "" : " ", diagnosticName(entry.code), entry.count);
    if (report->diagnostics.rejected() != 0)
        text.faults += fmt::format(" rejected:{}", report->diagnostics.rejected());
    return text;
}

std::string firstResource(std::string_view bytes)
{
    std::string text;
    Dictionary dictionary;
    const DeliverBatch deliver = [&](SpanBatch& batch) -> Result<void> {
        if (text.empty() && batch.size() != 0)
            text = attributesText(dictionary.resource(batch.spans.resource.front()).attributes);
        return {};
    };
    const auto report = readSource("test", ByteSource::openMemory(bytes), dictionary, deliver, JobControl{});
    return report ? text : std::string();
}

std::string gzipped(std::string_view bytes)
{
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, uLong(bytes.size())) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = uInt(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = uInt(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string zstdCompressed(std::string_view bytes)
{
    std::string out(ZSTD_compressBound(bytes.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
    return out;
}

} // namespace chokepoint::testing
