// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Kinds of requests, for telling whether requests got slower or slower kinds more frequent.
#pragma once

#include "core/pipeline/dataset.h"

#include <string>
#include <vector>

namespace chokepoint {

/// By trace: the operation of the root span and, where the first generate call tells its input, in which range of tokens that lies
/// ("POST /ask, input of 1k to 4k tokens"). Later calls do not count: they grow with retries, which are no kind of request.
[[nodiscard]] std::vector<std::string> requestKinds(const Dataset& dataset);

} // namespace chokepoint
