// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Log files of container runtimes: every line of the program wrapped in one of the runtime, long ones in several.
#pragma once

#include "core/import/bytelayer.h"

#include <memory>
#include <string_view>

namespace chokepoint {

enum class ContainerLog {
    None,
    Docker, // {"log":"text\n","stream":"stdout","time":"..."}
    Cri // 2026-11-30T06:58:44.1Z stdout F text, where P instead of F means that the line goes on
};

/// Told from the first line.
[[nodiscard]] ContainerLog containerLogOf(std::string_view head);

/// The program's own text. Lines that are not wrapped are passed on.
[[nodiscard]] PullBytes unwrappedLog(std::shared_ptr<ByteLayer> below, ContainerLog kind);

} // namespace chokepoint
