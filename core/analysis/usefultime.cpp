// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/usefultime.h"

#include "core/analysis/arena.h"
#include "core/analysis/pathfinder.h"
#include "core/analysis/populationparts.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr std::size_t tracesPerTask = 128;

/// Where time of a stage goes: its top-level stage, and the use when it is no lost attempt.
struct StagePlace {
    std::size_t top = 0; // index in UsefulTimes::stages
    TimeUse use = TimeUse::Useful;
};

TimeUse useOf(const std::string& stage)
{
    if (stage == "backoff")
        return TimeUse::Retry;
    return stage == "queue" || stage.ends_with(".queue") ? TimeUse::Queue : TimeUse::Useful;
}

std::vector<StagePlace> placesOf(const StageTable& table, std::vector<std::string>& tops)
{
    for (std::size_t stage = 0; stage < table.size(); ++stage)
        if (table.topLevel(StageId(stage)) == StageId(stage))
            tops.push_back(table.name(StageId(stage)));
    std::sort(tops.begin(), tops.end());
    std::vector<StagePlace> places;
    for (std::size_t stage = 0; stage < table.size(); ++stage) {
        const auto top = std::lower_bound(tops.begin(), tops.end(), table.name(table.topLevel(StageId(stage))));
        places.push_back({std::size_t(top - tops.begin()), useOf(table.name(StageId(stage)))});
    }
    return places;
}

/// Traces that a client sent again: all of their time is lost.
std::vector<bool> lostTraces(const RetryAnalysis* retries, std::size_t count)
{
    std::vector<bool> lost(count);
    if (retries == nullptr)
        return lost;
    for (const AttemptGroup& group : retries->groups) {
        if (group.kind != AttemptKind::ClientRetry || !group.counted)
            continue;
        const std::span<const Attempt> attempts = retries->attemptsOf(group);
        for (std::size_t k = 0; k + 1 < attempts.size(); ++k)
            lost[attempts[k].trace] = true;
    }
    return lost;
}

/// [begin, end) as offsets from the begin of a path.
struct Stretch {
    Duration begin;
    Duration end;
};

/// Ascending and disjoint.
void unite(std::vector<Stretch>& stretches)
{
    std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
    std::size_t kept = 0;
    for (const Stretch& stretch : stretches) {
        if (kept > 0 && stretch.begin <= stretches[kept - 1].end)
            stretches[kept - 1].end = std::max(stretches[kept - 1].end, stretch.end);
        else
            stretches[kept++] = stretch;
    }
    stretches.resize(kept);
}

Duration overlap(const std::vector<Stretch>& stretches, Duration begin, Duration end)
{
    Duration sum{0};
    auto stretch = std::partition_point(stretches.begin(), stretches.end(), [begin](const Stretch& each) { return each.end <= begin; });
    for (; stretch != stretches.end() && stretch->begin < end; ++stretch)
        sum += std::min(end, stretch->end) - std::max(begin, stretch->begin);
    return sum;
}

class UsefulTimeRun {
public:
    UsefulTimeRun(const TraceColumns& columns, const StageMap& stages, const Population& population, const RetryAnalysis* retries,
        const PathOptions& options, UsefulTimes& out)
        : m_columns(columns), m_stages(stages), m_population(population), m_retries(retries), m_options(options), m_out(out),
          m_places(placesOf(*stages.table, out.stages)), m_lostTraces(lostTraces(retries, columns.traceCount()))
    {
        m_options.root = -1; // an index means nothing across traces
    }

    void resize(std::size_t rows)
    {
        m_out.rows = rows;
        m_out.path.assign(rows * m_out.stages.size() * timeUseCount, 0);
        m_out.own.assign(rows * m_out.stages.size(), 0);
    }

    void analyse(std::size_t row, std::uint32_t index)
    {
        Worker& worker = m_workers.local();
        const TraceView trace = m_columns.trace(index);
        std::int64_t* const path = m_out.path.data() + row * m_out.stages.size() * timeUseCount;
        const bool isLost = m_lostTraces[index];
        const bool mayLose = !isLost && m_retries != nullptr && !m_retries->groupsOf(index).empty();
        if (mayLose)
            splitPath(index, trace, worker, path);
        else
            takePath(index, isLost, path);
        if (!isLost)
            addOwn(row, index, trace, worker);
    }

private:
    struct Worker {
        PathFinder finder;
        CriticalPath path;
        std::vector<Stretch> lost;
    };

    /// The path of the population: nothing or all of it is lost.
    void takePath(std::uint32_t index, bool isLost, std::int64_t* path) const
    {
        const Duration* const onPath = m_population.onPath.data() + index * m_population.stageCount;
        for (std::size_t stage = 0; stage < m_population.stageCount; ++stage) {
            const StagePlace& place = m_places[stage];
            path[place.top * timeUseCount + std::size_t(isLost ? TimeUse::Retry : place.use)] += toNs(onPath[stage]);
        }
    }

    /// The path found again, to know when its parts were.
    void splitPath(std::uint32_t index, const TraceView& trace, Worker& worker, std::int64_t* path) const
    {
        worker.finder.find(trace, *m_columns.dictionary, m_options, worker.path);
        listLost(index, worker.path, worker.path.shift, worker.lost);
        visitStageParts(worker.path, trace, m_stages, m_columns.firstSpan[index], [&](StageId stage, const PathSegment& part) {
            const StagePlace& place = m_places[toIndex(stage)];
            const Duration lost = overlap(worker.lost, part.begin, part.end);
            std::int64_t* uses = path + place.top * timeUseCount;
            uses[std::size_t(TimeUse::Retry)] += toNs(lost);
            uses[std::size_t(place.use)] += toNs(part.end - part.begin - lost);
        });
    }

    /// Attempts of the trace that others replaced, each until the next begins.
    void listLost(std::uint32_t index, const CriticalPath& path, const std::vector<Duration>& shift, std::vector<Stretch>& lost) const
    {
        lost.clear();
        if (m_retries == nullptr)
            return;
        const auto offset = [&](const Attempt& attempt) {
            return saturatingDifference(attempt.begin, path.begin) + (shift.empty() ? Duration{0} : shift[attempt.span]);
        };
        for (const AttemptGroup& group : m_retries->groupsOf(index)) {
            if (!group.counted || group.kind == AttemptKind::ClientRetry)
                continue;
            const std::span<const Attempt> attempts = m_retries->attemptsOf(group);
            for (std::size_t k = 0; k + 1 < attempts.size(); ++k)
                if (isKnown(attempts[k].begin) && isKnown(attempts[k + 1].begin))
                    lost.push_back({offset(attempts[k]), offset(attempts[k + 1])});
        }
        unite(lost);
    }

    /// Own time of all spans: theirs without their children's.
    void addOwn(std::size_t row, std::uint32_t index, const TraceView& trace, Worker& worker)
    {
        CriticalPath& own = worker.path;
        own.begin = trace.start[std::size_t(m_population.traces[index].root)];
        own.length = m_population.traces[index].e2e;
        own.segments.clear();
        for (std::uint32_t i = 0; i < trace.size(); ++i)
            listOwn(trace, i, own);
        own.shift.clear();
        listLost(index, own, own.shift, worker.lost);
        std::int64_t* times = m_out.own.data() + row * m_out.stages.size();
        visitStageParts(own, trace, m_stages, m_columns.firstSpan[index], [&](StageId stage, const PathSegment& part) {
            const StagePlace& place = m_places[toIndex(stage)];
            if (place.use == TimeUse::Useful)
                times[place.top] += toNs(part.end - part.begin - overlap(worker.lost, part.begin, part.end));
        });
    }

    static void listOwn(const TraceView& trace, std::uint32_t i, CriticalPath& own)
    {
        if (!isKnown(trace.start[i]) || !isKnown(trace.duration(i)))
            return;
        Timestamp at = trace.start[i];
        const Timestamp end = at + trace.duration(i);
        const auto add = [&](Timestamp until) {
            if (at < until)
                own.segments.push_back({i, SegmentType::Self, saturatingDifference(at, own.begin), saturatingDifference(until, own.begin)});
        };
        for (std::uint32_t c = i + 1; c < i + trace.subtreeSize[i]; c += trace.subtreeSize[c]) {
            if (!isKnown(trace.start[c]) || !isKnown(trace.duration(c)) || trace.flags[c].has(SpanFlags::Follows))
                continue;
            add(std::min(trace.start[c], end));
            at = std::max(at, trace.start[c] + trace.duration(c));
        }
        add(end);
    }

    const TraceColumns& m_columns;
    const StageMap& m_stages;
    const Population& m_population;
    const RetryAnalysis* m_retries;
    PathOptions m_options;
    UsefulTimes& m_out;
    std::vector<StagePlace> m_places; // by stage
    std::vector<bool> m_lostTraces;
    tbb::enumerable_thread_specific<Worker> m_workers;
};

} // namespace

Result<UsefulTimes> usefulTimes(const TraceColumns& columns, const StageMap& stages, const Population& population,
    const RetryAnalysis* retries, const PathOptions& options, const std::vector<std::uint32_t>& traces, unsigned threads,
    const JobControl& job)
{
    UsefulTimes times;
    UsefulTimeRun run(columns, stages, population, retries, options, times);
    run.resize(traces.size());
    arenaFor(threads).execute([&] {
        tbb::parallel_for(
            tbb::blocked_range<std::size_t>(0, traces.size(), tracesPerTask), [&](const tbb::blocked_range<std::size_t>& range) {
                for (std::size_t row = range.begin(); row < range.end() && !job.stopRequested(); ++row)
                    run.analyse(row, traces[row]);
            });
    });
    if (job.stopRequested())
        return fail(ErrorCode::Cancelled, "The analysis was cancelled");
    return times;
}

} // namespace chokepoint
