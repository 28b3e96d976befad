// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Escapes for text that goes into markup. Each is total: any valid UTF-8 text comes out as text of the format.
#pragma once

#include <string>
#include <string_view>

namespace chokepoint {

/// For element content and quoted attributes of HTML and XML; control characters as \xNN.
[[nodiscard]] std::string htmlEscaped(std::string_view text);
/// For a table cell or a line of Markdown: one line, no markup, no cell separator.
[[nodiscard]] std::string markdownEscaped(std::string_view text);
/// \a text with every " doubled, as CSV wants it inside quotes.
[[nodiscard]] std::string quotesDoubled(std::string_view text);

} // namespace chokepoint
