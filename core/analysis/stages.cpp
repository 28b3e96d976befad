// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The table of stage names: two levels, in the order of the pipeline.
#include "core/analysis/stages.h"

#include <algorithm>

namespace chokepoint {

namespace {

/// "decode" -> "Decode"; the label of a stage that no rule file labels.
std::string capitalized(std::string_view name)
{
    std::string label(name.substr(name.find('.') == std::string_view::npos ? 0 : name.find('.') + 1));
    if (!label.empty() && label.front() >= 'a' && label.front() <= 'z')
        label.front() = char(label.front() - 'a' + 'A');
    return label;
}

} // namespace

StageId StageTable::find(std::string_view name) const
{
    const auto found = std::find(m_names.begin(), m_names.end(), name);
    return found == m_names.end() ? noStage : StageId(found - m_names.begin());
}

StageId StageTable::add(std::string_view name)
{
    if (const StageId known = find(name); known != noStage)
        return known;
    const std::size_t dot = name.find('.');
    const StageId parent = dot == std::string_view::npos ? noStage : add(name.substr(0, dot));
    const auto id = StageId(m_names.size());
    m_names.emplace_back(name);
    m_labels.push_back(capitalized(name));
    m_top.push_back(parent == noStage ? id : parent);
    return id;
}

StageId StageMap::ownStage(std::uint64_t span) const
{
    const auto found = std::lower_bound(
        owned.begin(), owned.end(), span, [](const OwnedStage& entry, std::uint64_t wanted) { return entry.span < wanted; });
    return found != owned.end() && found->span == span ? found->stage : stage[span];
}

} // namespace chokepoint
