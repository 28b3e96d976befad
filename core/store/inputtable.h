// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The record of imported files: what they were, what was wrong with them, and how to know them again.
#pragma once

#include "core/store/sqlite.h"
#include "core/store/store.h"

#include <vector>

namespace chokepoint {

/// In the order of their import.
[[nodiscard]] Result<std::vector<StoredInput>> readInputs(const sqlite::Connection& db);

/// Adds \a input with \a newSpans, or brings the one with its id up to date. The caller holds a transaction.
[[nodiscard]] Result<void> recordInput(const sqlite::Connection& db, const StoredInput& input, std::uint64_t newSpans);

} // namespace chokepoint
