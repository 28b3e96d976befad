// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which answers were right, as far as judgements in the traces say, and which requests at least came to an end.
#pragma once

#include "core/analysis/population.h"
#include "core/analysis/rulebook.h"
#include "core/analysis/usage.h"

#include <vector>

namespace chokepoint {

enum class AnswerVerdict : std::uint8_t { Unlabelled, Correct, Incorrect };

/// Correct for "correct", "pass", "true", "yes", "1" and the like, Incorrect for their opposites, case aside; else Unlabelled.
[[nodiscard]] AnswerVerdict verdictFromWord(std::string_view word);

/// By trace. Of several judgements that speak of correctness, the one about the whole trace decides, then that on the root span, on the
/// final generate span or an evaluation, about the session; people before programs before models; the latest of equal ones.
/// \a rules: which metrics speak of correctness beside the usual ones ("correctness" of the rule file).
[[nodiscard]] std::vector<AnswerVerdict> judgeAnswers(const TraceColumns& columns, const Population& population, const StageMap& stages,
    const UsageTable& usage, const std::vector<CorrectnessRule>& rules);

/// By trace: a true root without error, the last call that generates finished by itself, the last validation without error. A stand-in
/// for "correct" that needs no judgement; never called so.
[[nodiscard]] std::vector<bool> successfulRequests(
    const TraceColumns& columns, const Population& population, const StageMap& stages, const UsageTable& usage);

} // namespace chokepoint
