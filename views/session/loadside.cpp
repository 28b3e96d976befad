// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Blocking steps of a session, without widgets.
#include "views/session/loadside.h"

#include "core/pipeline/explain.h"
#include "core/report/comparisonreport.h"

#include <QSaveFile>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

namespace chokepoint {

namespace {

OpenedInputs failed(Error error, std::vector<ImportOutcome> outcomes = {})
{
    OpenedInputs opened;
    opened.error = std::move(error);
    opened.outcomes = std::move(outcomes);
    return opened;
}

/// Fills in what the store knows of itself and loads it when it holds a single deployment.
OpenedInputs describe(Store store, std::vector<ImportOutcome> outcomes, const std::string& label, const JobControl& job)
{
    OpenedInputs opened;
    opened.outcomes = std::move(outcomes);
    Result<std::vector<Deployment>> deployments = store.deployments();
    if (!deployments)
        return failed(std::move(deployments).error(), std::move(opened.outcomes));
    Result<std::vector<StoredInput>> inputs = store.inputs();
    if (!inputs)
        return failed(std::move(inputs).error(), std::move(opened.outcomes));
    opened.deployments = std::move(*deployments);
    opened.inputs = std::move(*inputs);
    opened.store = std::make_shared<const Store>(std::move(store));
    if (opened.deployments.size() > 1)
        return opened;

    Result<std::shared_ptr<const Dataset>> dataset = loadDataset(opened.store, std::nullopt, label, AnalysisOptions{}, job);
    if (!dataset)
        return failed(std::move(dataset).error(), std::move(opened.outcomes));
    opened.dataset = std::move(*dataset);
    return opened;
}

constexpr std::array<std::string_view, 11> traceSuffixes{
    ".gz", ".zst", ".xz", ".json", ".jsonl", ".ndjson", ".proto", ".binpb", ".pb", ".zip", ".chokepoint"};

std::string withoutSuffixes(std::string name)
{
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view suffix : traceSuffixes)
            if (name.size() > suffix.size() && name.ends_with(suffix)) {
                name.resize(name.size() - suffix.size());
                again = true;
            }
    }
    return name;
}

} // namespace

OpenedInputs openInputs(const std::vector<std::string>& paths, const std::string& label, const JobControl& job)
{
    if (paths.size() == 1 && Store::isWorkspace(paths.front())) {
        Result<Store> store = Store::open(paths.front(), Store::Mode::ReadOnly);
        if (!store)
            return failed(std::move(store).error());
        return describe(std::move(*store), {}, label, job);
    }

    Result<Store> store = Store::temporary();
    if (!store)
        return failed(std::move(store).error());
    Result<std::vector<ImportOutcome>> outcomes = importInputs(*store, paths, label, job);
    if (!outcomes)
        return failed(std::move(outcomes).error());
    if (std::ranges::all_of(*outcomes, [](const ImportOutcome& outcome) { return outcome.error.has_value(); })) {
        Error first = outcomes->empty() ? Error{ErrorCode::EmptyInput, "there is no file to read; choose one or more trace files", {}}
                                        : *outcomes->front().error;
        return failed(std::move(first), std::move(*outcomes));
    }
    return describe(std::move(*store), std::move(*outcomes), label, job);
}

LoadedPair loadPair(const std::shared_ptr<const Store>& store, const Deployment& before, const Deployment& after, const JobControl& job)
{
    LoadedPair pair;
    for (auto [deployment, target] : {std::pair{&before, &pair.before}, std::pair{&after, &pair.after}}) {
        Result<std::shared_ptr<const Dataset>> dataset = loadDataset(store, deployment->id, deployment->label, AnalysisOptions{}, job);
        if (!dataset) {
            pair.error = std::move(dataset).error();
            return pair;
        }
        *target = std::move(*dataset);
    }
    return pair;
}

std::string labelForPaths(const std::vector<std::string>& paths)
{
    if (paths.empty())
        return {};
    std::filesystem::path path(paths.front());
    if (!path.has_filename())
        path = path.parent_path();
    return withoutSuffixes(path.filename().string());
}

std::string longLabelForPaths(const std::vector<std::string>& paths)
{
    const std::string name = labelForPaths(paths);
    if (paths.empty())
        return name;
    std::filesystem::path path(paths.front());
    if (!path.has_filename())
        path = path.parent_path();
    const std::string folder = path.parent_path().filename().string();
    return folder.empty() ? name : folder + "/" + name;
}

Result<void> writeWorkspace(
    const std::string& path, const std::vector<WorkspaceSide>& sides, const std::string& verdict, const JobControl& job)
{
    Result<Store> store = Store::create(path);
    if (!store)
        return fail(std::move(store).error());
    for (const WorkspaceSide& side : sides) {
        const Result<std::vector<ImportOutcome>> outcomes = importInputs(*store, side.paths, side.label, job);
        if (!outcomes)
            return fail(outcomes.error());
        for (const ImportOutcome& outcome : *outcomes)
            if (outcome.error)
                return fail(*outcome.error);
    }
    if (!verdict.empty())
        if (Result<void> kept = store->setSetting("verdict", verdict); !kept)
            return kept;
    return store->publish();
}

Result<void> writeComparison(const std::string& path, const Comparison& comparison, const Dataset& before, const Dataset& after)
{
    ReportedComparison report{comparison, before.label, after.label, compareGroups(before.columns, after.columns), {}, &before.spending,
        &after.spending, &before.retries.summary, &after.retries.summary};
    const Result<ComparisonExplained> explained = explainComparison(before, after, comparison, JobControl());
    if (!explained)
        return fail(explained.error());
    report.amdahl = &explained->amdahl;
    report.findings = &explained->findings;
    report.doubtsBefore = before.allDoubts();
    report.doubtsAfter = after.allDoubts();
    const std::string text = path.ends_with(".json") ? comparisonJson(report) + "\n"
        : path.ends_with(".md")                      ? comparisonMarkdown(report)
                                                     : comparisonText(report);
    QSaveFile file(QString::fromStdString(path));
    if (file.open(QIODevice::WriteOnly) && file.write(text.data(), qint64(text.size())) == qint64(text.size()) && file.commit())
        return {};
    return fail(ErrorCode::CannotWrite, "the file cannot be written: " + file.errorString().toStdString() + "; choose another folder",
        {.file = path});
}

} // namespace chokepoint
