// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findingtext.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace chokepoint {

namespace {

constexpr std::size_t tracesAtMost = 3;

} // namespace

const char* findingSeverityName(FindingSeverity severity)
{
    switch (severity) {
    case FindingSeverity::Info: return "info";
    case FindingSeverity::Warning: return "warning";
    case FindingSeverity::Critical: return "critical";
    }
    return "info";
}

FindingWriter::FindingWriter(std::string_view id, FindingSeverity severity)
{
    m_finding.id = id;
    m_finding.severity = severity;
}

FindingWriter& FindingWriter::add(std::string_view name, EvidenceValue value, std::string shown)
{
    m_finding.evidence.push_back({std::string(name), std::move(value), std::move(shown)});
    return *this;
}

FindingWriter& FindingWriter::text(std::string_view name, const std::string& value)
{
    return add(name, value, value);
}

FindingWriter& FindingWriter::count(std::string_view name, std::uint64_t value)
{
    return add(name, std::int64_t(value), formatCount(value));
}

FindingWriter& FindingWriter::time(std::string_view name, Duration value)
{
    return add(name, toNs(value), formatDuration(value));
}

FindingWriter& FindingWriter::timeChange(std::string_view name, Duration value)
{
    return add(name, toNs(value), formatDelta(value));
}

FindingWriter& FindingWriter::share(std::string_view name, double value)
{
    return add(name, value, formatShare(value));
}

FindingWriter& FindingWriter::change(std::string_view name, double value)
{
    return add(name, value, formatChange(value));
}

FindingWriter& FindingWriter::factor(std::string_view name, double value)
{
    return std::isfinite(value) ? add(name, value, fmt::format("{:.2f}x", value)) : add(name, "without limit", "without limit");
}

FindingWriter& FindingWriter::number(std::string_view name, double value)
{
    return add(name, value, fmt::format("{:.4g}", value));
}

FindingWriter& FindingWriter::money(std::string_view name, double value, const std::string& currency)
{
    return add(name, value, fmt::format("{:.4g} {}", value, currency));
}

FindingWriter& FindingWriter::level()
{
    return add("level", 0.95, "95 %");
}

FindingWriter& FindingWriter::p(double value)
{
    return add("p", value, value < 0.001 ? "p < 0.001" : fmt::format("p = {:.2g}", value));
}

FindingWriter& FindingWriter::verbatim(std::string title, std::string text)
{
    m_finding.title = std::move(title);
    m_finding.text = std::move(text);
    return *this;
}

FindingWriter& FindingWriter::trace(const std::string& id)
{
    std::vector<std::string>& traces = m_finding.traces;
    if (!id.empty() && traces.size() < tracesAtMost && std::find(traces.begin(), traces.end(), id) == traces.end())
        traces.push_back(id);
    return *this;
}

FindingWriter& FindingWriter::title(std::string_view pattern)
{
    m_finding.title = filled(pattern);
    return *this;
}

FindingWriter& FindingWriter::say(std::string_view pattern)
{
    m_finding.text += (m_finding.text.empty() ? "" : " ") + filled(pattern);
    return *this;
}

std::string FindingWriter::filled(std::string_view pattern) const
{
    std::string text;
    while (!pattern.empty()) {
        const std::size_t open = pattern.find('{');
        text += pattern.substr(0, open);
        if (open == std::string_view::npos)
            break;
        const std::size_t close = pattern.find('}', open);
        const std::string_view name = pattern.substr(open + 1, close - open - 1);
        for (const Evidence& evidence : m_finding.evidence)
            if (evidence.name == name)
                text += evidence.shown;
        pattern.remove_prefix(close + 1);
    }
    return text;
}

} // namespace chokepoint
