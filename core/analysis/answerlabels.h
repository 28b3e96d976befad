// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which answers were right, as a file of the user's own says: a table with the id of a request and whether its answer is correct.
#pragma once

#include "core/analysis/answers.h"
#include "core/analysis/attemptfacts.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// Rows of the file by what they name. Immutable once parsed.
struct AnswerLabels {
    struct Label {
        AnswerVerdict verdict = AnswerVerdict::Unlabelled;
        std::uint64_t line = 0; // of the file, from 1
    };
    std::map<std::string, Label, std::less<>> byTrace; // trace ids: lower case, without dashes
    std::map<std::uint64_t, Label> byCall; // hashes of ids of responses and requests, as CallFacts has them

    [[nodiscard]] std::size_t size() const { return byTrace.size() + byCall.size(); }
    /// From text with a line of names first: "correct" (or "label") and "trace_id", "response_id" or "request_id", other columns passed
    /// over; separated by commas, semicolons or tabs, quoted as in RFC 4180. Fails with InvalidArgument, naming \a file and line.
    [[nodiscard]] static Result<AnswerLabels> parse(std::string_view text, const std::string& file);
};

/// How many labels found what they name.
struct LabelMatches {
    std::size_t labels = 0;
    std::size_t matched = 0;
    std::vector<std::uint64_t> unmatched; // lines of the file, ascending
};

/// Puts the labels in the place of what the traces themselves say; one of a trace before one of a call in it.
[[nodiscard]] LabelMatches applyLabels(const AnswerLabels& labels, const TraceColumns& columns, const UsageTable& usage,
    const AttemptFacts& facts, std::vector<AnswerVerdict>& verdicts);

} // namespace chokepoint
