// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Spans whose attributes say what they are in the words of two instrumentations that do not agree.
#pragma once

#include "core/analysis/rulebook.h"

namespace chokepoint {

/// Two vocabularies on one span that name different stages: the rule that decides, and the one that would have.
struct VocabularyConflict {
    const StageRule* won = nullptr;
    const StageRule* lost = nullptr;
};

/// The conflict of a span with these \a answers, from what it says of itself alone; nothing where a rule of the user decides.
[[nodiscard]] std::optional<VocabularyConflict> vocabularyConflict(const StageRules& rules, const std::vector<std::uint64_t>& answers);

/// "T1-10 says retrieve and counts, T2-20 says embed".
[[nodiscard]] std::string toText(const VocabularyConflict& conflict, const StageTable& table);

} // namespace chokepoint
