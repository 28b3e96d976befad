// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Stage rules in the form in which spans are matched: numbered probes of a span's own content, conditions over them, and
// what a rule that fits says.
#pragma once

#include "core/analysis/declaredorders.h"
#include "core/analysis/stages.h"
#include "core/model/spancolumns.h"

#include <bitset>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace re2 {
class RE2;
}

namespace chokepoint {

/// Stages by id. The rule files may name this many.
inline constexpr std::size_t maxStages = 128;
using StageSet = std::bitset<maxStages>;

/// One question about a span's own content. Its answer is kept per distinct content, so a pattern runs once a text.
struct Probe {
    enum class Subject : std::uint8_t { Name, Step, Scope, Service, Event, Attribute, Kind, Root, Length };
    enum class Operator : std::uint8_t { Exists, OneOf, Prefix, Pattern };

    Subject subject{};
    Operator test{};
    std::vector<std::string> keys; // of Attribute, any of them; "db.*" is every key that begins with "db."
    std::vector<std::string> values; // OneOf, Prefix: lower case
    std::shared_ptr<const re2::RE2> pattern; // ignores case
    unsigned kinds = 0; // Kind: bit 1 << SpanKind
    Duration atLeast{}; // Length
    Duration atMost = Duration::max();
};

/// What stands around a span: asked for only where a rule depends on it.
struct Surroundings {
    StageId ancestor = StageTable::noStage; // of the nearest ancestor with a stage
    bool ancestorIsLeaf = false;
    StageSet below; // stages of descendants, each with its top level
};

/// A tree of tests; as deep as the rule file nests it (maxConditionDepth).
struct Condition {
    enum class Kind : std::uint8_t { All, Any, Not, Probe, UnderStage, UnderLeaf, HasStageBelow, StageCountBelow };

    Kind kind = Kind::All; // All without parts: always
    std::uint16_t probe = 0;
    bool expected = true; // UnderLeaf, HasStageBelow
    StageSet stages;
    unsigned atLeast = 0; // StageCountBelow
    unsigned atMost = maxStages;
    std::vector<Condition> parts;
};
inline constexpr unsigned maxConditionDepth = 16;

/// One case of a rule; rules with several cases become several of these with one id.
struct StageRule {
    enum class Source : std::uint8_t { Fixed, Parent, Children };

    std::string id;
    int priority = 0;
    Condition when;
    Source source = Source::Fixed;
    StageId stage = StageTable::noStage; // Fixed
    bool container = false; // descendants without a stage do not inherit it, and it does not count as a stage below
    bool transport = false; // carries its caller's sub-stage when the top level is the same
    bool inherited = false; // does not count as a stage below
    bool contained = false; // holds only when the stages below may lie inside it
    bool owned = true; // false: charged to itself even below an owner
    std::uint8_t confidence = 100; // percent
    std::string tryFirst; // pattern of rule ids that are tried before this outcome
    std::vector<std::uint16_t> tries; // those rules, in order
};

/// A metric of judgements that the user calls correctness.
struct CorrectnessRule {
    std::shared_ptr<const re2::RE2> metric; // on its name
    std::optional<double> threshold; // correct from here on; told from the values where absent
    std::optional<bool> isInverse; // lower values are better; told from the name where absent
};

/// All that parseStageRules() made of the rule files. Immutable.
class StageRules {
public:
    StageTable table; // every stage of the files, in pipeline order
    std::vector<Probe> probes;
    std::vector<StageRule> rules; // in order of evaluation
    StageSet owners;
    StageSet topLevel;
    std::vector<StageSet> allowedInside; // by top-level stage id
    std::map<std::string, std::vector<std::string>, std::less<>> aliases;
    std::vector<CorrectnessRule> correctness; // first fit counts
    std::vector<StageOrder> dependencies; // which stages wait for which; those that are not named wait for what the times show
    std::map<std::string, std::string, std::less<>> units; // by attribute key: "s", "ms", "us", "ns"
    StageId orchestrate = StageTable::noStage;
    StageId other = StageTable::noStage;
};

/// \a stage and, when it is a top-level one, its sub-stages.
[[nodiscard]] StageSet stageAndParts(const StageTable& table, StageId stage);

/// "T5-*" fits "T5-10"; without a star the two must be equal.
[[nodiscard]] bool matchesRuleId(std::string_view pattern, std::string_view id);

enum class Truth : std::uint8_t { False, True, Open };

/// Tests \a condition against the answered probes. Without \a surroundings whatever depends on them is Open.
[[nodiscard]] Truth evaluate(
    const Condition& condition, const std::vector<std::uint64_t>& answers, const Surroundings* surroundings, const StageRules& rules);

} // namespace chokepoint
