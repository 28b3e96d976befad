// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The sample pair that comes with the program, and where it is found.
#pragma once

#include "core/base/result.h"

#include <string>

namespace chokepoint {

struct SamplePair {
    std::string before; // paths of existing files
    std::string after;
};

/// Looks in $CHOKEPOINT_RESOURCES/samples, beside the executable (../share/chokepoint/samples), and in the source tree that
/// the program was built from, in this order. \a executable is argv[0] or the application's path. Fails with NotFound.
[[nodiscard]] Result<SamplePair> findSamples(const std::string& executable);

/// Copies the pair into \a directory (created when missing) and returns the new paths. Existing files are not overwritten
/// (CannotWrite).
[[nodiscard]] Result<SamplePair> writeSamples(const SamplePair& samples, const std::string& directory);

} // namespace chokepoint
