// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Archives and compressed streams of every kind for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace chokepoint::testing {

/// \a members (name, bytes) one after another through libarchive; \a filter and \a format are its codes.
[[nodiscard]] std::string archived(int filter, int format, const std::vector<std::pair<std::string, std::string>>& members);

} // namespace chokepoint::testing
