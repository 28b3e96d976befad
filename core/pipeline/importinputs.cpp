// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/dataset.h"

#include "core/import/rotation.h"
#include "core/pipeline/batchqueue.h"
#include "core/pipeline/knowninputs.h"
#include "core/pipeline/workspacecopy.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <thread>

namespace chokepoint {

namespace {

/// Reads \a path on a second thread while this one writes; where no thread is to be had, in turn. The reader's error wins, unless
/// the store's failure caused it.
Result<InputReport> readAndWrite(const std::string& path, const FilePart& part, SpanWriter& writer, const JobControl& job)
{
    const auto read = [&](const DeliverBatch& deliver) {
        return path == "-" ? readInput(path, writer.dictionary(), deliver, job) : readInput(path, part, writer.dictionary(), deliver, job);
    };
    BatchQueue queue;
    Result<InputReport> report = fail(ErrorCode::Internal, "nothing was read");
    std::optional<Error> writeError;
    std::jthread reader;
    try {
        reader = std::jthread([&] {
            report = read([&queue](SpanBatch& batch) -> Result<void> {
                if (!queue.put(batch))
                    return fail(ErrorCode::Cancelled, "the store stopped taking spans");
                return {};
            });
            queue.close();
        });
    } catch (const std::system_error&) {
        return read([&writer](SpanBatch& batch) { return writer.append(batch); });
    }
    while (std::optional<SpanBatch> batch = queue.take()) {
        if (Result<void> appended = writer.append(*batch); !appended) {
            writeError = std::move(appended).error();
            queue.abandon();
            break;
        }
        queue.giveBack(std::move(*batch));
    }
    reader.join();
    if (writeError)
        return fail(std::move(*writeError));
    return report;
}

ImportOutcome unchanged(const std::string& path, const StoredInput& known)
{
    ImportOutcome outcome;
    outcome.unchanged = true;
    outcome.report.path = path;
    outcome.report.format = known.format;
    outcome.report.compression = known.compression;
    outcome.report.bytes = known.bytes;
    return outcome;
}

StoredInput recordOf(const InputReport& report, const ReadingPlan& plan)
{
    StoredInput input;
    input.id = plan.continues;
    input.path = report.path;
    input.format = report.format;
    input.compression = report.compression;
    input.bytes = report.bytes;
    input.diagnostics = report.diagnostics;
    input.contentHash = report.contentHash;
    if (report.resume)
        input.resume = Place{.file = {}, .line = report.resume->line, .byte = report.resume->byte};
    return input;
}

/// One file in one transaction. A refused file leaves no trace in the store; the refusal is part of the outcome.
Result<ImportOutcome> importFile(
    Store& store, const std::string& path, const ReadingPlan& plan, const std::string& label, const JobControl& job)
{
    if (plan.same)
        return unchanged(path, *plan.same);
    ImportOutcome outcome;
    outcome.report.path = path;
    Result<SpanWriter> writer = SpanWriter::begin(store, label);
    if (!writer)
        return fail(std::move(writer).error());

    Result<InputReport> report =
        path != "-" && Store::isWorkspace(path) ? copyWorkspace(path, *writer, job) : readAndWrite(path, plan.part, *writer, job);
    if (!report) {
        if (const ErrorCode code = report.error().code; code == ErrorCode::Cancelled || code == ErrorCode::CannotWrite)
            return fail(std::move(report).error());
        outcome.error = std::move(report).error();
        return outcome;
    }
    if (job.stopRequested())
        return fail(ErrorCode::Cancelled, "cancelled");
    outcome.report = std::move(*report);
    Result<SpanWriter::Written> written = writer->commit(recordOf(outcome.report, plan));
    if (!written)
        return fail(std::move(written).error());
    outcome.written = std::move(*written);
    return outcome;
}

/// What was added to a file may be no record, or of another format: then all of it is read again, and spans that are known
/// are kept once.
Result<ImportOutcome> importPlanned(
    Store& store, const std::string& path, ReadingPlan plan, const std::string& label, const JobControl& job)
{
    Result<ImportOutcome> outcome = importFile(store, path, plan, label, job);
    if (!outcome || !outcome->error || plan.continues == 0)
        return outcome;
    plan.continues = 0;
    plan.part.from = {};
    plan.part.before = {};
    return importFile(store, path, plan, label, job);
}

/// Told beside what was imported: nothing is wrong with a directory that holds other files too.
ImportOutcome passedOver(const Error& why)
{
    ImportOutcome outcome;
    outcome.report.path = why.place.file;
    outcome.report.diagnostics.report(DiagnosticCode::OtherSignal, [&why] { return "passed over: " + why.detail; });
    return outcome;
}

} // namespace

Result<std::vector<ImportOutcome>> importInputs(
    Store& store, const std::vector<std::string>& inputs, const std::string& label, const JobControl& job)
{
    std::vector<ImportOutcome> outcomes;
    std::vector<std::string> files;
    std::vector<Error> passed;
    for (const std::string& input : inputs) {
        Result<std::vector<std::string>> found = expandInput(input, &passed);
        if (found) {
            files.insert(files.end(), found->begin(), found->end());
            continue;
        }
        ImportOutcome refused;
        refused.report.path = input;
        refused.error = std::move(found).error();
        outcomes.push_back(std::move(refused));
    }
    const Result<KnownInputs> known = KnownInputs::of(store, label);
    if (!known)
        return fail(known.error());
    std::string head; // of the file, when it is the end of a record in the segment before
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string tail = i + 1 < files.size() ? cutRecordEnd(files[i], files[i + 1]) : std::string();
        Result<ImportOutcome> outcome = importPlanned(store, files[i], known->planFor(files[i], head, tail), label, job);
        if (!outcome)
            return fail(std::move(outcome).error());
        outcomes.push_back(std::move(*outcome));
        head = tail;
    }
    if (std::ranges::any_of(outcomes, [](const ImportOutcome& outcome) { return !outcome.error; }))
        std::ranges::transform(passed, std::back_inserter(outcomes), passedOver);
    return outcomes;
}

} // namespace chokepoint
