// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Our values as results of SQL functions and columns. Unknown is NULL.
#pragma once

#include "core/base/time.h"
#include "core/model/packed.h"

#include <string_view>

struct sqlite3_context;

namespace chokepoint {

void emitText(sqlite3_context* out, std::string_view text);
void emitTextOrNull(sqlite3_context* out, std::string_view text); // NULL for the empty text
void emitTime(sqlite3_context* out, Timestamp time);
void emitDuration(sqlite3_context* out, Duration duration);
/// Numbers and texts as they are, booleans as 0 and 1, bytes as a blob, NaN as text (SQLite has none), containers as JSON text.
void emitValue(sqlite3_context* out, const AttributeValue& value);
void emitValue(sqlite3_context* out, const PackedValue& value, const StringPool& strings);
void emitJson(sqlite3_context* out, const AttributeList& attributes);
/// "string", "int", ...; see virtualtables.h.
[[nodiscard]] const char* valueTypeName(const AttributeValue& value);
[[nodiscard]] const char* valueTypeName(const PackedValue& value);

} // namespace chokepoint
