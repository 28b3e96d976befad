// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Answering of rule probes from names, scopes, resources, attributes and events.
#include "core/analysis/stagefacts.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace chokepoint {

namespace {

bool isUpper(char c)
{
    return c >= 'A' && c <= 'Z';
}

bool isLower(char c)
{
    return c >= 'a' && c <= 'z';
}

void assignLowerCase(std::string& out, std::string_view text)
{
    out.assign(text);
    for (char& c : out)
        c = isUpper(c) ? char(c - 'A' + 'a') : c;
}

/// MLflow writes texts as JSON, quotes included.
std::string_view unquoted(std::string_view text)
{
    return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

std::optional<EngineEvent> engineEventOf(std::string_view name)
{
    constexpr std::array<std::pair<std::string_view, EngineEvent>, std::size_t(EngineEvent::Count_)> events{
        {{"QUEUE_START", EngineEvent::QueueStart}, {"COMPUTE_START", EngineEvent::ComputeStart},
            {"COMPUTE_INPUT_END", EngineEvent::ComputeInputEnd}}};
    const auto found = std::find_if(events.begin(), events.end(), [&](const auto& entry) { return entry.first == name; });
    return found == events.end() ? std::nullopt : std::optional(found->second);
}

bool fitsKey(std::string_view pattern, std::string_view key)
{
    return pattern.ends_with(".*") ? key.starts_with(pattern.substr(0, pattern.size() - 1)) : key == pattern;
}

bool fitsText(const Probe& probe, std::string_view text, std::string_view lowerCase)
{
    switch (probe.test) {
    case Probe::Operator::Exists: return true;
    case Probe::Operator::OneOf: return std::find(probe.values.begin(), probe.values.end(), lowerCase) != probe.values.end();
    case Probe::Operator::Prefix: return lowerCase.starts_with(probe.values.front());
    case Probe::Operator::Pattern: return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *probe.pattern);
    }
    return false;
}

} // namespace

std::string splitWords(std::string_view name, char separator)
{
    std::string words;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const bool startsWord =
            i > 0 && isUpper(c) && (isLower(name[i - 1]) || (isUpper(name[i - 1]) && i + 1 < name.size() && isLower(name[i + 1])));
        if (startsWord)
            words += separator;
        words += c == '_' || c == '-' || c == ' ' ? separator : c;
    }
    return words;
}

std::optional<double> parseUnitDuration(std::string_view text)
{
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || !std::isfinite(number) || number < 0)
        return std::nullopt;
    const std::string_view unit(end, std::size_t(text.data() + text.size() - end));
    constexpr std::array<std::pair<std::string_view, double>, 6> units{
        {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"\u00b5s", 1e3}, {"\u03bcs", 1e3}, {"ns", 1}}};
    for (const auto& [name, factor] : units) {
        if (unit == name)
            return number * factor;
    }
    return std::nullopt;
}

StageFacts::StageFacts(const StageRules& rules, const Dictionary& dictionary)
    : m_rules(rules), m_dictionary(dictionary), m_answers((rules.probes.size() + 63) / 64), m_keySlot(dictionary.strings.size(), -2),
      m_nameSlot(dictionary.strings.size(), -1), m_scopes(dictionary.scopeCount()), m_services(dictionary.resourceCount())
{
    for (std::size_t p = 0; p < rules.probes.size(); ++p)
        m_bySubject[std::size_t(rules.probes[p].subject)].push_back(std::uint16_t(p));
}

void StageFacts::setAll(const ProbeList& probes)
{
    for (const std::uint16_t probe : probes)
        set(probe);
}

StageFacts::ProbeList StageFacts::matching(Probe::Subject subject, std::string_view text) const
{
    ProbeList fitting;
    for (const std::uint16_t p : m_bySubject[std::size_t(subject)]) {
        if (fitsText(m_rules.probes[p], text, text))
            fitting.push_back(p);
    }
    return fitting;
}

StageFacts::ProbeList StageFacts::matchingSteps(std::string_view name) const
{
    const std::string_view step = name.substr(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
    ProbeList fitting = matching(Probe::Subject::Step, step);
    for (const char separator : {' ', '_'}) {
        const ProbeList inWords = matching(Probe::Subject::Step, splitWords(step, separator));
        fitting.insert(fitting.end(), inWords.begin(), inWords.end());
    }
    return fitting;
}

const StageFacts::NameAnswers& StageFacts::answersForName(StringId name)
{
    std::int32_t& slot = m_nameSlot[toIndex(name)];
    if (slot < 0) {
        slot = std::int32_t(m_names.size());
        const std::string_view text = m_dictionary.text(name);
        m_names.push_back({matching(Probe::Subject::Name, text), matchingSteps(text)});
    }
    return m_names[std::size_t(slot)];
}

StageFacts::KeyUse StageFacts::describeKey(std::string_view key) const
{
    const auto rankOf = [&](std::string_view alias) -> std::optional<std::size_t> {
        const auto found = m_rules.aliases.find(alias);
        if (found == m_rules.aliases.end())
            return std::nullopt;
        const auto at = std::find(found->second.begin(), found->second.end(), key);
        return at == found->second.end() ? std::nullopt : std::optional(std::size_t(at - found->second.begin()));
    };
    KeyUse use;
    std::string patterns;
    for (const std::uint16_t p : m_bySubject[std::size_t(Probe::Subject::Attribute)]) {
        const Probe& probe = m_rules.probes[p];
        if (std::none_of(probe.keys.begin(), probe.keys.end(), [&](const std::string& each) { return fitsKey(each, key); }))
            continue;
        (probe.test == Probe::Operator::Exists ? use.present : use.valued).push_back(p);
        if (probe.pattern != nullptr)
            patterns += fmt::format("{}(?:{})", patterns.empty() ? "" : "|", probe.pattern->pattern());
    }
    if (!patterns.empty()) {
        re2::RE2::Options options;
        options.set_case_sensitive(false);
        options.set_log_errors(false);
        use.anyPattern = std::make_shared<const re2::RE2>(patterns, options);
    }
    use.isEntityName = rankOf("entity_name").has_value();
    use.isTransport = key.starts_with("http.") || key.starts_with("rpc.") || key.starts_with("messaging.");
    constexpr std::array<std::string_view, latencyCount> latencyAliases{
        "preprocess_ns", "queue_ns", "ttft_ns", "e2e_ns", "prefill_ns", "decode_ns"};
    for (std::size_t i = 0; i < latencyCount; ++i) {
        if (const std::optional<std::size_t> rank = rankOf(latencyAliases[i])) {
            use.latency = Latency(i);
            use.latencyRank = std::uint8_t(std::min<std::size_t>(*rank, 255));
        }
    }
    return use;
}

StageFacts::KeyUse* StageFacts::useOf(StringId key)
{
    std::int32_t& slot = m_keySlot[toIndex(key)];
    if (slot == -2) {
        KeyUse use = describeKey(m_dictionary.text(key));
        const bool useful = !use.present.empty() || !use.valued.empty() || use.isEntityName || use.isTransport || use.latency;
        slot = useful ? std::int32_t(m_keys.size()) : -1;
        if (useful)
            m_keys.push_back(std::move(use));
    }
    return slot < 0 ? nullptr : &m_keys[std::size_t(slot)];
}

void StageFacts::readText(KeyUse& use, std::string_view text, bool interned)
{
    const auto match = [&] {
        ProbeList fitting;
        const std::string_view plain = unquoted(text);
        assignLowerCase(m_scratch, plain);
        const bool somePattern = use.anyPattern != nullptr
            && (!use.anyPattern->ok() || re2::RE2::PartialMatch(re2::StringPiece(plain.data(), plain.size()), *use.anyPattern));
        for (const std::uint16_t p : use.valued) {
            const Probe& probe = m_rules.probes[p];
            if ((probe.pattern == nullptr || somePattern) && fitsText(probe, plain, m_scratch))
                fitting.push_back(p);
        }
        return fitting;
    };
    if (!interned)
        return setAll(match());
    const auto [entry, isNew] = use.known.try_emplace(text.data());
    if (isNew)
        entry->second = match();
    setAll(entry->second);
}

void StageFacts::readValue(KeyUse& use, const PackedValue& value)
{
    switch (value.tag) {
    case ValueTag::InternedText: return readText(use, value.text, !value.text.empty());
    case ValueTag::Text:
    case ValueTag::NumberText: return readText(use, value.text, false);
    case ValueTag::False: return readText(use, "false", false);
    case ValueTag::True: return readText(use, "true", false);
    case ValueTag::Int: return readText(use, fmt::format_int(value.integer).c_str(), false);
    case ValueTag::Double: return readText(use, fmt::format("{}", value.real), false);
    case ValueTag::Array: break;
    default: return;
    }
    PackedCursor elements(value.container); // an array fits when one of its plain elements does
    while (elements.ok() && !elements.rest().empty() && ValueTag(elements.rest().front()) != ValueTag::End) {
        const PackedValue element = chokepoint::readValue(elements, m_dictionary.strings);
        if (element.isText())
            readText(use, element.text, false);
    }
}

void StageFacts::readLatency(const KeyUse& use, StringId key, const PackedValue& value)
{
    std::optional<LatencyReading>& reading = m_latencies[std::size_t(*use.latency)];
    std::uint8_t& rank = m_latencyRanks[std::size_t(*use.latency)];
    if (reading && rank <= use.latencyRank)
        return;
    double number = std::nan("");
    bool isNs = false;
    if (value.tag == ValueTag::Double) {
        number = value.real;
    } else if (value.tag == ValueTag::Int) {
        number = double(value.integer);
    } else if (value.isText()) {
        if (const std::optional<double> ns = parseUnitDuration(value.text); ns) {
            number = *ns;
            isNs = true;
        } else if (std::from_chars(value.text.data(), value.text.data() + value.text.size(), number).ec != std::errc()) {
            number = std::nan("");
        }
    }
    if (!std::isfinite(number) || number < 0)
        return;
    reading = LatencyReading{number, key, isNs};
    rank = use.latencyRank;
}

void StageFacts::attribute(StringId key, const PackedValue& value)
{
    KeyUse* const use = toIndex(key) < m_keySlot.size() ? useOf(key) : nullptr;
    if (use == nullptr || value.tag == ValueTag::Empty)
        return;
    setAll(use->present);
    m_isTransport |= use->isTransport;
    if (use->isEntityName && value.isText() && !m_hasEntity) {
        m_entity.assign(value.text);
        m_hasEntity = true;
    }
    if (!use->valued.empty())
        readValue(*use, value);
    if (use->latency)
        readLatency(*use, key, value);
}

void StageFacts::event(const PackedEvent& event)
{
    if (!event.name.isText())
        return;
    const bool interned = event.name.tag == ValueTag::InternedText;
    const auto [entry, isNew] = m_events.try_emplace(interned ? event.name.text.data() : nullptr);
    if (isNew || !interned)
        entry->second = {matching(Probe::Subject::Event, event.name.text), engineEventOf(event.name.text)};
    setAll(entry->second.fitting);
    if (entry->second.engine && m_startIsKnown)
        m_engineEvents[std::size_t(*entry->second.engine)] = event.offset;
}

void StageFacts::readShape(const TraceView& trace, std::size_t i)
{
    for (const std::uint16_t p : m_bySubject[std::size_t(Probe::Subject::Kind)]) {
        if ((m_rules.probes[p].kinds >> unsigned(trace.flags[i].kind()) & 1U) != 0)
            set(p);
    }
    if (trace.isTrueRoot(i))
        setAll(m_bySubject[std::size_t(Probe::Subject::Root)]);
    for (const std::uint16_t p : m_bySubject[std::size_t(Probe::Subject::Length)]) {
        const Duration duration = trace.duration(i);
        if (isKnown(duration) && duration >= m_rules.probes[p].atLeast && duration <= m_rules.probes[p].atMost)
            set(p);
    }
}

void StageFacts::beginSpan(const TraceView& trace, std::size_t i)
{
    std::fill(m_answers.begin(), m_answers.end(), 0);
    m_latencies = {};
    m_engineEvents = noEngineEvents;
    m_startIsKnown = isKnown(trace.start[i]);
    m_hasEntity = m_isTransport = false;
    m_name = trace.name[i];
    m_scope = trace.scope[i];
    m_resource = trace.resource[i];
    readShape(trace, i);
}

void StageFacts::endSpan()
{
    const NameAnswers& name = answersForName(m_name);
    setAll(name.name);
    if (!m_isTransport && m_hasEntity) {
        if (m_entities.size() > 65'536) // entity names that never repeat must not pile up
            m_entities.clear();
        const auto [entry, isNew] = m_entities.try_emplace(m_entity);
        if (isNew)
            entry->second = matchingSteps(m_entity);
        setAll(entry->second);
    } else if (!m_isTransport) {
        setAll(name.step);
    }
    std::optional<ProbeList>& scope = m_scopes[toIndex(m_scope)];
    if (!scope)
        scope = matching(Probe::Subject::Scope, m_dictionary.scope(m_scope).name);
    setAll(*scope);
    std::optional<ProbeList>& service = m_services[toIndex(m_resource)];
    if (!service)
        service = matching(Probe::Subject::Service, m_dictionary.text(m_dictionary.service(m_resource)));
    setAll(*service);
}

} // namespace chokepoint
