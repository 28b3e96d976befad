// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// JSON as all reports write it: stable key order, absent numbers as null, never NaN.
#pragma once

#include "core/base/diagnostics.h"
#include "core/base/time.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <string>

namespace chokepoint {

using Json = nlohmann::ordered_json;

[[nodiscard]] inline Json toJson(Duration duration)
{
    return isKnown(duration) ? Json(toNs(duration)) : Json(nullptr);
}

/// Absolute time as text of Unix nanoseconds.
[[nodiscard]] inline Json toJsonText(Timestamp time)
{
    return isKnown(time) ? Json(std::to_string(toNs(time))) : Json(nullptr);
}

[[nodiscard]] inline Json toJson(std::optional<double> number)
{
    return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

[[nodiscard]] inline Json toJson(const Diagnostics& diagnostics)
{
    Json list = Json::array();
    for (const DiagnosticEntry& entry : diagnostics.entries())
        list.push_back({{"code", diagnosticName(entry.code)}, {"count", entry.count}, {"first", entry.first}});
    return list;
}

/// One document on one line, invalid UTF-8 replaced.
[[nodiscard]] inline std::string toText(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace chokepoint
