// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/workspacecopy.h"

#include <filesystem>
#include <optional>

namespace chokepoint {

namespace {

constexpr std::size_t batchSpans = 4096;

/// Translates rows and payloads from one dictionary to another.
class Translator {
public:
    Translator(const Dictionary& from, Dictionary& to)
        : m_from(from), m_to(to), m_writer(to.strings), m_resources(from.resourceCount()), m_scopes(from.scopeCount())
    {
    }

    [[nodiscard]] SpanRow row(SpanRow row)
    {
        row.name = m_to.strings.intern(m_from.text(row.name));
        std::optional<ResourceId>& resource = m_resources[toIndex(row.resource)];
        if (!resource)
            resource = m_to.internResource(m_from.resource(row.resource));
        std::optional<ScopeId>& scope = m_scopes[toIndex(row.scope)];
        if (!scope)
            scope = m_to.internScope(m_from.scope(row.scope));
        row.resource = *resource;
        row.scope = *scope;
        // A start of 0 was taken for missing; what the assembler found out is found out again.
        if (row.flags.has(SpanFlags::MissingStart))
            row.start = unknownTime;
        row.flags.bits = row.flags.stored();
        return row;
    }

    void payload(std::string_view packed, Timestamp start, std::string& out)
    {
        encodePayload(decodePayload(packed, start, m_from.strings), start, m_writer, out);
    }

private:
    const Dictionary& m_from;
    Dictionary& m_to;
    PackedWriter m_writer;
    std::vector<std::optional<ResourceId>> m_resources;
    std::vector<std::optional<ScopeId>> m_scopes;
};

} // namespace

Result<InputReport> copyWorkspace(const std::string& path, SpanWriter& writer, const JobControl& job)
{
    Result<Store> source = Store::open(path, Store::Mode::ReadOnly);
    if (!source)
        return fail(std::move(source).error());
    const Result<TraceColumns> columns = source->loadColumns(std::nullopt, job);
    if (!columns)
        return fail(columns.error());

    Translator translator(*columns->dictionary, writer.dictionary());
    SpanBatch batch;
    Result<void> appended;
    const auto visit = [&](std::size_t index, const std::vector<std::string_view>& payloads) {
        const std::size_t first = columns->firstSpan[index];
        for (std::size_t i = 0; i < payloads.size(); ++i) {
            const SpanRow row = translator.row(columns->spans.row(first + i));
            batch.traceId.push_back(columns->traceId[index]);
            batch.spans.push_back(row);
            translator.payload(payloads[i], row.start, batch.payload);
            batch.payloadEnd.push_back(std::uint32_t(batch.payload.size()));
            if (batch.size() == batchSpans)
                appended = writer.append(batch);
            if (!appended)
                return false;
        }
        return true;
    };
    if (Result<void> visited = source->forEachTracePayloads(*columns, visit, job); !visited)
        return fail(std::move(visited).error());
    if (appended)
        appended = writer.append(batch);
    if (!appended)
        return fail(std::move(appended).error());

    InputReport report;
    report.path = path;
    report.format = "workspace";
    std::error_code ignored;
    report.bytes = std::filesystem::file_size(path, ignored);
    report.spans = columns->spanCount();
    return report;
}

} // namespace chokepoint
