// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/tracevalues.h"

#include <algorithm>

namespace chokepoint {

namespace {

using KeyIds = std::vector<std::optional<StringId>>; // by key; none: it does not occur

/// The value of the key that comes first in \a keys, of those that the span has.
std::string attributeOf(std::string_view payload, const KeyIds& keys, const StringPool& strings)
{
    std::string value;
    std::size_t best = keys.size();
    PackedCursor cursor = payloadAttributes(payload);
    while (const std::uint64_t found = cursor.varint()) {
        const auto key = std::size_t(std::find(keys.begin(), keys.end(), std::optional(StringId(found - 1))) - keys.begin());
        if (key >= best) {
            cursor.skipValue();
            continue;
        }
        if (std::string text = toText(decodeValue(cursor, strings)); !text.empty()) {
            value = std::move(text);
            best = key;
        }
    }
    return value;
}

} // namespace

std::string resourceValue(const Dataset& dataset, std::size_t trace, std::span<const std::string_view> keys)
{
    const std::int32_t root = dataset.population.traces[trace].root;
    if (root < 0)
        return "";
    const TraceColumns& columns = dataset.columns;
    const Resource& resource = columns.dictionary->resource(columns.spans.resource[columns.firstSpan[trace] + std::size_t(root)]);
    for (const std::string_view key : keys)
        if (const AttributeValue* value = findAttribute(resource.attributes, key))
            return toText(*value);
    return "";
}

Result<std::vector<std::string>> valuesByTrace(
    const Dataset& dataset, std::span<const std::string_view> keys, ValueScope scope, const JobControl& job)
{
    const StringPool& strings = dataset.columns.dictionary->strings;
    KeyIds ids;
    for (const std::string_view key : keys)
        ids.push_back(strings.find(key));
    std::vector<std::string> values(dataset.columns.traceCount());
    const auto visit = [&](std::size_t index, const std::vector<std::string_view>& payloads) {
        const std::int32_t root = dataset.population.traces[index].root;
        if (root < 0)
            return !job.stopRequested();
        values[index] = attributeOf(payloads[std::size_t(root)], ids, strings);
        for (std::size_t i = 0; scope == ValueScope::AnySpan && values[index].empty() && i < payloads.size(); ++i)
            values[index] = attributeOf(payloads[i], ids, strings);
        if (values[index].empty())
            values[index] = resourceValue(dataset, index, keys);
        return !job.stopRequested();
    };
    if (Result<void> visited = dataset.store->forEachTracePayloads(dataset.columns, visit, job); !visited)
        return fail(std::move(visited).error());
    if (job.stopRequested())
        return fail(ErrorCode::Cancelled, "cancelled");
    return values;
}

} // namespace chokepoint
