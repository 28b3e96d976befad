// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How findings are written: fixed templates whose gaps are filled from the evidence, so that no sentence says what is not shown.
#pragma once

#include "core/analysis/findings.h"

#include <string>
#include <string_view>

namespace chokepoint {

/// Collects the evidence of one finding, then fills its templates.
class FindingWriter {
public:
    FindingWriter(std::string_view id, FindingSeverity severity);

    FindingWriter& text(std::string_view name, const std::string& value);
    FindingWriter& count(std::string_view name, std::uint64_t value);
    FindingWriter& time(std::string_view name, Duration value); // name ends in _ns
    FindingWriter& timeChange(std::string_view name, Duration value); // with a sign
    FindingWriter& share(std::string_view name, double value);
    FindingWriter& change(std::string_view name, double value); // of a share of what was, with a sign
    FindingWriter& factor(std::string_view name, double value); // "1.52x"
    FindingWriter& number(std::string_view name, double value); // four significant digits
    FindingWriter& money(std::string_view name, double value, const std::string& currency);
    FindingWriter& level(); // "95 %": of intervals
    FindingWriter& p(double value); // "p = 0.012", "p < 0.001"
    FindingWriter& add(std::string_view name, EvidenceValue value, std::string shown);
    FindingWriter& trace(const std::string& id); // worth opening; empty ids are left out

    /// "{name}" in the templates is the evidence of that name as it is shown; adds one sentence after another to the text.
    FindingWriter& title(std::string_view pattern);
    FindingWriter& say(std::string_view pattern);
    /// Sentences that were made from the same figures elsewhere.
    FindingWriter& verbatim(std::string title, std::string text);
    [[nodiscard]] Finding take() { return std::move(m_finding); }

private:
    [[nodiscard]] std::string filled(std::string_view pattern) const;

    Finding m_finding;
};

} // namespace chokepoint
