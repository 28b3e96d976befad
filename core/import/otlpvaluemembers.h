// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The members of OTLP's AnyValue in JSON, of which one is given, in both spellings.
#pragma once

#include "core/import/jsondocument.h"

#include <array>
#include <cstring>
#include <string_view>

namespace chokepoint {

enum class ValueMember { Text, Bool, Int, Double, List, Map, Bytes, TextIndex };

struct ValueMemberName {
    std::string_view name;
    ValueMember member;
};

inline constexpr std::array valueMemberNames = {
    ValueMemberName{"stringValue", ValueMember::Text},
    ValueMemberName{"intValue", ValueMember::Int},
    ValueMemberName{"doubleValue", ValueMember::Double},
    ValueMemberName{"boolValue", ValueMember::Bool},
    ValueMemberName{"arrayValue", ValueMember::List},
    ValueMemberName{"kvlistValue", ValueMember::Map},
    ValueMemberName{"bytesValue", ValueMember::Bytes},
    ValueMemberName{"string_value", ValueMember::Text},
    ValueMemberName{"int_value", ValueMember::Int},
    ValueMemberName{"double_value", ValueMember::Double},
    ValueMemberName{"bool_value", ValueMember::Bool},
    ValueMemberName{"array_value", ValueMember::List},
    ValueMemberName{"kvlist_value", ValueMember::Map},
    ValueMemberName{"bytes_value", ValueMember::Bytes},
    ValueMemberName{"stringValueStrindex", ValueMember::TextIndex},
};

constexpr bool isContainer(ValueMember member)
{
    return member == ValueMember::List || member == ValueMember::Map;
}

inline const ValueMemberName* findValueMember(std::string_view name)
{
    for (const ValueMemberName& member : valueMemberNames)
        if (member.name == name)
            return &member;
    return nullptr;
}

/// Looks at no more of the member's name than it has to.
template <std::size_t Size> bool isNamed(const json::field& field, const char (&name)[Size])
{
    const char* raw = field.key().raw(); // at least 64 bytes are readable
    return std::memcmp(raw, name, Size - 1) == 0 && raw[Size - 1] == '"';
}

/// The two that nearly all attributes have come without a search.
inline const ValueMemberName* valueMemberOf(const json::field& field)
{
    if (isNamed(field, "stringValue"))
        return &valueMemberNames[0];
    if (isNamed(field, "intValue"))
        return &valueMemberNames[1];
    return findValueMember(rawKey(field));
}

} // namespace chokepoint
