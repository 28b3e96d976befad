// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/chromecollector.h"

#include "core/import/chromenesting.h"

#include <algorithm>
#include <limits>

namespace chokepoint {

namespace {

constexpr std::array<std::string_view, 4> deviceCategories = {"kernel", "gpu_memcpy", "gpu_memset", "cuda_sync"};

/// \a start + \a duration; \a isOutOfRange when that had to be clamped.
Timestamp endOf(Timestamp start, Duration duration, bool& isOutOfRange)
{
    std::int64_t end = 0;
    if (__builtin_add_overflow(toNs(start), toNs(duration), &end)) {
        isOutOfRange = true;
        end = toNs(duration) < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
    }
    return timestampFromNs(std::max(end, std::numeric_limits<std::int64_t>::min() + 1));
}

bool isAsync(char phase)
{
    return std::string_view("bneSTpF").find(phase) != std::string_view::npos;
}

} // namespace

Result<void> ChromeCollector::add(const ChromeEvent& event)
{
    if (const std::string& bad = event.badTime.empty() ? event.badLength : event.badTime; !bad.empty()) {
        m_diagnostics.reject(DiagnosticCode::BadTimestamp,
            [&] { return fmt::format("{}: the time \"{}\" cannot be read; the event was left out", m_place.text(), bad); });
        return {};
    }
    if (event.isOutOfRange())
        m_diagnostics.report(DiagnosticCode::TimeOutOfRange,
            [&] { return fmt::format("{}: a time beyond 64-bit nanoseconds was clamped", m_place.text()); });
    switch (event.phase) {
    case 'X':
    case 'B':
    case 'b':
    case 'S': return addSlice(event);
    case 'E':
    case 'e':
    case 'F': return addEnd(event);
    case 'i':
    case 'I':
    case 'R':
    case 'n':
    case 'T':
    case 'p': return addInstant(event);
    case 's': addFlow(event, FlowStep::Start); return {};
    case 't': addFlow(event, FlowStep::Step); return {};
    case 'f': addFlow(event, FlowStep::Finish); return {};
    case 'M': addMetadata(event); return {};
    case 0:
        if (!event.isEmpty)
            m_diagnostics.reject(DiagnosticCode::BadRecord,
                [&] { return fmt::format("{}: an object without \"ph\" is no event; it was left out", m_place.text()); });
        return {};
    default: break;
    }
    if (m_firstSkipped.empty())
        m_firstSkipped = m_place.text();
    ++m_skipped[event.phase & 0x7f];
    return {};
}

void ChromeCollector::reportSkipped()
{
    std::string phases;
    std::uint64_t sum = 0;
    for (std::size_t phase = 0; phase < m_skipped.size(); ++phase) {
        if (m_skipped[phase] != 0)
            phases += fmt::format("{}{} of phase {}", phases.empty() ? "" : ", ", m_skipped[phase], char(phase));
        sum += m_skipped[phase];
    }
    m_diagnostics.add(
        DiagnosticCode::OtherSignal, sum, fmt::format("{}: events that are no spans were skipped: {}", m_firstSkipped, phases));
}

void ChromeCollector::unmatched(const char* what)
{
    m_diagnostics.report(DiagnosticCode::UnmatchedEvent, [&] { return fmt::format("{}: {}", m_place.text(), what); });
}

/// Hash of what names an asynchronous operation or a flow: its category and its id, which counts in one process or in all.
std::uint64_t ChromeCollector::idKey(const ChromeEvent& event, char kind, std::string_view id)
{
    const bool isLocal = id.empty() && event.globalId.empty() && !event.localId.empty();
    m_key.assign(1, kind);
    for (const std::string_view part :
        {isLocal ? std::string_view(event.pid) : std::string_view(), m_strings.text(event.category), std::string_view(event.scope),
            !id.empty()   ? id
                : isLocal ? std::string_view(event.localId)
                          : std::string_view(event.globalId)}) {
        m_key.push_back('\0');
        m_key.append(part);
    }
    return hash64(m_key);
}

std::uint64_t ChromeCollector::groupOf(const ChromeEvent& event, TrackId track)
{
    switch (event.phase) {
    case 'b':
    case 'n':
    case 'e': return idKey(event, 'b', event.id);
    case 'S':
    case 'T':
    case 'p':
    case 'F': return hash64(m_strings.text(event.name), hash64(event.pid, idKey(event, 'S', event.id)));
    default: return threadGroup(track);
    }
}

std::string_view ChromeCollector::attributesOf(const ChromeEvent& event)
{
    return event.extras.empty() ? event.arguments : m_packed.assign(event.arguments).append(event.extras);
}

Result<void> ChromeCollector::addSlice(const ChromeEvent& event)
{
    const auto slice = std::uint32_t(m_records.slices.size());
    if (slice == noSlice)
        return fail(ErrorCode::LimitExceeded, "the file holds more than 4 billion slices; split it by process or by time");
    ChromeSlice& to = m_records.slices.emplace_back();
    bool isOutOfRange = event.isOutOfRange();
    to.track = m_tracks.track(event.pid, event.tid);
    to.group = groupOf(event, to.track);
    to.name = event.name;
    to.category = event.category;
    to.start = event.time.value_or(unknownTime);
    if (event.phase != 'X')
        to.bits |= ChromeSlice::Open;
    else if (event.time && event.duration)
        to.end = endOf(*event.time, *event.duration, isOutOfRange);
    if (isAsync(event.phase))
        to.bits |= ChromeSlice::Async;
    if (isOutOfRange)
        to.bits |= ChromeSlice::OutOfRange;
    if (m_strings.text(event.category) == "gpu_user_annotation")
        to.bits |= ChromeSlice::Slack;
    const auto range = m_records.attributes.append(attributesOf(event));
    if (!range)
        return fail(range.error());
    to.attributesSize = range->size;
    addReferences(event, slice);
    if (!event.bindId.empty() && event.time && (event.flowsIn || event.flowsOut)) {
        ChromeFlow flow{idKey(event, 'v', event.bindId), *event.time, to.track, event.name, slice, FlowStep::Start, false};
        flow.step = event.flowsIn ? event.flowsOut ? FlowStep::Step : FlowStep::Finish : FlowStep::Start;
        m_records.flows.push_back(flow);
    }
    return {};
}

/// Work on a device names the call that started it (correlation) and the operator around that call (External id).
void ChromeCollector::addReferences(const ChromeEvent& event, std::uint32_t slice)
{
    if (event.pythonId != 0)
        m_records.frames.push_back(
            {hash64(event.pid, event.pythonId), event.pythonParentId == 0 ? 0 : hash64(event.pid, event.pythonParentId), slice});
    if (event.correlation == 0 && event.externalId == 0)
        return;
    const std::string_view category = m_strings.text(event.category);
    const bool isDevice = std::find(deviceCategories.begin(), deviceCategories.end(), category) != deviceCategories.end();
    if (event.correlation != 0)
        (isDevice ? m_records.deviceWork : m_records.launches).push_back({event.correlation, slice});
    if (event.externalId != 0 && (isDevice || category == "cpu_op"))
        (isDevice ? m_records.deviceOperators : m_records.operators).push_back({event.externalId, slice});
}

Result<void> ChromeCollector::addEnd(const ChromeEvent& event)
{
    if (!event.time) {
        unmatched("an end without a time was left out");
        return {};
    }
    const auto arguments = m_records.arguments.append(event.arguments);
    if (!arguments)
        return fail(arguments.error());
    const TrackId track = m_tracks.track(event.pid, event.tid);
    m_records.ends.push_back(
        {groupOf(event, track), *event.time, *arguments, event.name, event.hasName, std::uint32_t(m_records.slices.size())});
    return {};
}

Result<void> ChromeCollector::addInstant(const ChromeEvent& event)
{
    if (!event.time) {
        unmatched("an instant without a time was left out");
        return {};
    }
    const auto arguments = m_records.arguments.append(attributesOf(event));
    if (!arguments)
        return fail(arguments.error());
    const TrackId track = m_tracks.track(event.pid, event.tid);
    m_records.instants.push_back({groupOf(event, track), *event.time, *arguments, track, event.name});
    return {};
}

void ChromeCollector::addFlow(const ChromeEvent& event, FlowStep step)
{
    if (!event.time)
        return unmatched("a flow without a time was left out");
    const TrackId track = m_tracks.track(event.pid, event.tid);
    const std::uint64_t key = hash64(m_strings.text(event.name), idKey(event, 's', event.id));
    m_records.flows.push_back({key, *event.time, track, event.name, noSlice, step, step == FlowStep::Finish && !event.bindsEnclosing});
}

void ChromeCollector::addMetadata(const ChromeEvent& event)
{
    const TrackId track = m_tracks.track(event.pid, event.tid);
    const std::string_view name = m_strings.text(event.name);
    if (name == "process_name")
        m_tracks.setProcessName(track, event.label);
    else if (name == "process_labels")
        m_tracks.setProcessLabels(track, event.label);
    else if (name == "thread_name")
        m_tracks.setThreadName(track, event.label);
}

} // namespace chokepoint
