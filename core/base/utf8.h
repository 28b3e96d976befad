// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// UTF-8: check, repair, shorten, and make text safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace chokepoint {

[[nodiscard]] bool isValidUtf8(std::string_view text);
/// Every invalid sequence becomes U+FFFD; valid text comes back unchanged.
[[nodiscard]] std::string repairedUtf8(std::string_view text);
/// At most \a maxCodePoints code points, the last of them an ellipsis where text was cut.
[[nodiscard]] std::string elided(std::string_view text, std::size_t maxCodePoints);
/// Control characters (C0, DEL, C1) as \xNN, so that text from traces cannot drive a terminal.
[[nodiscard]] std::string escapedControls(std::string_view text);
/// ASCII and Latin/Greek/Cyrillic letters folded to lower case, for case-insensitive literal search.
[[nodiscard]] std::string foldedCase(std::string_view text);

} // namespace chokepoint
