// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Stages: names of pipeline steps, the ordered rules that give them to spans, and the result for a population.
#pragma once

#include "core/analysis/payloadpass.h"
#include "core/base/diagnostics.h"
#include "core/base/result.h"
#include "core/model/tracecolumns.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// All stages that occur, each with its parent: "generate.decode" belongs to "generate". Two levels. Ids are stable within
/// one table only; never store them.
class StageTable {
public:
    /// The id of \a name, added (with its parent) when new.
    StageId add(std::string_view name);
    [[nodiscard]] StageId find(std::string_view name) const; // noStage when absent
    [[nodiscard]] const std::string& name(StageId id) const { return m_names[toIndex(id)]; }
    /// "Retrieve", "Decode"; from the rule file, else the name with a capital.
    [[nodiscard]] const std::string& label(StageId id) const { return m_labels[toIndex(id)]; }
    void setLabel(StageId id, std::string label) { m_labels[toIndex(id)] = std::move(label); }
    [[nodiscard]] StageId topLevel(StageId id) const { return m_top[toIndex(id)]; }
    [[nodiscard]] std::size_t size() const { return m_names.size(); }

    static constexpr StageId noStage{0xffff};

private:
    std::vector<std::string> m_names;
    std::vector<std::string> m_labels;
    std::vector<StageId> m_top;
};

/// "other": the stage of spans that no rule names. Shown, never hidden; coverage is the share of time outside it.
inline constexpr std::string_view unmappedStage = "other";

class StageRules;

/// Rules from JSON text (format: resources/rules/README.md). User rules (priority below 100) come before the built-in ones.
/// Fails with InvalidRules (what, where, what to do).
[[nodiscard]] Result<std::shared_ptr<const StageRules>> parseStageRules(
    std::string_view builtInJson, std::string_view userJson = {}, const std::string& userFile = {});
/// The built-in rule file, compiled into the program from resources/rules/stages.json.
[[nodiscard]] std::string_view builtInStageRules();

/// A span's own time that attributes split into sub-stages (queue, prefill, decode), in order from the span's start.
struct DerivedPart {
    std::uint64_t span = 0; // index into the population's columns
    StageId stage{}; // sub-stage, such as generate.queue
    Duration begin{}; // offsets from the span's start
    Duration end{};
};

/// A span that is charged to the owner above it (a model call inside a guardrail), with the stage that it has itself.
struct OwnedStage {
    std::uint64_t span = 0; // index into the population's columns
    StageId stage{};
};

/// Something that makes stages less certain, with the first span that shows it.
struct StageDoubt {
    DiagnosticCode code{};
    std::uint64_t count = 0;
    std::uint64_t span = 0; // index into the population's columns
    std::string what;
};

/// Stages of time on the path that no span's own stage explains; noStage where the table does not have them: such time stays with the
/// span that owns it.
struct GapStages {
    StageId backoff = StageTable::noStage; // between attempts
    StageId network = StageTable::noStage; // of a client around its server
    StageId queue = StageTable::noStage; // from a message's producer to its consumer
    StageId stream = StageTable::noStage; // of a generate span, from its first token on
    StageId uninstrumented = StageTable::noStage; // of a container, between its steps
    StageId validate = StageTable::noStage; // after one of these two has failed, a container waits before the next walk: backoff
    StageId guardrail = StageTable::noStage;
};
/// Own time of a container up to here is its own work; longer gaps are uninstrumented. Half a percent of the end-to-end time counts too.
inline constexpr Duration longestOwnGap = std::chrono::milliseconds(1);

/// Which stage every span of a population has, and why.
struct StageMap {
    std::shared_ptr<const StageTable> table;
    std::vector<StageId> stage; // by span of the columns; sub-stages allowed
    std::vector<std::uint16_t> rule; // by span: index into ruleNames
    std::vector<std::string> ruleNames; // "T2-10", "my-rerank", "inherited"
    std::vector<DerivedPart> derived; // by span, then begin
    std::vector<bool> container; // by span: it holds steps and does none itself
    std::vector<OwnedStage> owned; // by span
    GapStages gaps;
    std::vector<std::uint8_t> ruleConfidence = {}; // by rule name, in percent
    std::vector<StageDoubt> doubts = {};

    /// The stage of \a span itself, whatever it is charged to.
    [[nodiscard]] StageId ownStage(std::uint64_t span) const;
};

/// Classifies trace after trace; a reader for readPayload(). Not thread-safe; one for a whole population, because the spans vote on the
/// units of their latencies.
class StageClassifier {
public:
    StageClassifier(std::shared_ptr<const StageRules> rules, std::shared_ptr<const Dictionary> dictionary);
    ~StageClassifier();

    /// Spans come in the order of their trace, traces in that of the population.
    void beginSpan(const TraceView& trace, std::size_t i);
    void attribute(StringId key, const PackedValue& value);
    void event(const PackedEvent& event);
    void endSpan();
    /// Appends the stages of \a trace, all spans of which have been read.
    void endTrace(const TraceView& trace);

    /// Reads and appends one trace. \a payloads: packed payload of each span of \a trace, in its order.
    void classify(const TraceView& trace, const std::vector<std::string_view>& payloads);
    /// The map of all traces given so far; the classifier is spent.
    [[nodiscard]] StageMap take();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace chokepoint
