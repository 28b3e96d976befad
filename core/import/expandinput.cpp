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
#include <iterator>
#include <optional>
#include <tuple>

namespace chokepoint {

namespace {

namespace fs = std::filesystem;

/// Why \a path is no trace file; nothing when it is one, or an archive with one in it.
std::optional<Error> whyPassed(const std::string& path)
{
    const auto source = ByteSource::openFile(path);
    if (!source)
        return source.error();
    std::optional<Error> first;
    while (true) {
        const auto head = (*source)->peek(detectionHead);
        if (head && readerFor(*head, head->size() < detectionHead) != nullptr)
            return std::nullopt;
        if (!first)
            first = head ? whyUnreadable(*head) : head.error();
        if (!(*source)->nextMember().value_or(false))
            return first;
    }
}

bool isHidden(const fs::path& path)
{
    return path.filename().native().starts_with('.');
}

} // namespace

Result<std::vector<std::string>> expandInput(const std::string& path, std::vector<Error>* passed)
{
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error))
        return std::vector<std::string>{path};
    std::vector<std::string> files;
    std::vector<Error> others;
    fs::recursive_directory_iterator entries(path, fs::directory_options::skip_permission_denied, error);
    if (error)
        return fail(ErrorCode::CannotOpen, fmt::format("the directory cannot be read: {}", error.message()), {path, {}, {}});
    for (; entries != fs::recursive_directory_iterator(); entries.increment(error)) {
        if (error)
            return fail(ErrorCode::CannotOpen, fmt::format("the directory cannot be read: {}", error.message()), {path, {}, {}});
        std::error_code ignored; // a file that is gone by now is none
        if (isHidden(entries->path())) {
            entries.disable_recursion_pending();
            continue;
        }
        if (!entries->is_regular_file(ignored))
            continue;
        const std::string file = entries->path().string();
        if (std::optional<Error> reason = whyPassed(file)) {
            reason->place.file = file;
            others.push_back(std::move(*reason));
        } else {
            files.push_back(file);
        }
    }
    if (files.empty())
        return fail(ErrorCode::UnrecognizedFormat, "there is no trace file in this directory or below it", {path, {}, {}});
    const auto order = [](const std::string& file) {
        Rotation rotation = rotationOf(file);
        const bool isLive = rotation.stamp.empty();
        return std::tuple(fs::path(file).parent_path().string(), std::move(rotation.family), isLive, std::move(rotation.stamp));
    };
    std::sort(files.begin(), files.end(), [&order](const std::string& a, const std::string& b) { return order(a) < order(b); });
    if (passed != nullptr) {
        std::sort(others.begin(), others.end(), [](const Error& a, const Error& b) { return a.place.file < b.place.file; });
        passed->insert(passed->end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    }
    return files;
}

} // namespace chokepoint
