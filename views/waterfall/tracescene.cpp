// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the scene of one trace.
#include "views/waterfall/tracescene.h"

#include "core/base/starttext.h"
#include "core/pipeline/dataset.h"

#include <algorithm>

namespace chokepoint {

namespace {

std::vector<std::uint32_t> depths(const TraceView& trace)
{
    std::vector<std::uint32_t> depth(trace.size());
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const std::int32_t parent = trace.parent[i];
        depth[i] = parent >= 0 ? depth[std::size_t(parent)] + 1 : trace.flags[i].has(SpanFlags::Orphan) ? 1 : 0;
    }
    return depth;
}

std::vector<std::uint32_t> errorSpans(const TraceView& trace)
{
    std::vector<std::uint32_t> errors;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        if (trace.flags[i].isError())
            errors.push_back(std::uint32_t(i));
    }
    return errors;
}

Timestamp after(Timestamp begin, Duration offset)
{
    std::int64_t ns = 0;
    return __builtin_add_overflow(toNs(begin), toNs(offset), &ns) ? Timestamp::max() : timestampFromNs(ns);
}

void addPath(TraceScene& scene, const StageMap& stages)
{
    const auto add = [&scene](StageId stage, const PathSegment& part) {
        const Timestamp begin = after(scene.path.begin, part.begin);
        scene.pathByTime.push_back({part.span, stage, part.type, begin, after(scene.path.begin, part.end)});
    };
    if (scene.path.root >= 0)
        forEachStagePart(scene.path, scene.view, stages, 0, add);
    scene.pathBySpan = scene.pathByTime;
    std::stable_sort(
        scene.pathBySpan.begin(), scene.pathBySpan.end(), [](const PathPart& a, const PathPart& b) { return a.span < b.span; });
    const auto extentOf = [&scene](std::size_t part) { return BlockExtent{scene.pathBySpan[part].begin, scene.pathBySpan[part].end}; };
    scene.pathBlocks = makeExtentBlocks(scene.pathBySpan.size(), extentOf);
    scene.pathBegin.assign(scene.size() + 1, 0);
    for (const PathPart& part : scene.pathBySpan)
        ++scene.pathBegin[part.span + 1];
    for (std::size_t i = 0; i < scene.size(); ++i)
        scene.pathBegin[i + 1] += scene.pathBegin[i];
}

TraceRank rankOf(const Population& population, std::size_t traceIndex)
{
    TraceRank rank;
    rank.population = population.included.size();
    const TraceFigures& figures = population.traces[traceIndex];
    rank.known = figures.complete && isKnown(figures.e2e);
    for (const std::uint32_t other : population.included)
        rank.shorter += rank.known && population.traces[other].e2e < figures.e2e ? 1 : 0;
    return rank;
}

} // namespace

Timestamp TraceScene::shownEnd(std::uint32_t span) const
{
    return std::max(isUnfinished(span) ? extent.end : view.end[span], view.start[span]);
}

BlockExtent TraceScene::shownExtent(std::uint32_t span) const
{
    return hasStart(span) ? BlockExtent{view.start[span], shownEnd(span)} : BlockExtent{};
}

Duration TraceScene::onPath(std::uint32_t span) const
{
    Duration sum{0};
    for (const PathPart& part : pathOf(span))
        sum += saturatingDifference(part.end, part.begin);
    return sum;
}

std::span<const std::uint32_t> TraceScene::errorsIn(std::uint32_t first, std::uint32_t last) const
{
    const auto begin = std::lower_bound(errors.begin(), errors.end(), first);
    return {begin, std::lower_bound(begin, errors.end(), last)};
}

std::span<const DerivedPart> TraceScene::derivedOf(std::uint32_t span) const
{
    const auto before = [](const DerivedPart& part, std::uint64_t key) { return part.span < key; };
    const auto begin = std::lower_bound(derived.begin(), derived.end(), span, before);
    return {begin, std::lower_bound(begin, derived.end(), std::uint64_t(span) + 1, before)};
}

std::string_view TraceScene::stageName(std::uint32_t span) const
{
    return stage[span] == StageTable::noStage ? unmappedStage : std::string_view(stages->name(stage[span]));
}

std::vector<StageTime> stageTimes(const TraceScene& scene)
{
    std::vector<StageTime> times(scene.stages->size());
    for (const PathPart& part : scene.pathByTime) {
        if (part.stage != StageTable::noStage)
            times[toIndex(scene.stages->topLevel(part.stage))].time += saturatingDifference(part.end, part.begin);
    }
    for (std::size_t i = 0; i < times.size(); ++i)
        times[i].stage = StageId(i);
    std::erase_if(times, [](const StageTime& time) { return time.time == Duration{0}; });
    std::stable_sort(times.begin(), times.end(), [](const StageTime& a, const StageTime& b) { return a.time > b.time; });
    return times;
}

std::shared_ptr<TraceScene> makeTraceScene(std::shared_ptr<const Trace> trace, CriticalPath path, const SceneStages& stages)
{
    auto scene = std::make_shared<TraceScene>();
    scene->trace = std::move(trace);
    scene->view = scene->trace->view();
    scene->stages = stages.table;
    scene->path = std::move(path);
    scene->extent = traceExtent(scene->view);
    scene->stage.assign(stages.stage.begin(), stages.stage.end());
    scene->rule.assign(stages.rule.begin(), stages.rule.end());
    scene->ruleNames.assign(stages.ruleNames.begin(), stages.ruleNames.end());
    for (DerivedPart part : stages.derived) {
        part.span -= stages.firstSpan;
        scene->derived.push_back(part);
    }
    scene->depth = depths(scene->view);
    scene->selfTime = selfTimes(scene->view);
    scene->errors = errorSpans(scene->view);
    scene->spanBlocks = makeExtentBlocks(scene->size(), [&scene](std::size_t span) { return scene->shownExtent(std::uint32_t(span)); });
    addPath(*scene, {stages.table, scene->stage, scene->rule, scene->ruleNames, scene->derived, stages.container, {}, stages.gaps});
    return scene;
}

Result<std::shared_ptr<const TraceScene>> loadTraceScene(const Dataset& dataset, std::size_t traceIndex)
{
    Result<std::shared_ptr<const Trace>> trace = dataset.trace(traceIndex);
    if (!trace)
        return fail(std::move(trace).error());
    const std::uint64_t first = dataset.columns.firstSpan[traceIndex];
    const std::size_t count = (*trace)->size();
    const auto byTrace = [](const DerivedPart& part, std::uint64_t span) { return part.span < span; };
    const std::vector<DerivedPart>& derived = dataset.stages.derived;
    const auto begin = std::lower_bound(derived.begin(), derived.end(), first, byTrace);
    const auto end = std::lower_bound(begin, derived.end(), first + count, byTrace);
    const SceneStages stages{dataset.stages.table, std::span(dataset.stages.stage).subspan(first, count),
        std::span(dataset.stages.rule).subspan(first, count), dataset.stages.ruleNames, {begin, end}, first,
        {dataset.stages.container.begin() + std::ptrdiff_t(first), dataset.stages.container.begin() + std::ptrdiff_t(first + count)},
        dataset.stages.gaps};
    const std::shared_ptr<TraceScene> scene = makeTraceScene(std::move(*trace), dataset.path(traceIndex), stages);
    scene->deployment = dataset.label;
    scene->rank = rankOf(dataset.population, traceIndex);
    if (!isDate(scene->extent.begin))
        scene->dataBegin = beginWithoutDate(dataset.columns.spans.start);
    return scene;
}

} // namespace chokepoint
