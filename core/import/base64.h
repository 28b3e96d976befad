// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Base64 as producers of traces write it: standard or URL alphabet, with or without padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chokepoint {

/// Nothing when \a text is no base64: foreign characters, an impossible length, or bits that no encoder leaves behind.
[[nodiscard]] std::optional<std::string> fromBase64(std::string_view text);

} // namespace chokepoint
