// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// All traces at once: every trace writes its own row, sums are integers, so the number of threads changes nothing.
#include "core/analysis/population.h"

#include "core/analysis/arena.h"
#include "core/analysis/pathfinder.h"
#include "core/analysis/pipelines.h"
#include "core/analysis/populationparts.h"
#include "core/analysis/selftime.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <mutex>

namespace chokepoint {

namespace {

constexpr std::size_t tracesPerTask = 256;

/// What one thread needs, and what it has added up.
struct Worker {
    explicit Worker(std::size_t stageCount) : selfTime(stageCount), spanCount(stageCount) { }

    PathFinder finder;
    CriticalPath path;
    SelfTimeSweep sweep;
    std::vector<Duration> selfTime;
    std::vector<std::uint64_t> spanCount;
};

class PopulationRun {
public:
    PopulationRun(const TraceColumns& columns, const StageMap& stages, const PathOptions& options, const JobControl& job, Population& out)
        : m_columns(columns), m_stages(stages), m_pipelines(*columns.dictionary, stages), m_options(options), m_job(job), m_out(out),
          m_workers(out.stageCount)
    {
        m_options.root = -1; // an index means nothing across traces
    }

    void analyse(std::size_t begin, std::size_t end)
    {
        Worker& worker = m_workers.local();
        for (std::size_t i = begin; i < end; ++i) {
            if (m_job.stopRequested())
                return;
            analyseTrace(i, worker);
        }
        report(end - begin);
    }

    void join()
    {
        for (const Worker& worker : m_workers) {
            for (std::size_t stage = 0; stage < m_out.stageCount; ++stage) {
                m_out.selfTime[stage] += worker.selfTime[stage];
                m_out.spanCount[stage] += worker.spanCount[stage];
            }
        }
        const bool hasRequests = std::any_of(m_out.traces.begin(), m_out.traces.end(),
            [](const TraceFigures& figures) { return figures.complete && figures.pipeline == PipelineKind::Request; });
        for (std::uint32_t i = 0; i < m_out.traces.size(); ++i) {
            const TraceFigures& figures = m_out.traces[i];
            if (!figures.hasTrueRoot)
                ++m_out.excludedNoRoot;
            else if (!figures.complete)
                ++m_out.excludedOpen;
            else if (figures.pipeline != PipelineKind::Request && hasRequests)
                ++m_out.excludedOffline;
            else
                m_out.included.push_back(i);
        }
    }

private:
    void analyseTrace(std::size_t index, Worker& worker)
    {
        const TraceView trace = m_columns.trace(index);
        const std::uint64_t firstSpan = m_columns.firstSpan[index];
        worker.finder.find(trace, *m_columns.dictionary, m_options, worker.path);
        TraceFigures& figures = m_out.traces[index];
        figures.root = worker.path.root;
        figures.hasTrueRoot = figures.root >= 0 && trace.isTrueRoot(std::size_t(figures.root));
        figures.complete = worker.path.complete && figures.hasTrueRoot;
        figures.e2e = figures.root >= 0 ? worker.path.length : unknownDuration;
        figures.inferred = worker.path.inferred;
        Duration* row = m_out.onPath.data() + index * m_out.stageCount;
        visitStageParts(worker.path, trace, m_stages, firstSpan,
            [row](StageId stage, const PathSegment& part) { row[toIndex(stage)] += part.end - part.begin; });
        countSpans(trace, firstSpan, figures, worker);
        figures.pipeline = m_pipelines.kindOf(trace, firstSpan, figures.root);
    }

    void countSpans(const TraceView& trace, std::uint64_t firstSpan, TraceFigures& figures, Worker& worker)
    {
        const std::vector<Duration>* self = figures.complete ? &worker.sweep.run(trace) : nullptr;
        for (std::size_t i = 0; i < trace.size(); ++i) {
            const std::size_t stage = toIndex(m_stages.stage[firstSpan + i]);
            ++worker.spanCount[stage];
            figures.errors += trace.flags[i].isError() ? 1 : 0;
            if (self)
                worker.selfTime[stage] += (*self)[i];
        }
    }

    void report(std::size_t traces)
    {
        const std::lock_guard lock(m_reporting);
        m_done += traces;
        Progress progress;
        progress.step = "Finding the critical path";
        progress.done = m_done;
        progress.total = m_columns.traceCount();
        m_job.report(progress);
    }

    const TraceColumns& m_columns;
    const StageMap& m_stages;
    PipelineKinds m_pipelines;
    PathOptions m_options;
    const JobControl& m_job;
    Population& m_out;
    tbb::enumerable_thread_specific<Worker> m_workers;
    std::mutex m_reporting;
    std::uint64_t m_done = 0;
};

} // namespace

Duration Population::onPathOf(std::size_t trace, StageId stage) const
{
    const Duration* row = onPath.data() + trace * stageCount;
    if (table->topLevel(stage) != stage)
        return row[toIndex(stage)];
    Duration sum{0};
    for (std::size_t i = 0; i < stageCount; ++i) {
        if (table->topLevel(StageId(i)) == stage)
            sum += row[i];
    }
    return sum;
}

std::vector<Duration> Population::e2e() const
{
    std::vector<Duration> result;
    result.reserve(included.size());
    for (const std::uint32_t trace : included)
        result.push_back(traces[trace].e2e);
    return result;
}

Result<Population> analysePopulation(
    const TraceColumns& columns, const StageMap& stages, const PathOptions& options, unsigned threads, const JobControl& job)
{
    Population population;
    population.table = stages.table;
    population.stageCount = stages.table->size();
    population.traces.resize(columns.traceCount());
    population.onPath.assign(columns.traceCount() * population.stageCount, Duration{0});
    population.selfTime.assign(population.stageCount, Duration{0});
    population.spanCount.assign(population.stageCount, 0);
    PopulationRun run(columns, stages, options, job, population);
    arenaFor(threads).execute([&] {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, columns.traceCount(), tracesPerTask),
            [&](const tbb::blocked_range<std::size_t>& range) { run.analyse(range.begin(), range.end()); });
    });
    if (job.stopRequested())
        return fail(ErrorCode::Cancelled, "The analysis was cancelled");
    run.join();
    return population;
}

void forEachStagePart(
    const CriticalPath& path, const TraceView& trace, const StageMap& stages, std::uint64_t firstSpan, const VisitStagePart& visit)
{
    visitStageParts(path, trace, stages, firstSpan, visit);
}

} // namespace chokepoint
