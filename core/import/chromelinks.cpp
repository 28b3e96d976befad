// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/chromelinks.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace chokepoint {

namespace {

/// Of the slices in \a known (ordered by id and start) with \a id the last that starts no later than \a start, else the first.
std::uint32_t findReference(
    const std::vector<ChromeReference>& known, const std::vector<ChromeSlice>& slices, std::uint64_t id, Timestamp start)
{
    const auto first = std::lower_bound(
        known.begin(), known.end(), id, [](const ChromeReference& reference, std::uint64_t wanted) { return reference.id < wanted; });
    if (first == known.end() || first->id != id)
        return noSlice;
    const auto behind = std::upper_bound(first, known.end(), start,
        [&](Timestamp wanted, const ChromeReference& reference) { return reference.id != id || wanted < slices[reference.slice].start; });
    return behind == first ? first->slice : std::prev(behind)->slice;
}

void sortReferences(std::vector<ChromeReference>& references, const std::vector<ChromeSlice>& slices)
{
    std::sort(references.begin(), references.end(), [&](const ChromeReference& a, const ChromeReference& b) {
        if (a.id != b.id)
            return a.id < b.id;
        return std::tie(slices[a.slice].start, a.slice) < std::tie(slices[b.slice].start, b.slice);
    });
}

void linkFlows(const ChromeRecords& records, std::span<const NestedMark> marks, ChromeLinks& out)
{
    const std::vector<ChromeFlow>& flows = records.flows;
    std::vector<std::uint32_t> order(flows.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::tie(flows[a].key, flows[a].time, flows[a].step, a) < std::tie(flows[b].key, flows[b].time, flows[b].step, b);
    });
    std::uint32_t before = noSlice; // the slice of the flow's last step
    for (std::size_t i = 0; i < order.size(); ++i) {
        const ChromeFlow& flow = flows[order[i]];
        if (i == 0 || flows[order[i - 1]].key != flow.key)
            before = noSlice;
        const NestedMark& mark = marks[order[i]];
        const std::uint32_t slice = flow.slice != noSlice ? flow.slice : mark.isInside ? mark.slice : noSlice;
        const bool isStart = flow.step == FlowStep::Start;
        if (slice == noSlice || (before == noSlice && !isStart))
            ++out.unmatched;
        else if (!isStart && slice != before)
            out.links.push_back({slice, before, flow.name});
        if (flow.step != FlowStep::Finish)
            before = slice;
    }
}

void linkDeviceWork(ChromeRecords& records, StringPool& strings, ChromeLinks& out)
{
    if (records.deviceWork.empty() && records.deviceOperators.empty())
        return;
    const std::vector<ChromeSlice>& slices = records.slices;
    std::vector<bool> hasLaunch(slices.size());
    const auto linkAll = [&](const std::vector<ChromeReference>& work, std::vector<ChromeReference>& causes, std::string_view name) {
        const StringId nameId = strings.intern(name);
        sortReferences(causes, slices);
        for (const ChromeReference& reference : work) {
            const std::uint32_t cause = findReference(causes, slices, reference.id, slices[reference.slice].start);
            if (cause == noSlice || hasLaunch[reference.slice])
                continue;
            hasLaunch[reference.slice] = true;
            out.links.push_back({reference.slice, cause, nameId});
        }
    };
    linkAll(records.deviceWork, records.launches, "correlation");
    linkAll(records.deviceOperators, records.operators, "External id");
}

} // namespace

ChromeLinks linkChromeSlices(ChromeRecords& records, std::span<const NestedMark> flowMarks, StringPool& strings)
{
    ChromeLinks out;
    linkFlows(records, flowMarks, out);
    linkDeviceWork(records, strings, out);
    // Stable: of two links between the same slices the flow's one stays.
    std::stable_sort(out.links.begin(), out.links.end(),
        [](const ChromeLink& a, const ChromeLink& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
    const auto same = [](const ChromeLink& a, const ChromeLink& b) { return a.from == b.from && a.to == b.to; };
    out.links.erase(std::unique(out.links.begin(), out.links.end(), same), out.links.end());
    return out;
}

void applyPythonParents(ChromeRecords& records, std::vector<std::uint32_t>& parents)
{
    std::vector<PythonFrame>& frames = records.frames;
    std::sort(frames.begin(), frames.end(),
        [](const PythonFrame& a, const PythonFrame& b) { return std::tie(a.id, a.slice) < std::tie(b.id, b.slice); });
    const std::vector<ChromeSlice>& slices = records.slices;
    const auto isInside = [&](std::uint32_t inner, std::uint32_t outer) {
        return inner != noSlice && slices[inner].group == slices[outer].group && slices[outer].start <= slices[inner].start
            && isKnown(slices[inner].end) && slices[inner].end <= slices[outer].end;
    };
    for (const PythonFrame& frame : frames) {
        if (frame.parentId == 0)
            continue;
        const auto found = std::lower_bound(
            frames.begin(), frames.end(), frame.parentId, [](const PythonFrame& a, std::uint64_t wanted) { return a.id < wanted; });
        if (found == frames.end() || found->id != frame.parentId || found->slice == frame.slice
            || isInside(parents[frame.slice], found->slice))
            continue;
        parents[frame.slice] = found->slice;
    }
}

} // namespace chokepoint
