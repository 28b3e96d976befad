// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One rule file as JSON, errors in it by line, and the parts of it that are no rules: aliases, units, correctness.
#pragma once

#include "core/analysis/rulebook.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace chokepoint {

/// A parsed file with what messages need. The text outlives it.
struct RuleFile {
    std::string_view text;
    std::string name;
    bool builtIn = false;
    nlohmann::json root;

    [[nodiscard]] Place placeOf(std::size_t byte) const;
    /// Where a rule, stage or key with this text stands; without a line when it is written with escapes.
    [[nodiscard]] Place placeOfId(const std::string& id) const;
    /// An error of the file as a whole, of what stands under \a key, or of the rule or stage \a id.
    [[nodiscard]] tl::unexpected<Error> invalid(const std::string& detail) const;
    [[nodiscard]] tl::unexpected<Error> invalidAt(const std::string& key, const std::string& detail) const;
    [[nodiscard]] tl::unexpected<Error> invalid(std::string_view what, const std::string& id, const std::string& detail) const;
};

/// Fails with InvalidRules when the text is no JSON, or no rule file by its outermost keys.
[[nodiscard]] Result<RuleFile> readRuleFile(std::string_view text, const std::string& name, bool builtIn);

/// Adds the aliases and units of \a file to those known; its aliases come first.
[[nodiscard]] Result<void> readNames(const RuleFile& file, StageRules& rules);
[[nodiscard]] Result<void> readCorrectness(const RuleFile& file, StageRules& rules);
[[nodiscard]] Result<void> readDependencies(const RuleFile& file, StageRules& rules);

} // namespace chokepoint
