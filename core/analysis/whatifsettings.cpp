// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// NAME=VALUE to a setting of a what-if.
#include "core/analysis/timelimit.h"
#include "core/analysis/whatif.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace chokepoint {

namespace {

using Kind = WhatIfSetting::Kind;

enum class Value { Factor, Share, Time, Fallback, Count, Retries, Number };

struct Name {
    std::string_view text; // ends in a dot when a stage follows
    Kind kind;
    Value value;
};
constexpr std::array names = {Name{"retry_rate", Kind::RetryRate, Value::Share},
    Name{"router_accuracy", Kind::RouterAccuracy, Value::Share}, Name{"cache_hit", Kind::CacheHit, Value::Share},
    Name{"cache_lookup", Kind::CacheLookup, Value::Time}, Name{"spec_accept", Kind::SpeculativeAcceptance, Value::Share},
    Name{"spec_draft", Kind::DraftLength, Value::Count}, Name{"spec_cost", Kind::DraftCost, Value::Number},
    Name{"failure.", Kind::Failure, Value::Share}, Name{"fallback.", Kind::Fallback, Value::Fallback},
    Name{"timeout.", Kind::Timeout, Value::Time}, Name{"retry.", Kind::Retry, Value::Share},
    Name{"retry_max.", Kind::RetryMost, Value::Retries}, Name{"retry_backoff.", Kind::RetryBackoff, Value::Time},
    Name{"retry_growth.", Kind::RetryGrowth, Value::Number}, Name{"load", Kind::Load, Value::Factor},
    Name{"servers.", Kind::Servers, Value::Count}};

std::optional<double> number(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
        return std::nullopt;
    return value;
}

/// "60ms" in ns.
std::optional<double> timeNs(std::string_view text)
{
    for (const TimeUnitName& unit : timeUnitNames) {
        if (!text.ends_with(unit.text))
            continue;
        if (const auto value = number(text.substr(0, text.size() - unit.text.size())); value && *value * unit.ns < 9e18)
            return *value * unit.ns;
    }
    return std::nullopt;
}

std::optional<double> shareOf(std::string_view text)
{
    const bool isPercent = text.ends_with('%');
    const auto value = number(isPercent ? text.substr(0, text.size() - 1) : text);
    if (!value)
        return std::nullopt;
    const double share = isPercent ? *value / 100 : *value;
    return share <= 1 ? std::optional(share) : std::nullopt;
}

std::optional<double> valueOf(Value kind, std::string_view text)
{
    switch (kind) {
    case Value::Factor: return text.starts_with('x') ? number(text.substr(1)) : std::nullopt;
    case Value::Share: return shareOf(text);
    case Value::Time: return timeNs(text);
    case Value::Count: {
        const auto value = number(text);
        return value && *value >= 1 && *value <= 10'000 && *value == std::floor(*value) ? value : std::nullopt;
    }
    case Value::Fallback: return text == "none" ? -1 : timeNs(text);
    case Value::Retries: {
        const auto value = number(text);
        return value && *value <= 100 && *value == std::floor(*value) ? value : std::nullopt;
    }
    case Value::Number: return number(text);
    }
    return std::nullopt;
}

const char* wanted(Value kind)
{
    switch (kind) {
    case Value::Factor: return "a factor such as x0.5";
    case Value::Share: return "a share between 0 and 1, such as 0.3 or 30%";
    case Value::Time: return "a time such as 60ms";
    case Value::Count: return "a whole number of at least 1";
    case Value::Fallback: return "a time such as 60ms, or none when the request fails";
    case Value::Retries: return "a whole number from 0 to 100";
    case Value::Number: return "a number";
    }
    return "";
}

} // namespace

Result<WhatIfSetting> parseWhatIf(std::string_view text)
{
    WhatIfSetting setting;
    setting.text = text;
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
    const auto wrong = [&](std::string_view why) { return fail(ErrorCode::InvalidArgument, fmt::format("--set \"{}\": {}", text, why)); };
    constexpr std::string_view stage = "stage.";
    if (name.starts_with(stage) && name.size() > stage.size()) {
        setting.stage = name.substr(stage.size());
        const bool isAdded = value.starts_with('+') || value.starts_with('-');
        setting.kind = isAdded ? Kind::AddToStage : Kind::ScaleStage;
        const auto parsed = isAdded ? timeNs(value.substr(1)) : valueOf(Value::Factor, value);
        if (!parsed)
            return wrong("a stage takes a factor such as x0.5, or a time to add such as +60ms or -10ms");
        setting.number = value.starts_with('-') ? -*parsed : *parsed;
        return setting;
    }
    for (const Name& known : names) {
        const bool hasStage = known.text.ends_with('.');
        if (hasStage ? !(name.starts_with(known.text) && name.size() > known.text.size()) : name != known.text)
            continue;
        setting.kind = known.kind;
        setting.stage = hasStage ? name.substr(known.text.size()) : std::string_view();
        const auto parsed = valueOf(known.value, value);
        if (!parsed)
            return wrong(fmt::format("it takes {}", wanted(known.value)));
        setting.number = *parsed;
        return setting;
    }
    return wrong("there is nothing of that name to set; use stage.NAME, retry_rate, router_accuracy, cache_hit, cache_lookup, spec_accept, "
                 "spec_draft, spec_cost, failure.NAME, fallback.NAME, timeout.NAME, retry.NAME, retry_max.NAME, retry_backoff.NAME, "
                 "retry_growth.NAME, load or servers.NAME, with NAME a stage");
}

} // namespace chokepoint
