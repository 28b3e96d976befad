// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/settle.h"

#include "core/model/packed.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

namespace chokepoint {

namespace {

/// Beyond this many different reports with equal columns only equal ones are recognised, so that cost stays linear.
constexpr std::size_t mostCompared = 64;

/// Takes in what \a other has and \a into lacks. True when there was anything.
template <typename Item> bool takeIn(std::vector<Item>& into, const std::vector<Item>& other)
{
    const std::size_t before = into.size();
    for (const Item& item : other)
        if (std::find(into.begin(), into.end(), item) == into.end())
            into.push_back(item);
    return into.size() != before;
}

/// Attributes by key: the value of \a into stands where both have one.
bool takeInMissingKeys(AttributeList& into, const AttributeList& other)
{
    const std::size_t before = into.size();
    for (const Attribute& attribute : other)
        if (findAttribute(into, attribute.key) == nullptr)
            into.push_back(attribute);
    return into.size() != before;
}

bool takeInText(std::string& into, const std::string& other)
{
    if (!into.empty() || other.empty())
        return false;
    into = other;
    return true;
}

/// Merges a partial report into a finished one; true when that changed it.
bool absorb(SpanPayload& finished, const SpanPayload& partial)
{
    bool changed = takeInMissingKeys(finished.attributes, partial.attributes);
    changed |= takeIn(finished.events, partial.events);
    changed |= takeIn(finished.links, partial.links);
    changed |= takeInText(finished.traceState, partial.traceState);
    changed |= takeInText(finished.statusMessage, partial.statusMessage);
    return changed;
}

/// Everything of \a part is in \a whole.
bool contains(const SpanPayload& whole, const SpanPayload& part)
{
    SpanPayload merged = whole;
    if (takeIn(merged.attributes, part.attributes) || takeIn(merged.events, part.events) || takeIn(merged.links, part.links))
        return false;
    const auto covered = [](const std::string& a, const std::string& b) { return b.empty() || a == b; };
    return covered(whole.traceState, part.traceState) && covered(whole.statusMessage, part.statusMessage)
        && covered(whole.traceIdText, part.traceIdText) && covered(whole.spanIdText, part.spanIdText)
        && covered(whole.parentIdText, part.parentIdText) && (part.flags == 0 || whole.flags == part.flags)
        && whole.droppedAttributes >= part.droppedAttributes && whole.droppedEvents >= part.droppedEvents
        && whole.droppedLinks >= part.droppedLinks;
}

std::size_t weight(const SpanPayload& payload)
{
    return payload.attributes.size() + payload.events.size() + payload.links.size();
}

auto columnsOf(const SpanRow& row)
{
    return std::tuple(
        row.start, row.end, row.flags.stored(), toIndex(row.name), row.parentId, toIndex(row.resource), toIndex(row.scope), row.firstToken);
}

class Settler {
public:
    Settler(const SpanReports& reports, StringPool& strings, const std::string& traceName, Diagnostics& diagnostics)
        : m_reports(reports), m_strings(strings), m_traceName(traceName), m_diagnostics(diagnostics)
    {
        m_settled.dropped.assign(reports.rows.size(), false);
    }

    SettledReports run()
    {
        std::vector<std::uint32_t> byId(m_reports.rows.size());
        std::iota(byId.begin(), byId.end(), 0U);
        const auto& id = m_reports.rows.spanId;
        std::sort(byId.begin(), byId.end(), [&](std::uint32_t a, std::uint32_t b) { return id[a] != id[b] ? id[a] < id[b] : a < b; });
        for (std::size_t begin = 0; begin < byId.size();) {
            std::size_t end = begin + 1;
            while (end < byId.size() && id[byId[end]] == id[byId[begin]])
                ++end;
            if (end - begin > 1)
                settleGroup({byId.begin() + std::ptrdiff_t(begin), byId.begin() + std::ptrdiff_t(end)});
            begin = end;
        }
        return std::move(m_settled);
    }

private:
    struct Report {
        std::uint32_t index;
        SpanRow row;
        std::string_view payload;
        std::uint64_t hash = 0; // of the content; known where columns are equal and bytes differ
    };

    [[nodiscard]] SpanPayload decoded(const Report& report) const
    {
        const auto rewritten = m_settled.rewritten.find(report.index);
        const std::string_view bytes = rewritten != m_settled.rewritten.end() ? rewritten->second : m_reports.payloads[report.index];
        return decodePayload(bytes, report.row.start, m_strings);
    }

    void drop(const Report& report, DiagnosticCode code, const char* what)
    {
        m_settled.dropped[report.index] = true;
        ++m_settled.droppedCount;
        m_settled.storedChanged |= report.index < m_reports.stored;
        m_diagnostics.report(code, [&] { return fmt::format("span {} of trace {}: {}", toHex(report.row.spanId), m_traceName, what); });
    }

    void settleGroup(const std::vector<std::uint32_t>& members)
    {
        std::vector<Report> group;
        group.reserve(members.size());
        for (const std::uint32_t i : members)
            group.push_back({i, m_reports.rows.row(i), m_reports.payloads[i]});
        // Stored reports come first among equals, so that they are the ones to stay.
        std::sort(group.begin(), group.end(), [](const Report& a, const Report& b) {
            return std::tuple_cat(columnsOf(a.row), std::tuple(a.payload, a.index))
                < std::tuple_cat(columnsOf(b.row), std::tuple(b.payload, b.index));
        });
        std::vector<Report> kept;
        for (std::size_t begin = 0; begin < group.size();) {
            std::size_t end = begin + 1;
            while (end < group.size() && columnsOf(group[end].row) == columnsOf(group[begin].row))
                ++end;
            settleEqualColumns(std::span(group).subspan(begin, end - begin), kept);
            begin = end;
        }
        mergePartial(kept);
    }

    /// Bytes first, because they are at hand; then content, whatever was interned; then reports that say nothing new.
    void settleEqualColumns(std::span<const Report> reports, std::vector<Report>& kept)
    {
        std::vector<Report> distinct = withoutEqual(reports, [](const Report& a, const Report& b) { return a.payload == b.payload; });
        if (distinct.size() > 1) {
            for (Report& report : distinct)
                report.hash = payloadHash(report.payload, m_strings);
            std::sort(distinct.begin(), distinct.end(),
                [](const Report& a, const Report& b) { return std::tuple(a.hash, a.index) < std::tuple(b.hash, b.index); });
            distinct = withoutEqual(distinct, [](const Report& a, const Report& b) { return a.hash == b.hash; });
        }
        if (distinct.size() > 1 && distinct.size() <= mostCompared)
            keepFullest(distinct, kept);
        else
            kept.insert(kept.end(), distinct.begin(), distinct.end());
    }

    /// Drops each report that equals the one before it.
    template <typename Equal> std::vector<Report> withoutEqual(std::span<const Report> reports, Equal&& equal)
    {
        std::vector<Report> kept;
        for (const Report& report : reports) {
            if (!kept.empty() && equal(kept.back(), report))
                drop(report, DiagnosticCode::DuplicateSpan, "an identical report was kept, this one is dropped");
            else
                kept.push_back(report);
        }
        return kept;
    }

    void keepFullest(std::span<const Report> equalColumns, std::vector<Report>& kept)
    {
        struct Candidate {
            const Report* report;
            SpanPayload payload;
        };
        std::vector<Candidate> candidates;
        for (const Report& report : equalColumns)
            candidates.push_back({&report, decoded(report)});
        std::stable_sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return weight(a.payload) > weight(b.payload); });
        std::vector<const Candidate*> fullest;
        for (const Candidate& candidate : candidates) {
            const auto covers = [&](const Candidate* other) { return contains(other->payload, candidate.payload); };
            if (std::any_of(fullest.begin(), fullest.end(), covers))
                drop(*candidate.report, DiagnosticCode::DuplicateSpan, "another report says the same and more, this one is dropped");
            else
                fullest.push_back(&candidate);
        }
        for (const Candidate* candidate : fullest)
            kept.push_back(*candidate->report);
    }

    void mergePartial(const std::vector<Report>& group)
    {
        for (const Report& partial : group) {
            if (isKnown(partial.row.end) || !isKnown(partial.row.start))
                continue;
            const auto finishes = [&](const Report& other) {
                return isKnown(other.row.end) && other.row.start == partial.row.start && other.row.flags.kind() == partial.row.flags.kind();
            };
            const auto finished = std::find_if(group.begin(), group.end(), finishes);
            if (finished == group.end())
                continue;
            SpanPayload merged = decoded(*finished);
            if (absorb(merged, decoded(partial))) {
                PackedWriter writer(m_strings);
                std::string bytes;
                encodePayload(merged, finished->row.start, writer, bytes);
                m_settled.rewritten[finished->index] = std::move(bytes);
                m_settled.storedChanged |= finished->index < m_reports.stored;
            }
            drop(partial, DiagnosticCode::PartialSpanMerged, "a report without an end was merged into the finished one");
        }
    }

    const SpanReports& m_reports;
    StringPool& m_strings;
    const std::string& m_traceName;
    Diagnostics& m_diagnostics;
    SettledReports m_settled;
};

} // namespace

bool equalColumns(const SpanRow& a, const SpanRow& b)
{
    return a.spanId == b.spanId && columnsOf(a) == columnsOf(b);
}

SettledReports settleReports(const SpanReports& reports, StringPool& strings, const std::string& traceName, Diagnostics& diagnostics)
{
    return Settler(reports, strings, traceName, diagnostics).run();
}

} // namespace chokepoint
