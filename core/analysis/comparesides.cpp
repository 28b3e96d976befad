// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the tables that a comparison works on.
#include "core/analysis/comparesides.h"

#include "core/analysis/comparestages.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace chokepoint {

namespace {

/// Labels of the stages that are on the path of some included trace.
void collectStages(const ComparisonSide& side, std::map<std::string, std::string>& labels)
{
    const Population& population = side.population;
    std::vector<bool> occurs(population.stageCount);
    for (const std::uint32_t trace : population.included) {
        for (std::size_t stage = 0; stage < population.stageCount; ++stage)
            occurs[stage] = occurs[stage] || population.onPath[trace * population.stageCount + stage] != Duration(0);
    }
    for (std::size_t stage = 0; stage < population.stageCount; ++stage) {
        if (occurs[stage])
            labels.emplace(population.table->name(StageId(stage)), population.table->label(StageId(stage)));
    }
}

/// The label of a top-level stage that itself may never be on a path, from either side.
std::string topLabel(const std::string& name, const ComparisonSide& before, const ComparisonSide& after)
{
    for (const ComparisonSide* side : {&before, &after}) {
        if (const StageId id = side->population.table->find(name); id != StageTable::noStage)
            return side->population.table->label(id);
    }
    return name;
}

/// Column of the axis by stage id of the side's table; columns() for stages that are never on path.
std::vector<std::size_t> columnOfStage(const StageTable& table, const StageAxis& axis)
{
    std::vector<std::size_t> columns(table.size(), axis.columns.size());
    for (std::size_t stage = 0; stage < table.size(); ++stage) {
        const auto found = std::lower_bound(axis.columns.begin(), axis.columns.end(), table.name(StageId(stage)));
        if (found != axis.columns.end() && *found == table.name(StageId(stage)))
            columns[stage] = std::size_t(found - axis.columns.begin());
    }
    return columns;
}

/// Included traces by id, then by their times: an order that the content decides.
std::vector<std::uint32_t> orderedTraces(const ComparisonSide& side)
{
    const Population& population = side.population;
    std::vector<std::uint32_t> order = population.included;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (side.columns.traceId[a] != side.columns.traceId[b])
            return side.columns.traceId[a] < side.columns.traceId[b];
        if (population.traces[a].e2e != population.traces[b].e2e)
            return population.traces[a].e2e < population.traces[b].e2e;
        const auto row = [&](std::uint32_t trace) { return population.onPath.begin() + std::ptrdiff_t(trace * population.stageCount); };
        return std::lexicographical_compare(
            row(a), row(a) + std::ptrdiff_t(population.stageCount), row(b), row(b) + std::ptrdiff_t(population.stageCount));
    });
    return order;
}

std::string_view kindOf(const ComparisonSide& side, std::uint32_t trace)
{
    if (side.kinds != nullptr)
        return (*side.kinds)[trace];
    const std::int32_t root = side.population.traces[trace].root;
    return root < 0 ? std::string_view()
                    : side.columns.dictionary->text(side.columns.spans.name[side.columns.firstSpan[trace] + std::size_t(root)]);
}

void setKinds(const ComparisonSide& side, SideFigures& figures)
{
    std::unordered_map<std::string_view, std::uint32_t> known;
    for (const std::uint32_t trace : figures.trace) {
        const auto [kind, isNew] = known.emplace(kindOf(side, trace), std::uint32_t(figures.kinds.size()));
        if (isNew)
            figures.kinds.emplace_back(kind->first);
        figures.kind.push_back(kind->second);
    }
}

/// \a topOnPath: memory, by top-level stage.
void addRow(SideFigures& figures, const StageAxis& axis, std::size_t row, std::vector<std::uint8_t>& topOnPath)
{
    const std::size_t columns = axis.columns.size();
    topOnPath.assign(axis.tops.size(), 0);
    for (std::size_t c = 0; c < columns; ++c) {
        const std::int64_t time = figures.table.at(row, c);
        if (time == 0)
            continue;
        figures.columnSums[c] += time;
        figures.topSums[axis.topOfColumn[c]] += time;
        ++figures.columnPresence[c];
        topOnPath[axis.topOfColumn[c]] = 1;
    }
    for (std::size_t top = 0; top < axis.tops.size(); ++top)
        figures.topPresence[top] += topOnPath[top];
    figures.e2eSum += figures.table.at(row, columns);
}

ReplicateMeans resampledMeans(const SideFigures& side, std::uint64_t seed, const CompareOptions& options)
{
    if (side.clusters)
        return resampleClusterMeans(side.table, *side.clusters, seed, options.replicates, options.threads);
    if (side.size() > resampledUnits)
        return resampleClusterMeans(
            side.table, dealtGroups(side.size(), resampledUnits, mix64(seed)), seed, options.replicates, options.threads);
    return resampleMeans(side.table, seed, options.replicates, options.threads);
}

} // namespace

StageAxis stageAxis(const ComparisonSide& before, const ComparisonSide& after)
{
    std::map<std::string, std::string> labels;
    collectStages(before, labels);
    collectStages(after, labels);
    StageAxis axis;
    for (const auto& [name, label] : labels) {
        const std::string top = name.substr(0, name.find('.'));
        axis.tops.push_back(top);
        axis.columns.push_back(name);
        axis.columnLabels.push_back(label);
    }
    std::sort(axis.tops.begin(), axis.tops.end());
    axis.tops.erase(std::unique(axis.tops.begin(), axis.tops.end()), axis.tops.end());
    for (const std::string& name : axis.columns) {
        const auto top = std::lower_bound(axis.tops.begin(), axis.tops.end(), name.substr(0, name.find('.')));
        axis.topOfColumn.push_back(std::size_t(top - axis.tops.begin()));
    }
    for (const std::string& top : axis.tops)
        axis.topLabels.push_back(topLabel(top, before, after));
    return axis;
}

SideFigures sideFigures(const ComparisonSide& side, const StageAxis& axis)
{
    const Population& population = side.population;
    const std::size_t columns = axis.columns.size();
    const std::vector<std::size_t> columnOf = columnOfStage(*population.table, axis);
    SideFigures figures;
    figures.columnSums.assign(columns, 0);
    figures.topSums.assign(axis.tops.size(), 0);
    figures.columnPresence.assign(columns, 0);
    figures.topPresence.assign(axis.tops.size(), 0);
    const std::vector<std::uint32_t> order = orderedTraces(side);
    figures.table = {order.size(), columns + 1, std::vector<std::int64_t>(order.size() * (columns + 1))};
    std::vector<std::uint8_t> topOnPath;
    for (std::size_t row = 0; row < order.size(); ++row) {
        const std::uint32_t trace = order[row];
        std::int64_t* values = figures.table.values.data() + row * (columns + 1);
        for (std::size_t stage = 0; stage < population.stageCount; ++stage) {
            if (columnOf[stage] < columns)
                values[columnOf[stage]] = toNs(population.onPath[trace * population.stageCount + stage]);
        }
        const TraceFigures& of = population.traces[trace];
        values[columns] = toNs(of.e2e);
        figures.ids.push_back(side.columns.traceId[trace]);
        figures.trace.push_back(trace);
        figures.e2e.push_back(of.e2e);
        figures.contentHash = mix64(figures.contentHash ^ std::hash<TraceId>()(figures.ids.back()) ^ mix64(std::uint64_t(values[columns])));
        if (of.root >= 0 && side.columns.spans.flags[side.columns.firstSpan[trace] + std::size_t(of.root)].isError())
            ++figures.errorRoots;
        else
            figures.successes.push_back(of.e2e);
        addRow(figures, axis, row, topOnPath);
    }
    setKinds(side, figures);
    std::sort(figures.e2e.begin(), figures.e2e.end());
    if (figures.errorRoots == 0)
        figures.successes = figures.e2e;
    else
        std::sort(figures.successes.begin(), figures.successes.end());
    if (side.clusters != nullptr) {
        std::vector<std::string> names;
        for (const std::uint32_t trace : figures.trace)
            names.push_back((*side.clusters)[trace]);
        figures.clusters = rowClusters(names);
    }
    return figures;
}

SideReplicates resampleSide(const SideFigures& side, const StageAxis& axis, const CompareOptions& options)
{
    SideReplicates out;
    out.tops = axis.tops.size();
    out.columns = axis.columns.size();
    const std::uint64_t seed = mix64(options.seed) ^ side.contentHash;
    out.byColumn = resampledMeans(side, seed, options);
    out.byTop.assign(out.count() * out.tops, 0.0);
    for (std::size_t r = 0; r < out.count(); ++r) {
        for (std::size_t c = 0; c < out.columns; ++c)
            out.byTop[r * out.tops + axis.topOfColumn[c]] += out.column(r, c);
    }
    return out;
}

std::vector<std::vector<double>> resampleSideQuantiles(
    const SideFigures& side, std::span<const double> levels, const CompareOptions& options)
{
    if (!side.clusters || side.clusters->size() < clustersNeeded)
        return {};
    std::vector<std::int64_t> values;
    for (std::size_t row = 0; row < side.size(); ++row)
        values.push_back(side.table.at(row, side.table.columns - 1));
    return resampleClusterQuantiles(
        values, *side.clusters, levels, mix64(options.seed) ^ side.contentHash, options.replicates, options.threads);
}

bool isEnoughForMean(const SideFigures& side)
{
    return side.size() >= minimumForMean && (!side.clusters || side.clusters->size() >= clustersNeeded);
}

} // namespace chokepoint
