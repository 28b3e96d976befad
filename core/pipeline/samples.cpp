// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/samples.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace chokepoint {

namespace fs = std::filesystem;

namespace {

constexpr const char* beforeName = "moved-before.jsonl.gz";
constexpr const char* afterName = "moved-after.jsonl.gz";

/// The directory of the running program; of \a executable where the system does not tell.
fs::path programDirectory(const std::string& executable)
{
    std::error_code error;
    const fs::path running = fs::read_symlink("/proc/self/exe", error);
    return (error ? fs::absolute(executable, error) : running).parent_path();
}

} // namespace

Result<SamplePair> findSamples(const std::string& executable)
{
    std::vector<fs::path> places;
    if (const char* resources = std::getenv("CHOKEPOINT_RESOURCES"))
        places.push_back(fs::path(resources) / "samples");
    places.push_back(programDirectory(executable) / "../share/chokepoint/samples");
#ifdef CHOKEPOINT_BUILD_RESOURCES
    places.push_back(fs::path(CHOKEPOINT_BUILD_RESOURCES) / "samples");
#endif
    std::error_code ignored;
    for (const fs::path& place : places)
        if (fs::is_regular_file(place / beforeName, ignored) && fs::is_regular_file(place / afterName, ignored))
            return SamplePair{(place / beforeName).lexically_normal().string(), (place / afterName).lexically_normal().string()};
    return fail(ErrorCode::NotFound, "the sample files are not installed; set CHOKEPOINT_RESOURCES to the directory that holds samples/");
}

Result<SamplePair> writeSamples(const SamplePair& samples, const std::string& directory)
{
    std::error_code error;
    fs::create_directories(directory, error);
    if (error)
        return fail(ErrorCode::CannotWrite, "cannot create the directory: " + error.message(), {.file = directory});
    SamplePair written{(fs::path(directory) / beforeName).string(), (fs::path(directory) / afterName).string()};
    for (const auto& [from, to] : {std::pair(samples.before, written.before), std::pair(samples.after, written.after)})
        if (!fs::copy_file(from, to, fs::copy_options::none, error))
            return fail(ErrorCode::CannotWrite, "cannot write the sample file: " + error.message(), {.file = to});
    return written;
}

} // namespace chokepoint
