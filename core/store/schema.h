// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a workspace file, its version number, and the steps from older versions to this one.
#pragma once

#include "core/store/sqlite.h"

namespace chokepoint {

inline constexpr std::int64_t workspaceApplicationId = 0x43484b50; // "CHKP", PRAGMA application_id
inline constexpr int workspacePageSize = 16384; // bytes; blocks are large (perf: 0.26 s against 0.41 s at 4096)

/// The version this program writes (PRAGMA user_version).
[[nodiscard]] int currentSchemaVersion();

/// Gives an empty database our identity and the tables of the current version.
[[nodiscard]] Result<void> createSchema(const sqlite::Connection& connection);

/// Accepts a database of ours. Fails with NotAWorkspace, WorkspaceTooNew, WorkspaceDamaged. An older one is brought forward in
/// one transaction when \a mayMigrate, otherwise it is refused with CannotOpen and advice.
[[nodiscard]] Result<void> checkSchema(const sqlite::Connection& connection, bool mayMigrate);

} // namespace chokepoint
