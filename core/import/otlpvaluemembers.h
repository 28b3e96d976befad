// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The members of OTLP's AnyValue in JSON, of which one is given, in both spellings.
#pragma once

#include <array>
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

inline const ValueMemberName* findValueMember(std::string_view name)
{
    for (const ValueMemberName& member : valueMemberNames)
        if (member.name == name)
            return &member;
    return nullptr;
}

} // namespace chokepoint
