// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Gives every span of a population its stage. What a span says for itself narrows the rules to a short list, cached by the
// answers to all probes; three passes over the pre-order columns then settle what depends on ancestors and descendants.
#include "core/analysis/rulebook.h"
#include "core/analysis/stagederive.h"
#include "core/analysis/stagefacts.h"
#include "core/analysis/vocabularies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

/// A rule that may fit, given what the span says for itself.
struct Candidate {
    const StageRule* rule = nullptr;
    bool open = false; // its condition depends on the surroundings
    std::vector<Candidate> tries;
};
using Candidates = std::vector<Candidate>;

struct Decision {
    StageId stage = StageTable::noStage;
    const StageRule* rule = nullptr;
    bool container = false;
};

} // namespace

struct StageClassifier::Impl {
    std::shared_ptr<const StageRules> rules;
    std::shared_ptr<const Dictionary> dictionary;
    StageFacts facts;
    DerivedStages derived;
    std::unordered_map<std::string, std::uint32_t> listOfAnswers; // the bytes of the answers
    std::vector<Candidates> lists;
    std::vector<std::vector<std::uint64_t>> listAnswers; // by list: the answers it was made for
    StageMap map;
    std::map<std::pair<std::string, std::uint8_t>, std::uint16_t> ruleNumbers; // by name and confidence
    std::map<std::pair<const StageRule*, StageId>, std::uint16_t> ruleOfOwner;
    std::vector<std::optional<VocabularyConflict>> listConflict; // by list
    std::map<std::pair<const StageRule*, const StageRule*>, StageDoubt> conflicts;
    StageSet generateParts;

    // Of the trace at hand, by span.
    std::vector<std::uint32_t> list;
    std::vector<LatencyReadings> latencies;
    std::vector<EngineEvents> engineEvents;
    std::vector<Decision> decided;
    std::vector<Surroundings> around;
    std::vector<StageId> owner;
    std::string bytes;

    Impl(std::shared_ptr<const StageRules> theRules, std::shared_ptr<const Dictionary> theDictionary)
        : rules(std::move(theRules)), dictionary(std::move(theDictionary)), facts(*rules, *dictionary), derived(*rules)
    {
        for (const char* name : {"generate.queue", "generate.prefill", "generate.decode"}) {
            if (const StageId stage = rules->table.find(name); stage != StageTable::noStage)
                generateParts.set(toIndex(stage));
        }
    }

    Candidates candidatesFor(const std::vector<std::uint64_t>& answers) const;
    void noteConflict(std::size_t i, std::uint64_t position);
    std::uint32_t listFor();
    [[nodiscard]] Decision outcome(const StageRule& rule, const Surroundings& surroundings) const;
    [[nodiscard]] Decision decide(std::uint32_t listIndex, const Surroundings& surroundings) const;
    [[nodiscard]] Decision firstFitting(
        const Candidates& candidates, const std::vector<std::uint64_t>& answers, const Surroundings& surroundings) const;
    void lookUp(const TraceView& trace, std::size_t i);
    void settle(std::size_t i, const TraceView& trace);
    void collectBelow(const TraceView& trace);
    void settleOwner(std::size_t i, const TraceView& trace);
    std::uint16_t ruleNumber(const StageRule& rule, StageId chargedTo);
    [[nodiscard]] EngineEvents withCompute(const TraceView& trace, std::size_t i) const;
    void append(const TraceView& trace, std::size_t i);
    void compactTable();
};

Candidates StageClassifier::Impl::candidatesFor(const std::vector<std::uint64_t>& answers) const
{
    Candidates candidates;
    for (const StageRule& rule : rules->rules) {
        const Truth value = evaluate(rule.when, answers, nullptr, *rules);
        if (value == Truth::False)
            continue;
        Candidate candidate{&rule, value == Truth::Open, {}};
        for (const std::uint16_t index : rule.tries) {
            const StageRule& inner = rules->rules[index];
            if (const Truth fits = evaluate(inner.when, answers, nullptr, *rules); fits != Truth::False)
                candidate.tries.push_back({&inner, fits == Truth::Open, {}});
        }
        candidates.push_back(std::move(candidate));
        if (value == Truth::True && rule.source == StageRule::Source::Fixed)
            break;
    }
    return candidates;
}

void StageClassifier::Impl::noteConflict(std::size_t i, std::uint64_t position)
{
    const std::optional<VocabularyConflict>& conflict = listConflict[list[i]];
    if (!conflict)
        return;
    StageDoubt& doubt = conflicts[{conflict->won, conflict->lost}];
    if (doubt.count++ > 0)
        return;
    doubt.code = DiagnosticCode::VocabConflict;
    doubt.span = position;
    doubt.what = toText(*conflict, rules->table);
}

/// The list for the span that facts read last.
std::uint32_t StageClassifier::Impl::listFor()
{
    const std::vector<std::uint64_t>& answers = facts.answers();
    bytes.assign(reinterpret_cast<const char*>(answers.data()), answers.size() * sizeof(std::uint64_t));
    const auto [entry, isNew] = listOfAnswers.try_emplace(bytes, std::uint32_t(lists.size()));
    if (isNew) {
        lists.push_back(candidatesFor(answers));
        listAnswers.push_back(answers);
        listConflict.push_back(vocabularyConflict(*rules, answers));
    }
    return entry->second;
}

/// What a rule whose condition holds gives; without a stage when it cannot name one here.
Decision StageClassifier::Impl::outcome(const StageRule& rule, const Surroundings& surroundings) const
{
    Decision decision{rule.stage, &rule, rule.container};
    const StageSet tops = surroundings.below & rules->topLevel;
    if (rule.source == StageRule::Source::Parent)
        decision.stage = surroundings.ancestor;
    else if (rule.source == StageRule::Source::Children)
        decision.stage = tops.count() == 1 ? StageId(tops._Find_first()) : rules->orchestrate;
    if (decision.stage == StageTable::noStage)
        return decision;
    const StageId top = rules->table.topLevel(decision.stage);
    if (rule.transport && surroundings.ancestor != StageTable::noStage && rules->table.topLevel(surroundings.ancestor) == top)
        decision.stage = surroundings.ancestor;
    if (rule.contained && (tops & ~rules->allowedInside[toIndex(top)]).any())
        return {rules->orchestrate, &rule, true};
    return decision;
}

Decision StageClassifier::Impl::firstFitting(
    const Candidates& candidates, const std::vector<std::uint64_t>& answers, const Surroundings& surroundings) const
{
    for (const Candidate& candidate : candidates) {
        if (candidate.open && evaluate(candidate.rule->when, answers, &surroundings, *rules) != Truth::True)
            continue;
        for (const Candidate& inner : candidate.tries) {
            if (inner.open && evaluate(inner.rule->when, answers, &surroundings, *rules) != Truth::True)
                continue;
            if (const Decision decision = outcome(*inner.rule, surroundings); decision.stage != StageTable::noStage)
                return decision;
        }
        if (const Decision decision = outcome(*candidate.rule, surroundings); decision.stage != StageTable::noStage)
            return decision;
    }
    return {rules->other, nullptr, true};
}

Decision StageClassifier::Impl::decide(std::uint32_t listIndex, const Surroundings& surroundings) const
{
    return firstFitting(lists[listIndex], listAnswers[listIndex], surroundings);
}

/// Takes over the ancestor of span \a i: its parent where that has a stage, else the parent's own ancestor.
void StageClassifier::Impl::lookUp(const TraceView& trace, std::size_t i)
{
    const std::int32_t parent = trace.parent[i];
    around[i].ancestor = StageTable::noStage;
    around[i].ancestorIsLeaf = false;
    if (parent < 0)
        return;
    const Decision& above = decided[std::size_t(parent)];
    const bool staged = above.stage != rules->other;
    around[i].ancestor = staged ? above.stage : around[std::size_t(parent)].ancestor;
    around[i].ancestorIsLeaf = staged ? !above.container : around[std::size_t(parent)].ancestorIsLeaf;
}

void StageClassifier::Impl::settle(std::size_t i, const TraceView& trace)
{
    lookUp(trace, i);
    decided[i] = decide(list[i], around[i]);
}

/// From the last span to the first: what lies below each, with the stage that it has once that is known.
void StageClassifier::Impl::collectBelow(const TraceView& trace)
{
    for (std::size_t i = trace.size(); i-- > 0;) {
        decided[i] = decide(list[i], around[i]);
        const std::int32_t parent = trace.parent[i];
        if (parent < 0)
            continue;
        StageSet& above = around[std::size_t(parent)].below;
        above |= around[i].below;
        const bool counts = !decided[i].container && decided[i].stage != rules->other && decided[i].stage != rules->orchestrate
            && (decided[i].rule == nullptr || !decided[i].rule->inherited);
        if (counts)
            above.set(toIndex(decided[i].stage)).set(toIndex(rules->table.topLevel(decided[i].stage)));
    }
}

/// The outermost owner above the span, itself included.
void StageClassifier::Impl::settleOwner(std::size_t i, const TraceView& trace)
{
    const std::int32_t parent = trace.parent[i];
    const StageId above = parent < 0 ? StageTable::noStage : owner[std::size_t(parent)];
    if (decided[i].rule != nullptr && !decided[i].rule->owned)
        owner[i] = StageTable::noStage;
    else if (above != StageTable::noStage)
        owner[i] = above;
    else
        owner[i] = rules->owners[toIndex(decided[i].stage)] ? decided[i].stage : StageTable::noStage;
}

std::uint16_t StageClassifier::Impl::ruleNumber(const StageRule& rule, StageId chargedTo)
{
    const auto [entry, isNew] = ruleOfOwner.try_emplace({&rule, chargedTo}, std::uint16_t(0));
    if (!isNew)
        return entry->second;
    const std::string name =
        chargedTo == StageTable::noStage ? rule.id : fmt::format("{} (inside {})", rule.id, rules->table.name(chargedTo));
    const auto [number, isNewName] = ruleNumbers.try_emplace({name, rule.confidence}, std::uint16_t(map.ruleNames.size()));
    if (isNewName) {
        map.ruleNames.push_back(name);
        map.ruleConfidence.push_back(rule.confidence);
    }
    entry->second = number->second;
    return entry->second;
}

/// The events of span \a i with, where it has no start of the computing itself, that of the span below which computes: the input is
/// copied there.
EngineEvents StageClassifier::Impl::withCompute(const TraceView& trace, std::size_t i) const
{
    EngineEvents events = engineEvents[i];
    Duration& start = events[std::size_t(EngineEvent::ComputeStart)];
    for (std::size_t kid = i + 1; kid < i + trace.subtreeSize[i] && !isKnown(start); kid += trace.subtreeSize[kid])
        if (const Duration inner = engineEvents[kid][std::size_t(EngineEvent::ComputeStart)];
            isKnown(inner) && isKnown(trace.start[kid]) && isKnown(trace.start[i]))
            start = saturatingDifference(Timestamp{inner}, Timestamp{saturatingDifference(trace.start[i], trace.start[kid])});
    return events;
}

void StageClassifier::Impl::append(const TraceView& trace, std::size_t i)
{
    static const StageRule unmatched{.id = "none", .confidence = 0};
    const StageRule& rule = decided[i].rule == nullptr ? unmatched : *decided[i].rule;
    const bool charged = owner[i] != StageTable::noStage && rules->table.topLevel(owner[i]) != rules->table.topLevel(decided[i].stage);
    const StageId stage = owner[i] == StageTable::noStage ? decided[i].stage : charged ? owner[i] : decided[i].stage;
    const auto position = std::uint64_t(map.stage.size());
    map.stage.push_back(stage);
    map.rule.push_back(ruleNumber(rule, charged ? owner[i] : StageTable::noStage));
    map.container.push_back(decided[i].container);
    if (charged)
        map.owned.push_back({position, decided[i].stage});
    noteConflict(i, position);
    if (decided[i].container)
        return;
    const bool isGenerate = rules->table.name(stage) == "generate" && (around[i].below & generateParts).none();
    if (isKnown(engineEvents[i][std::size_t(EngineEvent::QueueStart)]))
        derived.addEvents(position, trace.duration(i), stage, withCompute(trace, i));
    else if (isGenerate)
        derived.add(position, trace.duration(i), trace.resource[i], trace.scope[i], latencies[i], *dictionary);
}

/// Leaves only stages that occur (and their parents) in the table, in its order.
void StageClassifier::Impl::compactTable()
{
    StageSet used;
    const auto use = [&](StageId stage) { used.set(toIndex(stage)).set(toIndex(rules->table.topLevel(stage))); };
    for (const StageId stage : map.stage)
        use(stage);
    for (const DerivedPart& part : map.derived)
        use(part.stage);
    for (const OwnedStage& entry : map.owned)
        use(entry.stage);
    constexpr std::array gapNames{std::pair{"backoff", &GapStages::backoff}, std::pair{"network", &GapStages::network},
        std::pair{"queue", &GapStages::queue}, std::pair{"generate.stream", &GapStages::stream},
        std::pair{"uninstrumented", &GapStages::uninstrumented}};
    for (const auto& [name, gap] : gapNames)
        if (const StageId stage = rules->table.find(name); stage != StageTable::noStage)
            use(stage);
    const auto table = std::make_shared<StageTable>();
    std::vector<StageId> renamed(rules->table.size(), StageTable::noStage);
    for (std::size_t i = 0; i < rules->table.size(); ++i) {
        if (!used[i])
            continue;
        renamed[i] = table->add(rules->table.name(StageId(i)));
        table->setLabel(renamed[i], rules->table.label(StageId(i)));
    }
    for (StageId& stage : map.stage)
        stage = renamed[toIndex(stage)];
    for (DerivedPart& part : map.derived)
        part.stage = renamed[toIndex(part.stage)];
    for (OwnedStage& entry : map.owned)
        entry.stage = renamed[toIndex(entry.stage)];
    for (const auto& [name, gap] : gapNames)
        map.gaps.*gap = table->find(name);
    map.gaps.validate = table->find("validate"); // only where they occur
    map.gaps.guardrail = table->find("guardrail");
    map.table = table;
}

StageClassifier::StageClassifier(std::shared_ptr<const StageRules> rules, std::shared_ptr<const Dictionary> dictionary)
    : m_impl(std::make_unique<Impl>(std::move(rules), std::move(dictionary)))
{
}

StageClassifier::~StageClassifier() = default;

void StageClassifier::beginSpan(const TraceView& trace, std::size_t i)
{
    Impl& impl = *m_impl;
    if (i == 0) {
        impl.list.clear();
        impl.latencies.clear();
        impl.engineEvents.clear();
    }
    impl.facts.beginSpan(trace, i);
}

void StageClassifier::attribute(StringId key, const PackedValue& value)
{
    m_impl->facts.attribute(key, value);
}

void StageClassifier::event(const PackedEvent& event)
{
    m_impl->facts.event(event);
}

void StageClassifier::endSpan()
{
    Impl& impl = *m_impl;
    impl.facts.endSpan();
    impl.list.push_back(impl.listFor());
    impl.latencies.push_back(impl.facts.latencies());
    impl.engineEvents.push_back(impl.facts.engineEvents());
}

void StageClassifier::endTrace(const TraceView& trace)
{
    Impl& impl = *m_impl;
    impl.decided.assign(trace.size(), {});
    impl.around.assign(trace.size(), {});
    impl.owner.assign(trace.size(), StageTable::noStage);
    for (std::size_t i = 0; i < trace.size(); ++i)
        impl.settle(i, trace); // first guess, for rules that ask for the ancestor's stage
    impl.collectBelow(trace);
    for (std::size_t i = 0; i < trace.size(); ++i) {
        impl.settle(i, trace);
        impl.settleOwner(i, trace);
        impl.append(trace, i);
    }
}

void StageClassifier::classify(const TraceView& trace, const std::vector<std::string_view>& payloads)
{
    for (std::size_t i = 0; i < trace.size(); ++i)
        readPayload(trace, i, i < payloads.size() ? payloads[i] : std::string_view(), m_impl->dictionary->strings, *this);
    endTrace(trace);
}

StageMap StageClassifier::take()
{
    m_impl->map.derived = m_impl->derived.parts();
    m_impl->map.doubts = m_impl->derived.doubts(*m_impl->dictionary);
    for (auto& [rules, doubt] : m_impl->conflicts)
        m_impl->map.doubts.push_back(std::move(doubt));
    m_impl->compactTable();
    return std::move(m_impl->map);
}

} // namespace chokepoint
