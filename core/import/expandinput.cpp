// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Directories as inputs: which files below them are traces, and in what order.
#include "core/import/bytesource.h"
#include "core/import/formats.h"
#include "core/import/readinput.h"
#include "core/import/rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace chokepoint {

namespace {

namespace fs = std::filesystem;

bool isTraceFile(const std::string& path)
{
    const auto source = ByteSource::openFile(path);
    if (!source)
        return false;
    const auto head = (*source)->peek(detectionHead);
    return head && readerFor(*head, head->size() < detectionHead) != nullptr;
}

} // namespace

Result<std::vector<std::string>> expandInput(const std::string& path)
{
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error))
        return std::vector<std::string>{path};
    std::vector<std::string> files;
    fs::recursive_directory_iterator entries(path, fs::directory_options::skip_permission_denied, error);
    if (error)
        return fail(ErrorCode::CannotOpen, fmt::format("the directory cannot be read: {}", error.message()), {path, {}, {}});
    for (; entries != fs::recursive_directory_iterator(); entries.increment(error)) {
        if (error)
            return fail(ErrorCode::CannotOpen, fmt::format("the directory cannot be read: {}", error.message()), {path, {}, {}});
        std::error_code ignored; // a file that is gone by now is none
        if (entries->is_regular_file(ignored) && isTraceFile(entries->path().string()))
            files.push_back(entries->path().string());
    }
    if (files.empty())
        return fail(ErrorCode::UnrecognizedFormat, "there is no trace file in this directory or below it", {path, {}, {}});
    const auto order = [](const std::string& file) {
        Rotation rotation = rotationOf(file);
        const bool isLive = rotation.stamp.empty();
        return std::tuple(fs::path(file).parent_path().string(), std::move(rotation.family), isLive, std::move(rotation.stamp));
    };
    std::sort(files.begin(), files.end(), [&order](const std::string& a, const std::string& b) { return order(a) < order(b); });
    return files;
}

} // namespace chokepoint
