// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The trace as it was: who takes part, in what order, and which sibling operations wait for each other.
#include "core/analysis/populationparts.h"
#include "core/analysis/replay.h"

#include <algorithm>

namespace chokepoint {

using path::noTime;
using path::saturatingAdd;

Replayer::Replayer(const Dictionary& dictionary, const StageMap& stages, const PathOptions& options, const BrokenOrders* broken,
    const DeclaredOrders& declared)
    : m_dictionary(dictionary), m_stages(stages), m_options(options), m_broken(broken != nullptr && !broken->empty() ? broken : nullptr),
      m_declared(declared)
{
    listDeclared();
    m_options.root = -1; // an index means nothing across traces
    m_options.window = PathWindow::Root;
    if (m_options.policy == PathPolicy::Jaeger)
        m_options.policy = PathPolicy::Default; // Jaeger's path knows no waits
    m_path.segments.resize(1);
}

/// What the stages of the rules wait for, as a table of all stages.
void Replayer::listDeclared()
{
    const StageTable& table = *m_stages.table;
    if (m_declared.stages.empty())
        return;
    m_after.resize(table.size());
    const auto isPart = [&table](std::size_t stage, StageId of) { return StageId(stage) == of || table.topLevel(StageId(stage)) == of; };
    for (std::size_t stage = 0; stage < table.size(); ++stage) {
        for (const StageOrder& order : m_declared.stages) {
            const bool isOwn = StageId(stage) == order.stage; // what is said of a sub-stage goes before what is said of its stage
            if (!isPart(stage, order.stage) || (!isOwn && !m_after[stage].empty()))
                continue;
            m_after[stage].assign(table.size(), false);
            for (std::size_t other = 0; other < table.size(); ++other)
                m_after[stage][other] = isPart(other, order.stage)
                    || std::any_of(order.after.begin(), order.after.end(), [&](StageId after) { return isPart(other, after); });
        }
    }
}

bool Replayer::prepare(const TraceView& trace, std::uint64_t firstSpan)
{
    m_trace = trace;
    m_firstSpan = firstSpan;
    m_links = m_declared.links == nullptr ? std::span<const DeclaredLink>() : m_declared.links->of(firstSpan, trace.size());
    m_derived = derivedParts(m_stages, firstSpan, trace.size());
    m_path.shift.clear();
    m_order.clear();
    path::normalise(trace, m_options, m_tree);
    if (m_tree.root < 0 || !trace.isTrueRoot(std::size_t(m_tree.root)) || m_tree.partial)
        return false;
    path::correctSkew(trace, m_dictionary, m_options, m_tree, m_path.shift);
    path::setTolerances(trace, m_options, m_tree);
    path::attach(trace, m_options, m_tree);
    m_tree.windowEnd = m_tree.spans[std::size_t(m_tree.root)].end;
    path::listKids(m_tree);
    listNodes();
    return true;
}

/// Breadth first, so that parents come before their children.
void Replayer::listNodes()
{
    m_nodes.assign(m_trace.size(), Node{});
    m_byBegin.clear();
    const path::Span& root = m_tree.spans[std::size_t(m_tree.root)];
    Node& rootNode = m_nodes[std::size_t(m_tree.root)];
    rootNode.begin = root.start;
    rootNode.end = rootNode.shown = root.end;
    m_order.push_back(std::uint32_t(m_tree.root));
    for (std::size_t i = 0; i < m_order.size(); ++i)
        listKids(m_order[i]);
    m_byEnd = m_byBegin;
    for (const std::uint32_t span : m_order) {
        const Node& node = m_nodes[span];
        std::sort(m_byEnd.begin() + node.kidBegin, m_byEnd.begin() + node.kidEnd, [this](std::uint32_t a, std::uint32_t b) {
            return std::tuple(m_nodes[a].shown, m_nodes[a].begin, a) < std::tuple(m_nodes[b].shown, m_nodes[b].begin, b);
        });
    }
    for (std::size_t i = m_order.size(); i-- > 0;)
        listInnermost(m_order[i]);
}

/// Which span below \a span works when it begins and when it ends; its children know that of themselves.
void Replayer::listInnermost(std::uint32_t span)
{
    Node& node = m_nodes[span];
    node.atBegin = node.atEnd = span;
    if (node.kidBegin == node.kidEnd)
        return;
    const Node& first = m_nodes[m_byBegin[node.kidBegin]];
    const Node& last = m_nodes[m_byEnd[node.kidEnd - 1]];
    node.atBegin = first.begin == node.begin ? first.atBegin : span;
    node.atEnd = last.shown == node.end ? last.atEnd : span;
}

/// Those that take time while \a span runs.
void Replayer::listKids(std::uint32_t span)
{
    const path::Span& parent = m_tree.spans[span];
    const Ns begin = m_nodes[span].begin;
    const Ns end = m_nodes[span].end;
    m_nodes[span].kidBegin = std::uint32_t(m_byBegin.size());
    for (std::uint32_t k = parent.kidBegin; k < parent.kidEnd; ++k) {
        const std::uint32_t kid = m_tree.kids[k].span;
        const path::Span& child = m_tree.spans[kid];
        Node& node = m_nodes[kid];
        node.begin = std::max(child.start, begin);
        node.end = child.end;
        node.shown = std::min(child.end, end);
        node.isTimedOut = node.end > node.shown && (child.edge == path::EdgeClass::Abandoned || child.edge == path::EdgeClass::Outlives);
        if (node.shown > node.begin)
            m_byBegin.push_back(kid);
    }
    m_nodes[span].kidEnd = std::uint32_t(m_byBegin.size());
    std::sort(m_byBegin.begin() + m_nodes[span].kidBegin, m_byBegin.end(), [this](std::uint32_t a, std::uint32_t b) {
        return std::tuple(m_nodes[a].begin, m_nodes[a].shown, a) < std::tuple(m_nodes[b].begin, m_nodes[b].shown, b);
    });
    for (std::uint32_t k = m_nodes[span].kidBegin; k < m_nodes[span].kidEnd; ++k)
        m_order.push_back(m_byBegin[k]);
    nameKinds(span);
}

/// Numbers the operations (name and stage) among the children of \a span. Where there are too many, their stages alone are numbered
/// if rules speak of stages; else one number is for all.
void Replayer::nameKinds(std::uint32_t span)
{
    Node& node = m_nodes[span];
    node.isByStage = false;
    if (numberKinds(node, true))
        return;
    node.isByStage = !m_after.empty() && numberKinds(node, false);
    if (node.isByStage)
        return;
    for (std::uint32_t k = node.kidBegin; k < node.kidEnd; ++k)
        m_nodes[m_byBegin[k]].kind = 0;
}

/// False when there are more kinds among the children of \a node than are told apart.
bool Replayer::numberKinds(const Node& node, bool byName)
{
    std::vector<std::pair<StringId, StageId>> kinds;
    for (std::uint32_t k = node.kidBegin; k < node.kidEnd; ++k) {
        const std::uint32_t kid = m_byBegin[k];
        const std::pair kind(byName ? m_trace.name[kid] : StringId{}, m_stages.stage[m_firstSpan + kid]);
        const auto known = std::find(kinds.begin(), kinds.end(), kind);
        m_nodes[kid].kind = std::uint16_t(known - kinds.begin());
        if (known == kinds.end())
            kinds.push_back(kind);
        if (kinds.size() > kindsAtMost)
            return false;
    }
    return true;
}

void Replayer::observeOrders(OrderVotes& orders) const
{
    struct Kind {
        StringId name{};
        StageId stage{};
        std::size_t count = 0;
        Ns firstBegin = noTime;
        Ns lastEnd = noTime;
    };
    std::vector<Kind> kinds;
    std::vector<std::uint8_t> overlaps;
    for (const std::uint32_t span : m_order) {
        const Node& node = m_nodes[span];
        if (node.kidEnd - node.kidBegin < 2 || node.isByStage)
            continue;
        kinds.assign(kindsAtMost + 1, {});
        overlaps.assign(kinds.size() * kinds.size(), 0);
        std::size_t used = 0;
        for (std::uint32_t k = node.kidBegin; k < node.kidEnd; ++k) {
            const Node& kid = m_nodes[m_byBegin[k]];
            for (std::size_t other = 0; other < used; ++other)
                if (kinds[other].count > 0 && kinds[other].lastEnd > saturatingAdd(kid.begin, m_tree.spans[span].tolerance))
                    overlaps[other * kinds.size() + kid.kind] = 1;
            Kind& kind = kinds[kid.kind];
            kind.name = m_trace.name[m_byBegin[k]];
            kind.stage = m_stages.stage[m_firstSpan + m_byBegin[k]];
            kind.firstBegin = kind.count++ == 0 ? kid.begin : kind.firstBegin;
            kind.lastEnd = std::max(kind.lastEnd, kid.shown);
            used = std::max(used, std::size_t(kid.kind) + 1);
        }
        for (std::size_t a = 0; a < used; ++a) {
            for (std::size_t b = 0; b < used; ++b) {
                const bool cameFirst = kinds[a].count == 1 && kinds[b].count == 1 && kinds[b].firstBegin < kinds[a].firstBegin;
                if (a != b)
                    orders.add({m_trace.name[span], kinds[a].name, kinds[b].name, kinds[a].stage, kinds[b].stage},
                        cameFirst || overlaps[a * kinds.size() + b] != 0);
            }
        }
    }
}

} // namespace chokepoint
