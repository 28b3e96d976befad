// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a JSON tree as text again, and JSON that stands as text inside a text.
#pragma once

#include "core/import/jsontree.h"

#include <string>
#include <string_view>

namespace chokepoint {

/// The JSON of \a node without white space, its scalars as the file spells them; nothing for an absent one.
[[nodiscard]] std::string jsonText(JsonNode node);
/// Appends "key":value to an object that is being written; \a object begins as "{".
void appendJsonMember(std::string& object, std::string_view key, JsonNode value);

/// Objects and lists that a producer wrote as text, once or twice over. One at a time.
class EmbeddedJson {
public:
    explicit EmbeddedJson(Diagnostics& diagnostics) : m_diagnostics(diagnostics) { }

    /// The object or list that \a node is, or that its text is the JSON of, or the JSON text of the JSON of; absent for everything
    /// else. Good until the next call.
    [[nodiscard]] JsonNode read(JsonNode node);
    /// The same for a text.
    [[nodiscard]] JsonNode read(std::string_view text);
    /// The JSON behind the last one that was read from a text: the text, or what it was the encoding of.
    [[nodiscard]] const std::string& source() const { return m_source; }

private:
    Diagnostics& m_diagnostics;
    JsonTree m_tree;
    std::string m_source;
};

} // namespace chokepoint
