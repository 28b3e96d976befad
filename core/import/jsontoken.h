// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Single JSON tokens as raw text: what they are, and the text of strings, more tolerant than the standard.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chokepoint {

enum class JsonKind { Text, Number, True, False, Null, NonFinite, Object, Array, Invalid };

/// A token as it stands in the file, without white space around it; of an object or array its bracket.
struct JsonToken {
    JsonKind kind = JsonKind::Null;
    std::string_view raw;

    [[nodiscard]] bool isNull() const { return kind == JsonKind::Null; }
    [[nodiscard]] bool isScalar() const { return kind != JsonKind::Object && kind != JsonKind::Array && kind != JsonKind::Invalid; }
};

/// NaN, Infinity and -Infinity are NonFinite, as Python writes them. A Number is only known to begin like one.
[[nodiscard]] JsonToken jsonToken(std::string_view raw);

/// The text between the quotes of a Text token with its escapes undone; half a surrogate pair becomes U+FFFD. Borrows from
/// the token when it has no escape, else from \a scratch. Other tokens give their raw text, null gives none.
[[nodiscard]] std::string_view tokenText(const JsonToken& token, std::string& scratch);
/// The same for text without its quotes.
[[nodiscard]] std::string_view unescaped(std::string_view escaped, std::string& scratch);

/// The number in a Number or Text token when it fits \a uint32; 0 for null; nothing for everything else.
[[nodiscard]] std::optional<std::uint32_t> tokenUint32(const JsonToken& token);

} // namespace chokepoint
