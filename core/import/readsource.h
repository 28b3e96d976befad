// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// readInput() behind its opening of the input, for callers that bring their own source of bytes.
#pragma once

#include "core/import/bytesource.h"
#include "core/import/readinput.h"

#include <memory>
#include <string>

namespace chokepoint {

/// As readInput(); \a name is what errors and made-up ids are told with, and a failure to open is passed on.
[[nodiscard]] Result<InputReport> readSource(const std::string& name, Result<std::unique_ptr<ByteSource>> opened, Dictionary& dictionary,
    const DeliverBatch& deliver, const JobControl& job);

} // namespace chokepoint
