// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A saved workspace as an input: its spans go through a SpanWriter like those of any file.
#pragma once

#include "core/import/readinput.h"
#include "core/store/store.h"

namespace chokepoint {

/// Copies every span of the workspace at \a path into \a writer, whatever its deployment. Texts are interned anew.
[[nodiscard]] Result<InputReport> copyWorkspace(const std::string& path, SpanWriter& writer, const JobControl& job);

} // namespace chokepoint
