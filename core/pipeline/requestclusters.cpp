// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/requestclusters.h"

#include "core/analysis/clusters.h"
#include "core/pipeline/tracevalues.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace chokepoint {

namespace {

constexpr std::array<std::string_view, 7> sessionKeys{"session.id", "gen_ai.conversation.id", "langfuse.session.id",
    "traceloop.association.properties.session_id", "langsmith.trace.session_id", "gen_ai.session.id", "ai.telemetry.metadata.sessionId"};
constexpr std::array<std::string_view, 3> userKeys{"user.id", "enduser.id", "langfuse.user.id"};
constexpr std::array<std::string_view, 4> replicaKeys{"service.instance.id", "k8s.pod.name", "container.id", "host.name"};

std::string minuteOf(const Dataset& dataset, std::size_t trace)
{
    const std::int32_t root = dataset.population.traces[trace].root;
    if (root < 0)
        return "";
    const Timestamp start = dataset.columns.spans.start[dataset.columns.firstSpan[trace] + std::size_t(root)];
    return isKnown(start) ? std::to_string(std::chrono::floor<std::chrono::minutes>(start).time_since_epoch().count()) : "";
}

/// Sessions as far as root spans tell them; reads no payload.
std::vector<std::string> rootSessions(const Dataset& dataset)
{
    std::vector<std::string> names(dataset.columns.traceCount());
    auto trace = std::size_t(0);
    for (const RequestKeys& keys : dataset.attemptFacts.requests) {
        while (dataset.columns.firstSpan[trace + 1] <= keys.span)
            ++trace;
        if (keys.session != 0)
            names[trace] = std::to_string(keys.session);
    }
    return names;
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

/// How much the included requests of \a dataset belong together by \a names.
Clustering clusteringBy(const Dataset& dataset, const std::vector<std::string>& names)
{
    std::vector<std::int64_t> values;
    std::vector<std::string> ofRow;
    for (const std::uint32_t trace : dataset.population.included) {
        values.push_back(toNs(dataset.population.traces[trace].e2e));
        ofRow.push_back(names[trace]);
    }
    const RowClusters clusters = rowClusters(ofRow);
    return clusters.size() < clustersWanted ? Clustering() : clusteringOf(values, clusters);
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
        const char* name;
        std::vector<std::string> (*names)(const Dataset&);
    };
    std::vector<std::string> hints;
    for (const Way& way : {Way{"session", rootSessions}, Way{"replica", replicas}, Way{"minute", minutes}}) {
        double effect = 0;
        for (const Dataset* dataset : {&before, &after})
            if (const Clustering clustering = clusteringBy(*dataset, way.names(*dataset)); clustering.matters())
                effect = std::max(effect, clustering.designEffect);
        if (effect > 0)
            hints.push_back(fmt::format("Requests of one {0} resemble each other (design effect {1:.1f}), while intervals take each by "
                                        "itself and are about {2:.1f} times too narrow; use --cluster {0}",
                way.name, effect, std::sqrt(effect)));
    }
    return hints;
}

} // namespace chokepoint
