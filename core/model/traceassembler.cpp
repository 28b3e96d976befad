// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/traceassembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

namespace chokepoint {

namespace {

constexpr std::uint32_t none = 0xffffffffU;
constexpr Timestamp endOf1971 = timestampFromNs(63072000LL * 1000000000);

/// Links the rows of one trace, and lays them out as a tree. Rows are named by their index in the input.
class Assembler {
public:
    /// \a dictionary may be null: then no texts are looked at.
    Assembler(const SpanColumns& rows, const Dictionary* dictionary, Diagnostics& diagnostics)
        : m_rows(rows), m_dictionary(dictionary), m_diagnostics(diagnostics), m_count(rows.size())
    {
    }

    void link()
    {
        m_start.assign(m_rows.start.begin(), m_rows.start.end());
        m_flags.assign(m_rows.flags.begin(), m_rows.flags.end());
        markMissingStarts();
        groupIds();
        linkParents();
        cutCycles();
    }

    /// After link().
    void appendTree(std::vector<std::uint32_t>& order, TraceColumns& out)
    {
        layOut(order);
        emit(order, out);
    }

    /// After link().
    [[nodiscard]] bool repeatsIds() const { return !m_repeated.empty(); }

    /// After link(), and the last call.
    void takeLinks(std::vector<Timestamp>& start, std::vector<SpanFlags>& flags, std::vector<std::int32_t>& parent)
    {
        start = std::move(m_start);
        flags = std::move(m_flags);
        parent.assign(m_parent.begin(), m_parent.end()); // none is -1
    }

private:
    /// Canonical order of rows, independent of the input's order: start, longest first, id, then whatever tells two spans apart.
    [[nodiscard]] bool precedes(std::uint32_t a, std::uint32_t b) const
    {
        const auto unknownLast = [&](std::uint32_t i) { return isKnown(m_start[i]) ? m_start[i] : Timestamp::max(); };
        const auto shape = [&](std::uint32_t i) {
            const Duration duration = spanDuration(m_start[i], m_rows.end[i]);
            return std::tuple(unknownLast(i), -(isKnown(duration) ? toNs(duration) : -1), m_rows.spanId[i], toIndex(m_rows.name[i]),
                m_flags[i].bits, toIndex(m_rows.resource[i]), m_rows.end[i], i);
        };
        if (m_start[a] != m_start[b])
            return unknownLast(a) < unknownLast(b);
        return shape(a) < shape(b);
    }

    void report(DiagnosticCode code, std::uint32_t row, const char* what) const
    {
        m_diagnostics.report(code, [&] {
            const std::string_view name = m_dictionary != nullptr ? m_dictionary->text(m_rows.name[row]) : std::string_view{};
            return fmt::format("span {} \"{}\": {}", toHex(m_rows.spanId[row]), name, what);
        });
    }

    void markMissingStarts()
    {
        Timestamp latest = Timestamp::min();
        for (std::size_t i = 0; i < m_count; ++i)
            if (isKnown(m_start[i]))
                latest = std::max(latest, m_start[i]);
        for (std::uint32_t i = 0; i < m_count; ++i) {
            const bool unset = m_start[i] == Timestamp{} && latest > endOf1971 && !m_flags[i].has(SpanFlags::RelativeClock);
            if (!unset && isKnown(m_start[i]))
                continue;
            m_start[i] = unknownTime;
            m_flags[i].set(SpanFlags::MissingStart);
            report(DiagnosticCode::MissingStart, i, "has no start time; it is listed, but left out of statistics");
        }
    }

    /// Where \a id is in the table, or could be put. Salted, so that no file can hold ids that all want the same place.
    [[nodiscard]] std::size_t slotOf(SpanId id) const
    {
        const std::size_t mask = m_rowOfId.size() - 1;
        std::size_t slot = mix64(id.value ^ reinterpret_cast<std::uintptr_t>(this)) & mask;
        while (m_rowOfId[slot] != none && m_rows.spanId[m_rowOfId[slot]] != id)
            slot = (slot + 1) & mask;
        return slot;
    }

    /// Finds the rows of every id, and settles which span owns an id that occurs more than once.
    void groupIds()
    {
        m_rowOfId.assign(std::bit_ceil(2 * m_count + 1), none);
        m_isRepeated.assign(m_count, false);
        for (std::uint32_t i = 0; i < m_count; ++i) {
            std::uint32_t& first = m_rowOfId[slotOf(m_rows.spanId[i])];
            if (first == none) {
                first = i;
                continue;
            }
            if (!m_isRepeated[first])
                m_repeated.push_back(first);
            m_repeated.push_back(i);
            m_isRepeated[first] = m_isRepeated[i] = true;
        }
        if (!repeatsIds())
            return;
        std::sort(m_repeated.begin(), m_repeated.end(), [&](std::uint32_t a, std::uint32_t b) {
            return m_rows.spanId[a] != m_rows.spanId[b] ? m_rows.spanId[a] < m_rows.spanId[b] : precedes(a, b);
        });
        m_sharedClient.assign(m_count, none);
        m_sharedServer.assign(m_count, none);
        for (std::size_t begin = 0; begin < m_repeated.size();) {
            std::size_t end = begin + 1;
            while (end < m_repeated.size() && m_rows.spanId[m_repeated[end]] == m_rows.spanId[m_repeated[begin]])
                ++end;
            settleRepeatedId(begin, end);
            begin = end;
        }
    }

    void settleRepeatedId(std::size_t begin, std::size_t end)
    {
        const auto ofKind = [&](SpanKind kind) {
            for (std::size_t k = begin; k < end; ++k)
                if (m_flags[m_repeated[k]].kind() == kind)
                    return m_repeated[k];
            return none;
        };
        const std::uint32_t client = ofKind(SpanKind::Client);
        const std::uint32_t server = ofKind(SpanKind::Server);
        const bool shared = client != none && server != none;
        if (shared) {
            m_sharedClient[server] = client;
            m_sharedServer[client] = server;
            m_flags[server].set(SpanFlags::SharedServer);
        }
        const std::uint32_t owner = shared ? client : m_repeated[begin];
        m_rowOfId[slotOf(m_rows.spanId[owner])] = owner;
        for (std::size_t k = begin; k < end; ++k) {
            const std::uint32_t row = m_repeated[k];
            if (row == owner || (shared && row == server))
                continue;
            m_flags[row].set(SpanFlags::IdConflict);
            report(DiagnosticCode::SpanIdConflict, row, "its id occurs more than once in the trace; all are kept");
        }
    }

    /// The span that \a id means to \a child, which has another id; none when the trace has no such span.
    [[nodiscard]] std::uint32_t resolve(SpanId id, std::uint32_t child) const
    {
        const std::uint32_t owner = m_rowOfId[slotOf(id)];
        const std::uint32_t server = owner == none || !repeatsIds() ? none : m_sharedServer[owner];
        if (server == none)
            return owner;
        if (m_dictionary == nullptr)
            return server;
        const auto service = [&](std::uint32_t row) { return m_dictionary->service(m_rows.resource[row]); };
        return service(child) == service(owner) && service(child) != service(server) ? owner : server;
    }

    void linkParents()
    {
        m_parent.assign(m_count, none);
        for (std::uint32_t i = 0; i < m_count; ++i) {
            if (repeatsIds() && m_sharedClient[i] != none) {
                m_parent[i] = m_sharedClient[i];
                continue;
            }
            const SpanId parentId = m_rows.parentId[i];
            if (parentId.isNull())
                continue;
            if (parentId == m_rows.spanId[i]) {
                m_flags[i].set(SpanFlags::SelfParent);
                report(DiagnosticCode::SelfParent, i, "names itself as its parent; treated as a root");
                continue;
            }
            m_parent[i] = resolve(parentId, i);
            if (m_parent[i] == none) {
                m_flags[i].set(SpanFlags::Orphan);
                report(DiagnosticCode::MissingParent, i, "its parent is not in the trace; shown at the top level");
            }
        }
    }

    /// Follows parent pointers with colours; a walk that meets itself is a cycle, which loses the parent of its earliest span.
    void cutCycles()
    {
        m_colour.assign(m_count, 0);
        std::uint32_t colour = 0;
        for (std::uint32_t begin = 0; begin < m_count; ++begin) {
            if (m_colour[begin] != 0)
                continue;
            ++colour;
            std::uint32_t at = begin;
            while (at != none && m_colour[at] == 0) {
                m_colour[at] = colour;
                at = m_parent[at];
            }
            if (at == none || m_colour[at] != colour)
                continue;
            std::uint32_t earliest = at;
            for (std::uint32_t member = m_parent[at]; member != at; member = m_parent[member])
                if (precedes(member, earliest))
                    earliest = member;
            m_parent[earliest] = none;
            m_flags[earliest].set(SpanFlags::CycleCut);
            report(DiagnosticCode::Cycle, earliest, "is its own ancestor; the cycle is cut here");
        }
    }

    /// Pre-order: children lists by canonical order, then a walk with an explicit stack.
    void layOut(std::vector<std::uint32_t>& order)
    {
        m_sorted.resize(m_count);
        std::iota(m_sorted.begin(), m_sorted.end(), 0U);
        std::sort(m_sorted.begin(), m_sorted.end(), [&](std::uint32_t a, std::uint32_t b) { return precedes(a, b); });
        m_firstChild.assign(m_count, none);
        m_nextSibling.assign(m_count, none);
        std::vector<std::uint32_t> orphans;
        m_stack.clear();
        // Backwards, so that prepending gives every list its order; the stack then pops in order, roots before orphans.
        for (std::size_t k = m_count; k-- > 0;) {
            const std::uint32_t i = m_sorted[k];
            if (m_parent[i] != none) {
                m_nextSibling[i] = m_firstChild[m_parent[i]];
                m_firstChild[m_parent[i]] = i;
            } else if (m_flags[i].has(SpanFlags::Orphan)) {
                orphans.push_back(i);
            } else {
                m_stack.push_back(i);
            }
        }
        m_stack.insert(m_stack.begin(), orphans.begin(), orphans.end());
        order.clear();
        order.reserve(m_count);
        while (!m_stack.empty()) {
            const std::uint32_t i = m_stack.back();
            m_stack.pop_back();
            order.push_back(i);
            if (m_parent[i] != none && m_nextSibling[i] != none)
                m_stack.push_back(m_nextSibling[i]);
            if (m_firstChild[i] != none)
                m_stack.push_back(m_firstChild[i]);
        }
    }

    void emit(const std::vector<std::uint32_t>& order, TraceColumns& out)
    {
        const std::size_t first = out.spans.size();
        m_place.resize(m_count);
        for (std::uint32_t k = 0; k < order.size(); ++k)
            m_place[order[k]] = k;
        out.parent.resize(first + m_count);
        out.subtreeSize.resize(first + m_count, 1);
        for (std::uint32_t k = 0; k < order.size(); ++k) {
            const std::uint32_t i = order[k];
            SpanRow row = m_rows.row(i);
            row.start = m_start[i];
            row.flags = m_flags[i];
            out.spans.push_back(row);
            out.parent[first + k] = m_parent[i] == none ? -1 : std::int32_t(m_place[m_parent[i]]);
            countTimeFaults(i);
        }
        for (std::size_t k = m_count; k-- > 0;)
            if (const std::int32_t up = out.parent[first + k]; up >= 0)
                out.subtreeSize[first + std::size_t(up)] += out.subtreeSize[first + k];
        out.firstSpan.push_back(first + m_count);
    }

    void countTimeFaults(std::uint32_t i) const
    {
        const Timestamp end = m_rows.end[i];
        if (!isKnown(end))
            report(DiagnosticCode::UnfinishedSpan, i, "has no end time; it is marked unfinished and left out of statistics");
        else if (isKnown(m_start[i]) && end < m_start[i])
            report(DiagnosticCode::NegativeDuration, i, "ends before it starts; its duration counts as 0");
        if (isSkewed(i))
            report(DiagnosticCode::ClockSkewSuspected, i, "lies wholly outside its caller on another host; times are shown as recorded");
    }

    /// A server or consumer half on another host that lies outside its caller by more than the caller's duration.
    [[nodiscard]] bool isSkewed(std::uint32_t i) const
    {
        const SpanKind kind = m_flags[i].kind();
        const std::uint32_t up = m_parent[i];
        if (up == none || (kind != SpanKind::Server && kind != SpanKind::Consumer) || m_dictionary == nullptr)
            return false;
        const StringId host = m_dictionary->host(m_rows.resource[i]);
        const StringId callerHost = m_dictionary->host(m_rows.resource[up]);
        const Duration caller = spanDuration(m_start[up], m_rows.end[up]);
        if (host == callerHost || host == StringId{} || callerHost == StringId{} || !isKnown(caller)
            || !isKnown(spanDuration(m_start[i], m_rows.end[i])))
            return false;
        return saturatingDifference(m_start[i], m_rows.end[up]) > caller || saturatingDifference(m_start[up], m_rows.end[i]) > caller;
    }

    const SpanColumns& m_rows;
    const Dictionary* m_dictionary;
    Diagnostics& m_diagnostics;
    std::size_t m_count;
    std::vector<Timestamp> m_start;
    std::vector<SpanFlags> m_flags;
    std::vector<std::uint32_t> m_rowOfId; // a hash table, at most half full: the row that owns each id
    std::vector<bool> m_isRepeated; // by row: its id occurs more than once
    std::vector<std::uint32_t> m_repeated; // those rows, by id and canonical order
    std::vector<std::uint32_t> m_sharedClient; // of a shared server half: its client half; empty unless ids are repeated
    std::vector<std::uint32_t> m_sharedServer; // of such a client half: its server half; the same
    std::vector<std::uint32_t> m_parent;
    std::vector<std::uint32_t> m_colour;
    std::vector<std::uint32_t> m_sorted;
    std::vector<std::uint32_t> m_firstChild;
    std::vector<std::uint32_t> m_nextSibling;
    std::vector<std::uint32_t> m_stack;
    std::vector<std::uint32_t> m_place;
};

} // namespace

void assembleTrace(const SpanColumns& rows, std::vector<std::uint32_t>& order, TraceColumns& out)
{
    Assembler assembler(rows, out.dictionary.get(), out.diagnostics);
    assembler.link();
    assembler.appendTree(order, out);
}

TraceView LinkedTrace::link(const SpanColumns& rows)
{
    Diagnostics ignored;
    Assembler assembler(rows, nullptr, ignored);
    assembler.link();
    m_repeatsIds = assembler.repeatsIds();
    assembler.takeLinks(m_start, m_flags, m_parent);
    m_subtreeSize.assign(rows.size(), 1);
    return {{}, rows.spanId, rows.parentId, m_parent, m_subtreeSize, m_start, rows.end, rows.name, rows.resource, rows.scope, m_flags,
        rows.firstToken};
}

} // namespace chokepoint
