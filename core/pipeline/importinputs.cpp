// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/dataset.h"

#include "core/pipeline/batchqueue.h"
#include "core/pipeline/workspacecopy.h"

#include <thread>

namespace chokepoint {

namespace {

/// Reads \a path on a second thread while this one writes. The reader's error wins, unless the store's failure caused it.
Result<InputReport> readAndWrite(const std::string& path, SpanWriter& writer, const JobControl& job)
{
    BatchQueue queue;
    Result<InputReport> report = fail(ErrorCode::Internal, "nothing was read");
    std::optional<Error> writeError;
    {
        std::jthread reader([&] {
            const DeliverBatch deliver = [&](SpanBatch& batch) -> Result<void> {
                if (!queue.put(batch))
                    return fail(ErrorCode::Cancelled, "the store stopped taking spans");
                return {};
            };
            report = readInput(path, writer.dictionary(), deliver, job);
            queue.close();
        });
        while (std::optional<SpanBatch> batch = queue.take()) {
            if (Result<void> appended = writer.append(*batch); !appended) {
                writeError = std::move(appended).error();
                queue.abandon();
                break;
            }
            queue.giveBack(std::move(*batch));
        }
    }
    if (writeError)
        return fail(std::move(*writeError));
    return report;
}

/// One file in one transaction. A refused file leaves no trace in the store; the refusal is part of the outcome.
Result<ImportOutcome> importFile(Store& store, const std::string& path, const std::string& label, const JobControl& job)
{
    ImportOutcome outcome;
    outcome.report.path = path;
    Result<SpanWriter> writer = SpanWriter::begin(store, label);
    if (!writer)
        return fail(std::move(writer).error());

    Result<InputReport> report =
        path != "-" && Store::isWorkspace(path) ? copyWorkspace(path, *writer, job) : readAndWrite(path, *writer, job);
    if (!report) {
        if (const ErrorCode code = report.error().code; code == ErrorCode::Cancelled || code == ErrorCode::CannotWrite)
            return fail(std::move(report).error());
        outcome.error = std::move(report).error();
        return outcome;
    }
    if (job.stopRequested())
        return fail(ErrorCode::Cancelled, "cancelled");
    outcome.report = std::move(*report);
    StoredInput input;
    input.path = outcome.report.path;
    input.format = outcome.report.format;
    input.compression = outcome.report.compression;
    input.bytes = outcome.report.bytes;
    input.diagnostics = outcome.report.diagnostics;
    Result<SpanWriter::Written> written = writer->commit(std::move(input));
    if (!written)
        return fail(std::move(written).error());
    outcome.written = std::move(*written);
    return outcome;
}

} // namespace

Result<std::vector<ImportOutcome>> importInputs(
    Store& store, const std::vector<std::string>& inputs, const std::string& label, const JobControl& job)
{
    std::vector<ImportOutcome> outcomes;
    for (const std::string& input : inputs) {
        Result<std::vector<std::string>> files = input == "-" ? Result<std::vector<std::string>>(std::vector{input}) : expandInput(input);
        if (!files) {
            ImportOutcome refused;
            refused.report.path = input;
            refused.error = std::move(files).error();
            outcomes.push_back(std::move(refused));
            continue;
        }
        for (const std::string& file : *files) {
            Result<ImportOutcome> outcome = importFile(store, file, label, job);
            if (!outcome)
                return fail(std::move(outcome).error());
            outcomes.push_back(std::move(*outcome));
        }
    }
    return outcomes;
}

} // namespace chokepoint
