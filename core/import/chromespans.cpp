// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/chromespans.h"

#include "core/import/chromelinks.h"
#include "core/import/chromenesting.h"
#include "core/import/chromepairs.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace chokepoint {

namespace {

/// Microseconds since 1970 of this size are a date of our time (from 1973 on); smaller ones count from some start of the producer's.
constexpr std::int64_t oldestDateNs = 100'000'000'000'000'000;

struct OwnedInstant {
    std::uint32_t slice = 0;
    std::uint32_t instant = 0;
    bool isInside = true;
};

class SpanMaker {
public:
    SpanMaker(ChromeCollector& collector, const ChromeFile& file, SpanSink& sink)
        : m_records(collector.records()), m_tracks(collector.tracks()), m_file(file), m_sink(sink), m_strings(sink.dictionary().strings),
          m_categoryKey(m_strings.intern("chrome.category"))
    {
    }

    Result<void> run()
    {
        pair();
        nest();
        applyPythonParents(m_records, m_parents);
        report(DiagnosticCode::UnmatchedEvent, m_links.unmatched, "a flow has no beginning, or no slice to belong to; left out");
        decideClock();
        describeTracks();
        for (std::uint32_t slice = 0; slice < m_records.slices.size(); ++slice)
            if (auto added = add(slice); !added)
                return added;
        return {};
    }

private:
    void pair();
    void nest();
    void nameSpans(const std::vector<NestKey>& keys);
    void ownInstants(const Nesting& nesting);
    [[nodiscard]] std::vector<Timestamp> lastTimes() const;
    void endUnfinished(const std::vector<NestKey>& keys);
    void decideClock();
    void describeTracks();
    [[nodiscard]] Result<void> add(std::uint32_t slice);
    [[nodiscard]] Result<void> addAttributes(const ChromeSlice& slice);
    [[nodiscard]] Result<void> addEvents(std::uint32_t slice);
    void addLinks(std::uint32_t slice);
    [[nodiscard]] Timestamp onClock(Timestamp time, SpanFlags& flags) const;
    [[nodiscard]] std::uint64_t textHash(StringId id);
    [[nodiscard]] std::uint64_t contentHash(const ChromeSlice& slice);
    void report(DiagnosticCode code, std::uint64_t count, std::string_view what)
    {
        m_sink.diagnostics().add(code, count, std::string(what));
    }

    ChromeRecords& m_records;
    const ChromeTracks& m_tracks;
    const ChromeFile& m_file;
    SpanSink& m_sink;
    StringPool& m_strings;
    StringId m_categoryKey;
    std::vector<std::uint32_t> m_parents; // by slice
    std::vector<std::uint64_t> m_textHashes; // by StringId; 0 is not computed yet
    std::vector<std::uint64_t> m_threadHashes; // by track
    std::vector<std::uint64_t> m_ids; // of spans, by slice
    std::vector<OwnedInstant> m_instants; // by slice and time
    ChromeLinks m_links;
    TraceId m_traceId;
    std::int64_t m_base = 0; // added to all times
    bool m_isRelative = false;
    std::vector<ResourceId> m_resources; // by process
    std::vector<std::string> m_threads; // packed attributes, by track
    std::uint64_t m_nextAttributes = 0; // in ChromeRecords::attributes
    std::size_t m_nextInstant = 0;
    std::size_t m_nextLink = 0;
    SpanDraft m_draft;
};

void SpanMaker::pair()
{
    const PairingResult paired = pairChromeEvents(m_records, m_strings.size());
    if (paired.unmatchedEnds == 0)
        return;
    const ChromeEnd& end = m_records.ends[paired.firstUnmatched];
    report(DiagnosticCode::UnmatchedEvent, paired.unmatchedEnds,
        fmt::format("the end of \"{}\" at {} ns has no beginning; left out", m_strings.text(end.name), toNs(end.time)));
}

void SpanMaker::nest()
{
    const std::vector<ChromeSlice>& slices = m_records.slices;
    std::vector<NestKey> keys;
    keys.reserve(slices.size());
    for (std::uint32_t i = 0; i < slices.size(); ++i) {
        const ChromeSlice& slice = slices[i];
        if (!isKnown(slice.start))
            continue;
        NestKey key{slice.group, toNs(slice.start), isKnown(slice.end) ? toNs(std::max(slice.start, slice.end)) : endless, i, 1};
        if ((slice.bits & ChromeSlice::Slack) != 0) {
            const bool isLong = key.end != endless && key.end - 1 >= key.start + 1;
            key.start += isLong ? 1 : 0;
            key.end -= isLong ? 1 : 0;
            key.rank = 0;
        }
        keys.push_back(key);
    }
    std::vector<NestMark> marks;
    marks.reserve(m_records.instants.size() + m_records.flows.size());
    for (const ChromeInstant& instant : m_records.instants)
        marks.push_back({instant.group, toNs(instant.time), std::uint32_t(marks.size()), false});
    for (const ChromeFlow& flow : m_records.flows)
        marks.push_back({threadGroup(flow.track), toNs(flow.time), std::uint32_t(marks.size()), flow.bindsNext});
    Nesting nesting = nestSlices(keys, marks, std::uint32_t(slices.size()));
    if (nesting.overlaps != 0)
        report(DiagnosticCode::OverlappingEvents, nesting.overlaps,
            fmt::format("\"{}\" begins inside another slice of its thread and ends behind it; both are kept whole, side by side",
                m_strings.text(slices[nesting.firstOverlap].name)));
    m_parents = std::move(nesting.parents);
    m_links = linkChromeSlices(m_records, std::span(nesting.marks).subspan(m_records.instants.size()), m_strings);
    ownInstants(nesting);
    nameSpans(keys);
    endUnfinished(keys);
}

/// The latest times that anything tells: of each thread, by track, and of the file as the last element. Clamped ones tell nothing.
std::vector<Timestamp> SpanMaker::lastTimes() const
{
    std::vector<Timestamp> last(m_tracks.threadCount() + 1, unknownTime);
    const auto see = [&last](std::size_t place, Timestamp time) {
        if (time != Timestamp::max())
            last[place] = std::max(last[place], time); // unknown is the smallest
    };
    for (const ChromeSlice& slice : m_records.slices) {
        see(toIndex(slice.track), slice.start);
        see(toIndex(slice.track), slice.end);
    }
    for (const ChromeInstant& instant : m_records.instants)
        see(toIndex(instant.track), instant.time);
    last.back() = *std::max_element(last.begin(), last.end());
    for (const ChromeEnd& end : m_records.ends)
        see(m_tracks.threadCount(), end.time);
    return last;
}

/// A profiler that stops leaves slices open. They lasted until then: as long as what they lie in, else to the end of the file; those
/// written without a length, to the end of their thread. \a keys are in the order of nesting, outer slices first.
void SpanMaker::endUnfinished(const std::vector<NestKey>& keys)
{
    std::vector<ChromeSlice>& slices = m_records.slices;
    std::vector<Timestamp> last;
    std::uint64_t count = 0;
    StringId first{};
    for (const NestKey& key : keys) {
        ChromeSlice& slice = slices[key.slice];
        if (isKnown(slice.end))
            continue;
        if (count++ == 0) {
            last = lastTimes();
            first = slice.name;
        }
        const std::uint32_t parent = m_parents[key.slice];
        const Timestamp ofTrack = (slice.bits & ChromeSlice::Open) != 0 ? last.back() : last[toIndex(slice.track)];
        slice.end = std::max(slice.start, parent == noSlice ? ofTrack : slices[parent].end);
        slice.bits |= ChromeSlice::Unfinished;
    }
    if (count != 0)
        report(DiagnosticCode::UnfinishedSpan, count,
            fmt::format("\"{}\" has no end; it is taken to last until what it lies in ends, or the trace", m_strings.text(first)));
}

/// An instant outside of all slices goes to the slice before it on its thread, or to the next, or to the first of its process.
void SpanMaker::ownInstants(const Nesting& nesting)
{
    std::unordered_map<std::uint32_t, std::uint32_t> firstOfProcess;
    const auto process = [this](TrackId track) { return m_tracks.thread(track).process; };
    for (std::uint32_t i = 0; i < m_records.slices.size() && !m_records.instants.empty(); ++i)
        firstOfProcess.try_emplace(process(m_records.slices[i].track), i);
    for (std::uint32_t i = 0; i < m_records.instants.size() && !m_records.slices.empty(); ++i) {
        NestedMark mark = nesting.marks[i];
        if (mark.slice == noSlice) {
            const auto found = firstOfProcess.find(process(m_records.instants[i].track));
            mark = {found == firstOfProcess.end() ? 0 : found->second, false};
        }
        m_instants.push_back({mark.slice, i, mark.isInside});
    }
    std::sort(m_instants.begin(), m_instants.end(), [this](const OwnedInstant& a, const OwnedInstant& b) {
        return std::tuple(a.slice, m_records.instants[a.instant].time, a.instant)
            < std::tuple(b.slice, m_records.instants[b.instant].time, b.instant);
    });
}

std::uint64_t SpanMaker::textHash(StringId id)
{
    std::uint64_t& hash = m_textHashes[toIndex(id)];
    if (hash == 0)
        hash = hash64(m_strings.text(id)) | 1U;
    return hash;
}

std::uint64_t SpanMaker::contentHash(const ChromeSlice& slice)
{
    const bool isAsync = (slice.bits & ChromeSlice::Async) != 0;
    std::uint64_t hash = m_threadHashes[toIndex(slice.track)];
    for (const std::uint64_t part : {textHash(slice.name), textHash(slice.category), isAsync ? slice.group : 0,
             std::uint64_t(toNs(slice.start)), std::uint64_t(toNs(slice.end))})
        hash = mix64(hash ^ part) + 0x9e3779b97f4a7c15ULL;
    return hash;
}

/// Slices that say the same are told apart by a number.
void SpanMaker::nameSpans(const std::vector<NestKey>& keys)
{
    const std::vector<ChromeSlice>& slices = m_records.slices;
    for (std::size_t i = 0; i < m_tracks.threadCount(); ++i)
        m_threadHashes.push_back(hash64(m_tracks.thread(TrackId(i)).tid, hash64(m_tracks.processOf(TrackId(i)).pid)));
    m_textHashes.resize(m_strings.size());
    m_ids.resize(slices.size());
    for (std::uint32_t i = 0; i < slices.size(); ++i)
        m_ids[i] = contentHash(slices[i]);
    std::unordered_map<std::uint64_t, std::uint64_t> uses;
    const auto number = [&](std::uint32_t slice, std::uint64_t earlier) {
        m_ids[slice] = mix64(m_ids[slice] + earlier * 0x9e3779b97f4a7c15ULL) | 1U;
    };
    const auto same = [](const NestKey& a, const NestKey& b) { return a.group == b.group && a.start == b.start && a.end == b.end; };
    for (std::size_t begin = 0; begin < keys.size();) {
        std::size_t end = begin + 1;
        while (end < keys.size() && same(keys[begin], keys[end]))
            ++end;
        if (end - begin == 1) {
            number(keys[begin].slice, 0);
        } else {
            for (std::size_t i = begin; i < end; ++i)
                number(keys[i].slice, uses[m_ids[keys[i].slice]]++);
            uses.clear();
        }
        begin = end;
    }
    for (std::uint32_t i = 0; i < slices.size(); ++i)
        if (!isKnown(slices[i].start))
            number(i, uses[m_ids[i]]++);
    std::uint64_t base = mix64(std::uint64_t(m_file.baseTime.value_or(0)) + slices.size());
    for (const std::uint64_t id : m_ids) {
        m_traceId.hi += mix64(id ^ base);
        m_traceId.lo += mix64(id + base);
    }
    m_traceId.lo |= 1U;
}

void SpanMaker::decideClock()
{
    Timestamp latest = unknownTime;
    for (const ChromeSlice& slice : m_records.slices)
        latest = std::max(latest, slice.start);
    m_base = m_file.baseTime.value_or(0);
    m_isRelative = m_base == 0 && toNs(latest) < oldestDateNs;
}

void SpanMaker::describeTracks()
{
    m_resources = m_tracks.resources(m_sink.dictionary(), m_file.attributes);
    for (std::size_t i = 0; i < m_tracks.threadCount(); ++i)
        m_threads.push_back(m_tracks.threadAttributes(TrackId(i), m_sink.writer()));
}

Timestamp SpanMaker::onClock(Timestamp time, SpanFlags& flags) const
{
    if (!isKnown(time))
        return time;
    std::int64_t ns = 0;
    if (!__builtin_add_overflow(toNs(time), m_base, &ns) && timestampFromNs(ns) != unknownTime)
        return timestampFromNs(ns);
    flags.set(SpanFlags::TimeOutOfRange);
    return m_base < 0 ? timestampFromNs(toNs(Timestamp::min()) + 1) : Timestamp::max();
}

Result<void> SpanMaker::add(std::uint32_t index)
{
    const ChromeSlice& slice = m_records.slices[index];
    m_draft.clear();
    m_draft.traceId = m_traceId;
    SpanRow& row = m_draft.row;
    row.spanId = SpanId{m_ids[index]};
    row.parentId = m_parents[index] == noSlice ? SpanId{} : SpanId{m_ids[m_parents[index]]};
    row.name = slice.name;
    row.resource = m_resources[m_tracks.thread(slice.track).process];
    if (m_isRelative)
        row.flags.set(SpanFlags::RelativeClock);
    if ((slice.bits & ChromeSlice::OutOfRange) != 0)
        row.flags.set(SpanFlags::TimeOutOfRange);
    if ((slice.bits & ChromeSlice::Unfinished) != 0)
        row.flags.set(SpanFlags::TimeRepaired);
    row.start = onClock(slice.start, row.flags);
    row.end = onClock(slice.end, row.flags);
    if (auto added = addAttributes(slice); !added)
        return added;
    if (auto added = addEvents(index); !added)
        return added;
    addLinks(index);
    return m_sink.add(m_draft);
}

Result<void> SpanMaker::addAttributes(const ChromeSlice& slice)
{
    std::string& packed = m_draft.attributes;
    const auto own = m_records.attributes.read({m_nextAttributes, slice.attributesSize});
    if (!own)
        return fail(own.error());
    m_nextAttributes += slice.attributesSize;
    packed.append(*own);
    if (slice.endArguments != 0) {
        const auto more = m_records.arguments.read(m_records.ends[slice.endArguments - 1].arguments);
        if (!more)
            return fail(more.error());
        packed.append(*more);
    }
    if (slice.category != StringId{}) {
        m_sink.writer().setOutput(&packed);
        m_sink.writer().key(m_categoryKey);
        m_sink.writer().text(m_strings.text(slice.category));
    }
    if ((slice.bits & ChromeSlice::Unfinished) != 0) {
        m_sink.writer().setOutput(&packed);
        m_sink.writer().key("chrome.unfinished");
        m_sink.writer().boolean(true);
    }
    packed.append(m_threads[toIndex(slice.track)]);
    return {};
}

Result<void> SpanMaker::addEvents(std::uint32_t slice)
{
    for (; m_nextInstant < m_instants.size() && m_instants[m_nextInstant].slice == slice; ++m_nextInstant) {
        const ChromeInstant& instant = m_records.instants[m_instants[m_nextInstant].instant];
        const auto arguments = m_records.arguments.read(instant.arguments);
        if (!arguments)
            return fail(arguments.error());
        EventDraft& event = m_draft.addEvent();
        event.name = m_strings.text(instant.name);
        event.time = onClock(instant.time, m_draft.row.flags);
        event.attributes.begin = m_draft.nested.size();
        m_draft.nested.append(*arguments);
        if (!m_instants[m_nextInstant].isInside)
            m_draft.nested.append(m_threads[toIndex(instant.track)]);
        event.attributes.end = m_draft.nested.size();
    }
    return {};
}

void SpanMaker::addLinks(std::uint32_t slice)
{
    const std::vector<ChromeLink>& links = m_links.links;
    for (; m_nextLink < links.size() && links[m_nextLink].from == slice; ++m_nextLink) {
        LinkDraft& link = m_draft.addLink();
        link.traceId = m_traceId;
        link.spanId = SpanId{m_ids[links[m_nextLink].to]};
        link.attributes.begin = m_draft.nested.size();
        m_sink.writer().setOutput(&m_draft.nested);
        m_sink.writer().key("chrome.flow");
        m_sink.writer().text(m_strings.text(links[m_nextLink].name));
        link.attributes.end = m_draft.nested.size();
    }
}

} // namespace

Result<void> addChromeSpans(ChromeCollector& collector, const ChromeFile& file, SpanSink& sink)
{
    collector.reportSkipped();
    return SpanMaker(collector, file, sink).run();
}

} // namespace chokepoint
