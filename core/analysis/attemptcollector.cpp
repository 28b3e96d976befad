// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes and events of the span at hand.
#include "core/analysis/attemptcollector.h"

#include "core/analysis/attemptwords.h"
#include "core/analysis/usagewords.h"

#include <algorithm>
#include <cmath>

namespace chokepoint::attempts {

const AttemptKeyUse& FactCollector::useOf(StringId key)
{
    if (toIndex(key) >= keySlot.size())
        return uses.front();
    std::int32_t& slot = keySlot[toIndex(key)];
    if (slot < 0) {
        const AttemptKeyUse use = attemptKeyUse(dictionary->text(key));
        slot = use.key == AttemptKey::None ? 0 : std::int32_t(uses.size());
        if (slot > 0)
            uses.push_back(use);
    }
    return uses[std::size_t(slot)];
}

void FactCollector::begin(const TraceView& trace, std::size_t i)
{
    fact = {};
    texts.fill({});
    spread.clear();
    owned.clear();
    httpCause = grpcCause = typeCause = textCause = RetryCause::None;
    start = trace.start[i];
    traceId = trace.traceId;
    isRoot = trace.parent[i] < 0;
    isError = trace.flags[i].isError();
    isGuardrails = dictionary->text(trace.name[i]) == "step";
    hasRow = false;
    marks = 0;
    ++spans;
}

void FactCollector::takeNumber(AttemptKey key, std::int64_t number)
{
    const bool fromOne = key == AttemptKey::NumberFromOne || key == AttemptKey::OwnNumberFromOne || key == AttemptKey::TotalFromOne;
    const bool isOwn = key == AttemptKey::OwnNumberFromZero || key == AttemptKey::OwnNumberFromOne;
    constexpr std::int64_t most = 50; // larger numbers count something else
    if (number < 0 || number > most)
        return;
    const auto ordinal = std::uint8_t(fromOne ? number : number + 1);
    if (key == AttemptKey::TotalFromZero || key == AttemptKey::TotalFromOne) {
        fact.totalRetries = std::max(fact.totalRetries, std::uint8_t(ordinal == 0 ? 0 : ordinal - 1));
        return;
    }
    const bool ownBefore = fact.number != 0 && fact.has(AttemptFact::GenericNumber);
    if (ordinal == 0 || (isOwn && fact.number != 0) || (!isOwn && fact.number >= ordinal && !ownBefore))
        return;
    fact.number = ordinal;
    constexpr auto numberFlags = std::uint16_t(AttemptFact::GenericNumber | AttemptFact::NeedsVariety | AttemptFact::ReAskNumber);
    fact.flags = std::uint16_t(fact.flags & ~numberFlags);
    if (isOwn)
        set(AttemptFact::GenericNumber);
    if (key == AttemptKey::OwnNumberFromOne)
        set(AttemptFact::NeedsVariety);
    if (key == AttemptKey::ReAskIndex)
        set(AttemptFact::ReAskNumber);
}

void FactCollector::takeTruth(AttemptKey key, bool value)
{
    if (key == AttemptKey::Transparent && value)
        set(AttemptFact::TransparentRetry);
    else if (key == AttemptKey::Passed || key == AttemptKey::Verdict)
        fact.verdict = value ? CheckVerdict::Passed : CheckVerdict::Failed;
    else if (key == AttemptKey::Triggered)
        fact.verdict = value ? CheckVerdict::Failed : CheckVerdict::Passed;
}

void FactCollector::takeTags(std::string_view tags)
{
    if (const auto number = numberAfter(tags, "retry:attempt"))
        takeNumber(AttemptKey::NumberFromOne, *number);
}

/// LLM instrumentations may spread a message list over attributes, in any order.
void FactCollector::takeMessage(const AttemptKeyUse& use, std::string_view text)
{
    auto found = std::find_if(spread.begin(), spread.end(), [&](const SpreadMessage& each) { return each.index == use.index; });
    if (found == spread.end()) {
        if (spread.size() >= mostMessages)
            return;
        spread.push_back({use.index, 0, {}, false});
        found = spread.end() - 1;
    }
    if (use.key == AttemptKey::MessageRole) {
        found->isTool = isOneOf(text, {"tool", "function"});
        return;
    }
    found->hash = mix64(found->hash + inputHash(text));
    const MessageEnd end = messageEnd(text);
    found->end.correction |= end.correction;
    found->end.toolResult |= end.toolResult;
}

void FactCollector::takeText(const AttemptKeyUse& use, std::string_view text)
{
    switch (use.key) {
    case AttemptKey::Tags: return takeTags(text);
    case AttemptKey::HiddenParameters:
        if (const auto retries = numberAfter(text, "x-litellm-attempted-retries"))
            takeNumber(AttemptKey::TotalFromZero, *retries);
        return;
    case AttemptKey::DeathHeader: return takeNumber(AttemptKey::NumberFromZero, numberAfter(text, "count").value_or(1));
    case AttemptKey::TaskState:
        if (isOneOf(text, {"retry"}))
            set(AttemptFact::RetriedState);
        return;
    case AttemptKey::ProxyFlags:
        if (text.find("URX") != std::string_view::npos)
            set(AttemptFact::RetriesExhausted);
        for (const auto& [flag, cause] :
            {std::pair{"UT", RetryCause::Timeout}, std::pair{"UF", RetryCause::Connection}, std::pair{"UO", RetryCause::ServerError}})
            typeCause = text.find(flag) != std::string_view::npos ? cause : typeCause;
        return;
    case AttemptKey::GrpcStatus: grpcCause = causeOfGrpcStatus(text); return;
    case AttemptKey::ErrorType: typeCause = typeCause == RetryCause::None ? causes.ofType(text) : typeCause; return;
    case AttemptKey::ErrorText: textCause = textCause == RetryCause::None ? causes.ofMessage(text) : textCause; return;
    case AttemptKey::Finish: fact.finish = finishReasonOfText(text); return;
    case AttemptKey::Passed:
    case AttemptKey::Triggered:
    case AttemptKey::Transparent: return takeTruth(use.key, isOneOf(text, {"true", "1", "yes"}));
    case AttemptKey::Verdict:
        if (const CheckVerdict verdict = verdictOf(text); verdict != CheckVerdict::Unknown)
            fact.verdict = verdict;
        return;
    case AttemptKey::Level:
        if (isOneOf(text, {"warning"}))
            fact.verdict = CheckVerdict::Failed;
        return;
    case AttemptKey::MessageRole:
    case AttemptKey::MessageContent: return takeMessage(use, text);
    case AttemptKey::ComponentType: isGuardrails |= text.starts_with("guardrails"); return;
    default: break;
    }
    texts[std::size_t(use.key)].offer(text, use.rank);
}

void FactCollector::take(const AttemptKeyUse& use, const PackedValue& value)
{
    if (value.tag == ValueTag::True || value.tag == ValueTag::False)
        return takeTruth(use.key, value.tag == ValueTag::True);
    if (value.tag == ValueTag::Array || value.tag == ValueTag::Map) {
        PackedCursor element(value.container);
        const PackedValue first = value.tag == ValueTag::Array ? readValue(element, dictionary->strings) : PackedValue{};
        // Headers and finish reasons are lists of one; other lists are inputs.
        if (use.key != AttemptKey::Input && use.key != AttemptKey::Tags && use.key != AttemptKey::HiddenParameters)
            return first.tag == ValueTag::Array || first.tag == ValueTag::Map || !element.ok() ? void() : take(use, first);
        const std::string_view raw(value.container.data() - 1, value.container.size() + 1); // with its tag
        PackedCursor whole(raw);
        owned.push_back(toText(decodeValue(whole, dictionary->strings)));
        return takeText(use, owned.back());
    }
    const bool isNumber = value.tag == ValueTag::Int || (value.tag == ValueTag::Double && value.real == std::floor(value.real));
    const std::optional<std::int64_t> number = value.tag == ValueTag::Int ? std::optional(value.integer)
        : isNumber && std::abs(value.real) < 1e15                         ? std::optional(std::int64_t(value.real))
        : value.isText()                                                  ? wholeNumber(value.text)
                                                                          : std::nullopt;
    switch (use.key) {
    case AttemptKey::NumberFromZero:
    case AttemptKey::NumberFromOne:
    case AttemptKey::OwnNumberFromZero:
    case AttemptKey::OwnNumberFromOne:
    case AttemptKey::ReAskIndex:
    case AttemptKey::TotalFromZero:
    case AttemptKey::TotalFromOne: return number ? takeNumber(use.key, *number) : void();
    case AttemptKey::HttpStatus:
        fact.httpStatus = number && *number > 0 && *number < 600 ? std::int16_t(*number) : fact.httpStatus;
        httpCause = causeOfHttpStatus(fact.httpStatus);
        return;
    case AttemptKey::GrpcStatus:
        if (number) {
            grpcCause = causeOfGrpcStatus(*number);
            return;
        }
        break;
    case AttemptKey::ResultCount: return number == 0 ? set(AttemptFact::NoResults) : void();
    case AttemptKey::InputTokens: return number ? set(AttemptFact::HasTokens) : void();
    case AttemptKey::OutputTokens:
        if (number && *number >= 0 && fact.outputTokens < 0)
            fact.outputTokens = std::int32_t(std::min<std::int64_t>(*number, 1 << 30));
        return number ? set(AttemptFact::HasTokens) : void();
    default: break;
    }
    if (value.isText()) {
        takeText(use, value.text);
    } else if (number) {
        owned.push_back(std::to_string(*number));
        takeText(use, owned.back());
    }
}

/// An exception that was recorded on the span. A rejected output counts even where the span went on.
void FactCollector::takeException(const PackedEvent& event)
{
    RetryCause type = RetryCause::None;
    RetryCause message = RetryCause::None;
    PackedCursor cursor(event.attributes);
    forEachAttribute(cursor, dictionary->strings, [&](StringId key, const PackedValue& value) {
        const AttemptKey use = useOf(key).key;
        if (use == AttemptKey::ErrorType && value.isText())
            type = causes.ofType(value.text);
        else if (use == AttemptKey::ErrorText && value.isText())
            message = causes.ofMessage(value.text);
        return true;
    });
    if (typeCause == RetryCause::None)
        typeCause = type;
    if (textCause == RetryCause::None)
        textCause = message;
    if (!isError && type == RetryCause::Validation)
        fact.verdict = CheckVerdict::Failed;
}

void FactCollector::takeRetryEvent(const PackedEvent& event)
{
    constexpr std::uint8_t most = 50;
    facts.marks.push_back({std::uint32_t(spans - 1), isKnown(start) ? start + event.offset : unknownTime});
    if (marks < most)
        fact.totalRetries = std::max(fact.totalRetries, ++marks); // an attribute may tell the same number
}

} // namespace chokepoint::attempts
