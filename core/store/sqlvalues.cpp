// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/sqlvalues.h"

#include "core/store/sqliteapi.h"

#include <algorithm>
#include <array>

namespace chokepoint {

void emitText(sqlite3_context* out, std::string_view text)
{
    sqlite3_result_text64(out, text.data() != nullptr ? text.data() : "", text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void emitTextOrNull(sqlite3_context* out, std::string_view text)
{
    if (text.empty())
        sqlite3_result_null(out);
    else
        emitText(out, text);
}

void emitTime(sqlite3_context* out, Timestamp time)
{
    if (isKnown(time))
        sqlite3_result_int64(out, toNs(time));
    else
        sqlite3_result_null(out);
}

void emitDuration(sqlite3_context* out, Duration duration)
{
    if (isKnown(duration))
        sqlite3_result_int64(out, toNs(duration));
    else
        sqlite3_result_null(out);
}

namespace {

void emitBlob(sqlite3_context* out, std::string_view bytes)
{
    sqlite3_result_blob64(out, bytes.data() != nullptr ? bytes.data() : "", bytes.size(), SQLITE_TRANSIENT);
}

/// SQLite makes NULL of NaN; infinities it keeps.
void emitReal(sqlite3_context* out, double value)
{
    if (value != value)
        emitText(out, "NaN");
    else
        sqlite3_result_double(out, value);
}

/// By ValueTag.
constexpr std::array<const char*, 11> typeNames{
    "empty", "bool", "bool", "int", "double", "string", "string", "bytes", "array", "map", "number"};

/// By index of AttributeValue's variant.
constexpr std::array<const char*, 9> variantNames{"empty", "bool", "int", "double", "string", "bytes", "number", "array", "map"};

struct ValueEmitter {
    sqlite3_context* out;
    const AttributeValue& self;

    void operator()(std::monostate) const { sqlite3_result_null(out); }
    void operator()(bool value) const { sqlite3_result_int(out, value ? 1 : 0); }
    void operator()(std::int64_t value) const { sqlite3_result_int64(out, value); }
    void operator()(double value) const { emitReal(out, value); }
    void operator()(const std::string& text) const { emitText(out, text); }
    void operator()(const Bytes& bytes) const { emitBlob(out, bytes.data); }
    void operator()(const NumberText& number) const { emitText(out, number.text); }
    void operator()(const AttributeValue::Array&) const { emitText(out, toText(self)); }
    void operator()(const AttributeList&) const { emitText(out, toText(self)); }
};

} // namespace

void emitValue(sqlite3_context* out, const AttributeValue& value)
{
    std::visit(ValueEmitter{out, value}, value.value);
}

void emitValue(sqlite3_context* out, const PackedValue& value, const StringPool& strings)
{
    switch (value.tag) {
    case ValueTag::False:
    case ValueTag::True: sqlite3_result_int(out, value.tag == ValueTag::True ? 1 : 0); break;
    case ValueTag::Int: sqlite3_result_int64(out, value.integer); break;
    case ValueTag::Double: emitReal(out, value.real); break;
    case ValueTag::InternedText:
    case ValueTag::Text:
    case ValueTag::NumberText: emitText(out, value.text); break;
    case ValueTag::Bytes: emitBlob(out, value.text); break;
    case ValueTag::Array:
    case ValueTag::Map: {
        // The tag lies just before the container's bytes.
        PackedCursor cursor(std::string_view(value.container.data() - 1, value.container.size() + 1));
        emitText(out, toText(decodeValue(cursor, strings)));
        break;
    }
    default: sqlite3_result_null(out);
    }
}

void emitJson(sqlite3_context* out, const AttributeList& attributes)
{
    emitText(out, toText(AttributeValue{attributes}));
}

const char* valueTypeName(const AttributeValue& value)
{
    return variantNames[value.value.index()];
}

const char* valueTypeName(const PackedValue& value)
{
    return typeNames[std::min(std::size_t(value.tag), typeNames.size() - 1)];
}

} // namespace chokepoint
