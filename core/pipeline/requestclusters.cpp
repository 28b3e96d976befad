// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/requestclusters.h"

#include "core/analysis/clusters.h"
#include "core/pipeline/tracevalues.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <unordered_map>

namespace chokepoint {

namespace {

constexpr std::array<std::string_view, 7> sessionKeys{"session.id", "gen_ai.conversation.id", "langfuse.session.id",
    "traceloop.association.properties.session_id", "langsmith.trace.session_id", "gen_ai.session.id", "ai.telemetry.metadata.sessionId"};
constexpr std::array<std::string_view, 3> userKeys{"user.id", "enduser.id", "langfuse.user.id"};
constexpr std::array<std::string_view, 4> replicaKeys{"service.instance.id", "k8s.pod.name", "container.id", "host.name"};

/// Minutes since the epoch at which the request began.
std::optional<std::int64_t> minuteAt(const Dataset& dataset, std::size_t trace)
{
    const std::int32_t root = dataset.population.traces[trace].root;
    if (root < 0)
        return std::nullopt;
    const Timestamp start = dataset.columns.spans.start[dataset.columns.firstSpan[trace] + std::size_t(root)];
    return isKnown(start) ? std::optional<std::int64_t>(std::chrono::floor<std::chrono::minutes>(start).time_since_epoch().count())
                          : std::nullopt;
}

std::string minuteOf(const Dataset& dataset, std::size_t trace)
{
    const std::optional<std::int64_t> minute = minuteAt(dataset, trace);
    return minute ? std::to_string(*minute) : "";
}

std::vector<std::string> replicas(const Dataset& dataset)
{
    std::vector<std::string> names;
    for (std::size_t trace = 0; trace < dataset.columns.traceCount(); ++trace)
        names.push_back(resourceValue(dataset, trace, replicaKeys));
    return names;
}

std::vector<std::string> minutes(const Dataset& dataset)
{
    std::vector<std::string> names;
    for (std::size_t trace = 0; trace < dataset.columns.traceCount(); ++trace)
        names.push_back(minuteOf(dataset, trace));
    return names;
}

// ---- hints: numbers in the place of names, 0 for none ----

using Keys = std::vector<std::uint64_t>; // by trace

/// Sessions as far as root spans tell them; reads no payload.
Keys sessionKeysOf(const Dataset& dataset)
{
    Keys keys(dataset.columns.traceCount());
    auto trace = std::size_t(0);
    for (const RequestKeys& request : dataset.attemptFacts.requests) {
        while (dataset.columns.firstSpan[trace + 1] <= request.span)
            ++trace;
        keys[trace] = request.session;
    }
    return keys;
}

Keys replicaKeysOf(const Dataset& dataset)
{
    const TraceColumns& columns = dataset.columns;
    std::unordered_map<std::uint32_t, std::uint64_t> known; // by resource
    Keys keys(columns.traceCount());
    for (std::size_t trace = 0; trace < keys.size(); ++trace) {
        const std::int32_t root = dataset.population.traces[trace].root;
        if (root < 0)
            continue;
        const auto [entry, isNew] =
            known.emplace(std::uint32_t(toIndex(columns.spans.resource[columns.firstSpan[trace] + std::size_t(root)])), 0);
        if (isNew)
            if (const std::string name = resourceValue(dataset, trace, replicaKeys); !name.empty())
                entry->second = hash64(name) | 1U;
        keys[trace] = entry->second;
    }
    return keys;
}

Keys minuteKeysOf(const Dataset& dataset)
{
    Keys keys(dataset.columns.traceCount());
    for (std::size_t trace = 0; trace < keys.size(); ++trace)
        if (const std::optional<std::int64_t> minute = minuteAt(dataset, trace))
            keys[trace] = mix64(std::uint64_t(*minute)) | 1U;
    return keys;
}

/// What sessionKeysOf() finds on both sides, as --cluster names it: "session" or "user"; "" where it would be refused.
std::string_view sessionNameOf(const Dataset& before, const Dataset& after)
{
    const auto occur = [&](std::span<const std::string_view> keys) {
        const auto areKnown = [&keys](const Dataset& side) {
            return std::any_of(
                keys.begin(), keys.end(), [&side](std::string_view key) { return side.columns.dictionary->strings.find(key).has_value(); });
        };
        return areKnown(before) && areKnown(after);
    };
    return occur(sessionKeys) ? "session" : occur(userKeys) ? "user" : "";
}

/// How much the included requests of \a dataset belong together by \a keys.
Clustering clusteringBy(const Dataset& dataset, const Keys& keys)
{
    RowClusters clusters;
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    for (const std::uint32_t trace : dataset.population.included) {
        auto cluster = std::uint32_t(clusters.rows.size());
        if (keys[trace] != 0)
            cluster = known.emplace(keys[trace], cluster).first->second;
        if (cluster == clusters.rows.size())
            clusters.rows.push_back(0);
        ++clusters.rows[cluster];
        clusters.ofRow.push_back(cluster);
    }
    if (clusters.size() < clustersWanted || clusters.size() == clusters.ofRow.size())
        return {};
    std::vector<std::int64_t> values;
    for (const std::uint32_t trace : dataset.population.included)
        values.push_back(toNs(dataset.population.traces[trace].e2e));
    return clusteringOf(values, clusters);
}

} // namespace

Result<std::vector<std::string>> requestClusters(const Dataset& dataset, const std::string& cluster, const JobControl& job)
{
    Result<std::vector<std::string>> names = std::vector<std::string>();
    if (cluster == "minute")
        names = minutes(dataset);
    else if (cluster == "replica")
        names = replicas(dataset);
    else if (cluster == "session")
        names = valuesByTrace(dataset, sessionKeys, ValueScope::AnySpan, job);
    else if (cluster == "user")
        names = valuesByTrace(dataset, userKeys, ValueScope::AnySpan, job);
    else
        names = valuesByTrace(dataset, std::array{std::string_view(cluster)}, ValueScope::AnySpan, job);
    if (!names)
        return names;
    const bool isTold = std::any_of(dataset.population.included.begin(), dataset.population.included.end(),
        [&names](std::uint32_t trace) { return !(*names)[trace].empty(); });
    if (!isTold && !dataset.population.included.empty())
        return fail(ErrorCode::InvalidArgument,
            fmt::format("--cluster {}: no complete trace of \"{}\" tells it; it takes session, user, replica, minute or the key of an "
                        "attribute",
                cluster, dataset.label));
    return names;
}

std::vector<std::string> clusterHints(const Dataset& before, const Dataset& after)
{
    struct Way {
        std::string_view name;
        Keys (*keys)(const Dataset&);
    };
    std::vector<std::string> hints;
    for (const Way& way : {Way{sessionNameOf(before, after), sessionKeysOf}, Way{"replica", replicaKeysOf}, Way{"minute", minuteKeysOf}}) {
        double effect = 0;
        for (const Dataset* dataset : {&before, &after})
            if (const Clustering clustering = clusteringBy(*dataset, way.keys(*dataset)); clustering.matters())
                effect = std::max(effect, clustering.designEffect);
        if (effect > 0 && !way.name.empty())
            hints.push_back(fmt::format("Requests of one {0} resemble each other (design effect {1:.1f}), while intervals take each by "
                                        "itself and are about {2:.1f} times too narrow; on the command line use --cluster {0}",
                way.name, effect, std::sqrt(effect)));
    }
    return hints;
}

} // namespace chokepoint
