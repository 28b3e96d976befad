// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The command line: every sub-command that draws nothing, the same in chokepoint and chokepoint-cli.
#pragma once

namespace chokepoint {

/// Runs the sub-command named by \a argv and returns the exit status of the contract: 0 done, 1 a gate failed, 2 bad usage or
/// an input that cannot be read, 3 inconclusive, 130 interrupted.
int runCommandLine(int argc, char** argv);

/// True when \a argument is the name of a sub-command, --help or --version.
[[nodiscard]] bool isCommand(const char* argument);

} // namespace chokepoint
