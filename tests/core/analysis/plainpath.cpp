// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A restatement of the definition, written independently of the code it checks.
#include "tests/core/analysis/plainpath.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace chokepoint::testkit {

namespace {

using Ns = std::int64_t;

void appendMerged(std::vector<PlainSegment>& segments, const PlainSegment& segment)
{
    if (segment.begin >= segment.end)
        return;
    if (!segments.empty() && segments.back().span == segment.span && segments.back().end == segment.begin)
        segments.back().end = segment.end;
    else
        segments.push_back(segment);
}

class Plain {
public:
    Plain(const TraceView& trace, PathPolicy policy) : t(trace), detach(policy == PathPolicy::Detach), n(int(trace.size()))
    {
        for (int i = 0; i < n; ++i) {
            start.push_back(toNs(t.start[i]));
            end.push_back(std::max(toNs(t.end[i]), toNs(t.start[i])));
        }
    }

    PlainPath run()
    {
        PlainPath result;
        result.waiter.assign(std::size_t(n), -1);
        root = primaryRoot(t, true);
        if (root < 0)
            return result;
        for (int i = 0; i < n; ++i)
            result.waiter[std::size_t(i)] = waiterOf(i);
        waiter = result.waiter;
        walk(root, start[root], end[root], {});
        std::reverse(pieces.begin(), pieces.end());
        for (const PlainSegment& piece : pieces)
            appendMerged(result.segments, piece);
        return result;
    }

private:
    Ns length(int i) const { return end[i] - start[i]; }

    Ns tolerance(int i) const
    {
        Ns step = 1'000'000;
        for (int k = 0; k < n; ++k)
            while (start[k] % step != 0 || length(k) % step != 0)
                step /= 1000;
        return std::min(std::max(Ns{1000}, 2 * step), length(i) / 100);
    }
    Ns outerTolerance(int i) const { return std::max(tolerance(i), length(i) / 100); }

    bool contains(int a, int d) const
    {
        return start[a] <= start[d] + outerTolerance(a) && end[d] <= end[a] + outerTolerance(a) && start[d] < end[a];
    }

    bool hasFlag(int i, SpanFlags::Bit bit) const { return t.flags[i].has(bit); }
    bool isProducerConsumer(int c) const
    {
        return t.flags[t.parent[c]].kind() == SpanKind::Producer && t.flags[c].kind() == SpanKind::Consumer;
    }
    bool overflows(int c) const { return end[c] > end[t.parent[c]] + outerTolerance(t.parent[c]); }
    bool isAbandoned(int c) const
    {
        const int p = t.parent[c];
        const bool call = t.flags[p].kind() == SpanKind::Client && t.flags[c].kind() == SpanKind::Server;
        return overflows(c) && (call || hasFlag(p, SpanFlags::Cancelled) || hasFlag(p, SpanFlags::TimedOut));
    }
    bool isAway(int c) const { return start[c] >= end[t.parent[c]] || end[c] <= start[t.parent[c]]; }
    bool isHedgeLoser(int c) const
    {
        if (!hasFlag(c, SpanFlags::Cancelled) || isAway(c) || (overflows(c) && !isAbandoned(c)))
            return false;
        for (int s = 0; s < n; ++s) {
            const bool twin = s != c && t.parent[s] == t.parent[c] && t.name[s] == t.name[c] && !hasFlag(s, SpanFlags::Cancelled);
            if (twin && start[s] < end[s] && start[s] < end[c] && start[c] < end[s] && end[s] < end[c])
                return true;
        }
        return false;
    }
    bool isDeclaredBackground(int c) const
    {
        if (t.parent[c] < 0)
            return false;
        if (isProducerConsumer(c))
            return true;
        return !hasFlag(c, SpanFlags::Follows) && (hasFlag(c, SpanFlags::Async) || isHedgeLoser(c));
    }

    int waiterOf(int d) const
    {
        const int p = t.parent[d];
        if (d == root)
            return -1;
        if (p < 0)
            return contains(root, d) ? root : -1;
        if (isDeclaredBackground(d))
            return -1;
        const bool detached = hasFlag(d, SpanFlags::Follows) || isAway(d) || (detach && overflows(d) && !isAbandoned(d));
        if (!detached)
            return p;
        for (int a = p;; a = t.parent[a]) {
            if (a == root || isDeclaredBackground(a))
                return -1;
            if (t.parent[a] < 0)
                return contains(root, d) ? root : -1;
            if (contains(t.parent[a], d))
                return t.parent[a];
        }
    }

    bool isAdoptedOutliver(int k) const
    {
        return waiter[k] != t.parent[k] && t.parent[k] >= 0 && !hasFlag(k, SpanFlags::Follows) && !isAway(k) && overflows(k)
            && !isAbandoned(k);
    }

    bool hasKids(int i) const { return std::count(waiter.begin(), waiter.end(), i) > 0; }

    /// Own time and children's of \a s in [low, t), in descending time.
    void walk(int s, Ns low, Ns cursor, std::vector<int> spawners)
    {
        used.insert(s);
        for (;;) {
            int best = -1;
            Ns gate = 0;
            std::vector<int> rest;
            if (!spawners.empty() && !used.contains(spawners.back()) && std::max(start[spawners.back()], low) < cursor
                && cursor < end[spawners.back()]) {
                best = spawners.back();
                gate = cursor;
                rest.assign(spawners.begin(), spawners.end() - 1);
            }
            if (best < 0)
                consider(s, low, cursor, best, gate);
            own(s, best < 0 ? low : gate, cursor);
            if (best < 0)
                return;
            cursor = std::max(start[best], low);
            walk(best, cursor, gate, rest);
            spawners.clear();
            if (isAdoptedOutliver(best))
                spawners = chain(t.parent[best], s);
        }
    }

    /// \a from and those who wait for it, up to the child of \a s; empty when the chain does not lead there.
    std::vector<int> chain(int from, int s) const
    {
        std::vector<int> result;
        for (int a = from; a != s; a = waiter[a]) {
            if (a < 0)
                return {};
            result.push_back(a);
        }
        return result;
    }

    /// The child with the latest gate; of those the earliest, then one with children, then the smallest id.
    void consider(int s, Ns low, Ns cursor, int& best, Ns& bestGate) const
    {
        const auto rank = [&](int k, Ns gate) { return std::tuple(-gate, std::max(start[k], low), hasKids(k) ? 0 : 1, t.spanId[k], k); };
        for (int k = 0; k < n; ++k) {
            const Ns begin = std::max(start[k], low);
            const Ns stop = std::min(end[k], end[s]);
            if (waiter[k] != s || used.contains(k) || begin >= cursor || begin >= stop)
                continue;
            const bool streams = hasFlag(k, SpanFlags::Streaming) && isKnown(t.firstToken[k]);
            const Ns token = streams ? toNs(t.firstToken[k]) : 0;
            Ns gate = 0;
            if (stop < cursor)
                gate = stop;
            else if (stop <= cursor + tolerance(s))
                gate = cursor;
            else if (streams && begin < token && start[k] < token && token < stop && token <= cursor)
                gate = token;
            else
                continue;
            if (best < 0 || rank(k, gate) < rank(best, bestGate)) {
                best = k;
                bestGate = gate;
            }
        }
    }

    void own(int s, Ns begin, Ns stop) { pieces.push_back({std::uint32_t(s), begin, stop}); }

    const TraceView& t;
    bool detach;
    int n;
    int root = -1;
    std::vector<Ns> start;
    std::vector<Ns> end;
    std::vector<std::int32_t> waiter;
    std::set<int> used;
    std::vector<PlainSegment> pieces;
};

/// Jaeger's rule on one tree: clip, then recurse.
class PlainJaeger {
public:
    explicit PlainJaeger(const TraceView& trace) : t(trace)
    {
        for (std::size_t i = 0; i < t.size(); ++i) {
            start.push_back(toNs(t.start[i]));
            end.push_back(std::max(toNs(t.end[i]), toNs(t.start[i])));
        }
        kept.assign(t.size(), false);
    }

    std::vector<PlainSegment> run()
    {
        for (int i = 0; i < int(t.size()); ++i) {
            if (t.parent[i] >= 0 || t.flags[i].has(SpanFlags::Orphan) || t.flags[i].has(SpanFlags::SelfParent)
                || t.flags[i].has(SpanFlags::CycleCut))
                continue;
            keep(i);
            pieces.clear();
            walk(i);
            std::reverse(pieces.begin(), pieces.end());
            std::vector<PlainSegment> merged;
            for (const PlainSegment& piece : pieces)
                appendMerged(merged, piece);
            result.insert(result.end(), merged.begin(), merged.end());
        }
        return result;
    }

private:
    void keep(int s)
    {
        kept[std::size_t(s)] = true;
        for (int c = 0; c < int(t.size()); ++c) {
            if (t.parent[c] != s)
                continue;
            const bool message = t.flags[s].kind() == SpanKind::Producer && t.flags[c].kind() == SpanKind::Consumer;
            if (message || start[c] >= end[s] || (start[c] < start[s] && end[c] <= start[s]))
                continue;
            start[c] = std::max(start[c], start[s]);
            end[c] = std::min(end[c], end[s]);
            keep(c);
        }
    }

    void walk(int s)
    {
        Ns bound = end[s];
        for (bool first = true;; first = false) {
            int best = -1;
            for (int c = 0; c < int(t.size()); ++c) {
                if (t.parent[c] != s || !kept[c] || (!first && end[c] >= bound))
                    continue;
                if (best < 0 || end[c] > end[best] || (end[c] == end[best] && t.start[c] == t.start[best] && hasKids(c) && !hasKids(best)))
                    best = c;
            }
            pieces.push_back({std::uint32_t(s), best < 0 ? start[s] : end[best], bound});
            if (best < 0)
                return;
            walk(best);
            bound = start[best];
        }
    }

    bool hasKids(int s) const
    {
        for (int c = 0; c < int(t.size()); ++c) {
            if (t.parent[c] == s && kept[c])
                return true;
        }
        return false;
    }

    const TraceView& t;
    std::vector<Ns> start;
    std::vector<Ns> end;
    std::vector<char> kept;
    std::vector<PlainSegment> pieces;
    std::vector<PlainSegment> result;
};

} // namespace

PlainPath plainPath(const TraceView& trace, PathPolicy policy)
{
    return Plain(trace, policy).run();
}

std::vector<PlainSegment> plainJaegerPath(const TraceView& trace)
{
    return PlainJaeger(trace).run();
}

std::vector<PlainSegment> plainSegments(const CriticalPath& path)
{
    std::vector<PlainSegment> result;
    for (const PathSegment& segment : path.segments)
        appendMerged(result, {segment.span, toNs(path.begin) + toNs(segment.begin), toNs(path.begin) + toNs(segment.end)});
    return result;
}

} // namespace chokepoint::testkit
