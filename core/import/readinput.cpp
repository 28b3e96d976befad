// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/readsource.h"

#include "core/import/formats.h"
#include "core/import/spansink.h"

#include <fmt/format.h>

namespace chokepoint {

namespace {

/// Reads the current member of \a source. An archive may hold other files: they are passed over.
Result<void> readMember(ByteSource& source, SpanSink& sink, InputReport& report)
{
    const auto head = source.peek(detectionHead);
    if (!head)
        return fail(head.error());
    const ReaderEntry* entry = readerFor(*head, head->size() < detectionHead);
    if (entry == nullptr)
        return fail(whyUnreadable(*head));
    if (report.format.empty())
        report.format = entry->format;
    return entry->create()->read(source, sink);
}

bool isAboutFormat(ErrorCode code)
{
    return code == ErrorCode::EmptyInput || code == ErrorCode::UnrecognizedFormat || code == ErrorCode::UnsupportedFormat;
}

/// An archive may hold other files than traces, with which nothing is wrong. One that cannot be read is counted, and costs
/// itself only.
Result<void> refuseMember(Error& refusal, const std::string& name, SpanSink& sink)
{
    const bool isFault = refusal.code == ErrorCode::CannotRead || refusal.code == ErrorCode::Malformed;
    if (name.empty() || !(isFault || isAboutFormat(refusal.code)))
        return fail(refusal);
    refusal.detail = fmt::format("{} in the archive: {}", name, refusal.detail);
    if (isFault)
        sink.diagnostics().reject(DiagnosticCode::BadRecord, [&] { return refusal.detail; });
    return {};
}

Result<void> readArchive(ByteSource& source, SpanSink& sink, InputReport& report)
{
    std::optional<Error> firstRefusal;
    while (true) {
        const std::string name = source.memberName();
        if (auto read = readMember(source, sink, report); !read) {
            if (auto passed = refuseMember(read.error(), name, sink); !passed)
                return passed;
            if (!firstRefusal)
                firstRefusal = read.error();
        }
        const auto more = source.nextMember();
        if (!more)
            return fail(more.error());
        if (!*more)
            break;
    }
    return report.format.empty() && firstRefusal ? Result<void>(fail(*firstRefusal)) : Result<void>{};
}

/// What is to be said when a recognised input gave no span.
Result<void> checkYield(const ByteSource& source, const InputReport& report, Diagnostics& diagnostics)
{
    if (report.spans > 0)
        return {};
    if (source.damage())
        return fail(*source.damage());
    if (diagnostics.rejected() > 0)
        return fail(ErrorCode::Malformed, fmt::format("nothing could be read: {}", diagnostics.firstRejection()));
    diagnostics.report(DiagnosticCode::NoSpans, "the file is well-formed and holds no spans");
    return {};
}

} // namespace

Result<InputReport> readSource(const std::string& name, Result<std::unique_ptr<ByteSource>> opened, Dictionary& dictionary,
    const DeliverBatch& deliver, const JobControl& job)
{
    const auto inFile = [&name](Error error) {
        if (error.place.file.empty())
            error.place.file = name == "-" ? "standard input" : name;
        return fail(std::move(error));
    };
    if (!opened)
        return inFile(opened.error());
    ByteSource& source = **opened;
    InputReport report;
    report.path = name;
    report.compression = source.compression();
    report.from = source.start();
    SpanSink sink(dictionary, deliver, job, source.count(), report);
    if (const auto read = readArchive(source, sink, report); !read)
        return inFile(read.error());
    if (const auto finished = sink.finish(); !finished)
        return inFile(finished.error());
    report.compression = source.compression();
    report.bytes = source.count().onDisk;
    report.contentHash = source.contentHash();
    report.diagnostics.merge(source.diagnostics());
    if (const auto checked = checkYield(source, report, report.diagnostics); !checked)
        return inFile(checked.error());
    return report;
}

Result<InputReport> readInput(const std::string& path, Dictionary& dictionary, const DeliverBatch& deliver, const JobControl& job)
{
    return readSource(path, path == "-" ? ByteSource::openStandardInput() : ByteSource::openFile(path), dictionary, deliver, job);
}

Result<InputReport> readInput(
    const std::string& path, const FilePart& part, Dictionary& dictionary, const DeliverBatch& deliver, const JobControl& job)
{
    return readSource(path, ByteSource::openFile(path, {}, part), dictionary, deliver, job);
}

Result<InputReport> readInputBytes(
    const std::string& name, std::string_view bytes, Dictionary& dictionary, const DeliverBatch& deliver, const JobControl& job)
{
    return readSource(name, ByteSource::openMemory(bytes), dictionary, deliver, job);
}

} // namespace chokepoint
