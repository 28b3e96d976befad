// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// From files to one loaded side of a comparison: what the window runs on a worker.
#pragma once

#include "core/pipeline/dataset.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace chokepoint {

/// What opening files or a workspace came to.
struct OpenedInputs {
    std::vector<ImportOutcome> outcomes; // of files; empty for a workspace
    std::shared_ptr<const Store> store; // null when error is set
    std::vector<Deployment> deployments; // of the store
    std::vector<StoredInput> inputs; // recorded in the store
    std::shared_ptr<const Dataset> dataset; // null when a workspace holds several deployments: the caller picks
    std::optional<Error> error;
};

/// Reads \a paths into a workspace that vanishes with its last user, or opens the workspace that the only path names, and
/// loads it. A workspace with several deployments is opened, not loaded. Blocks; never throws.
[[nodiscard]] OpenedInputs openInputs(const std::vector<std::string>& paths, const std::string& label, const JobControl& job);

/// Both deployments of one open workspace.
struct LoadedPair {
    std::shared_ptr<const Dataset> before;
    std::shared_ptr<const Dataset> after;
    std::optional<Error> error;
};
[[nodiscard]] LoadedPair loadPair(
    const std::shared_ptr<const Store>& store, const Deployment& before, const Deployment& after, const JobControl& job);

/// A name for a side, from its files: "b-run" for "/tmp/b-run.jsonl.gz"; several files are named by the first.
[[nodiscard]] std::string labelForPaths(const std::vector<std::string>& paths);
/// The same with the folder in front, for two sides whose files have the same name: "after/otlp".
[[nodiscard]] std::string longLabelForPaths(const std::vector<std::string>& paths);

/// Writes a workspace with both sides to \a path by reading their files again, and keeps \a verdict in it. \a path must not
/// exist. Nothing is left behind on failure.
struct WorkspaceSide {
    std::string label;
    std::vector<std::string> paths;
};
[[nodiscard]] Result<void> writeWorkspace(
    const std::string& path, const std::vector<WorkspaceSide>& sides, const std::string& verdict, const JobControl& job);

/// Writes the comparison as `chokepoint compare` prints it: JSON when \a path ends in ".json", text otherwise. The file is
/// written aside and renamed; an existing one is replaced. Fails with CannotWrite.
[[nodiscard]] Result<void> writeComparison(
    const std::string& path, const Comparison& comparison, const Dataset& before, const Dataset& after);

} // namespace chokepoint
