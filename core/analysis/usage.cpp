// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reading of call facts: each key is looked at once, then known by its interned id.
#include "core/analysis/usage.h"

#include "core/analysis/scores.h"
#include "core/analysis/spanentries.h"
#include "core/analysis/usagereading.h"
#include "core/analysis/usagevalues.h"
#include "core/analysis/usagewords.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace chokepoint {

namespace {

constexpr std::uint8_t unranked = 255;

/// The Vercel AI SDK counts cached tokens within the input, whatever the provider, from version 6 on.
bool countsWholeInput(std::string_view version)
{
    int major = 0;
    std::from_chars(version.data(), version.data() + version.size(), major);
    return major >= 6;
}

} // namespace

const CallFacts* UsageTable::find(std::uint64_t span) const
{
    const std::span<const CallFacts> found = entriesOf(std::span(calls), span, 1);
    return found.empty() ? nullptr : &found.front();
}

std::span<const CallFacts> UsageTable::callsOf(std::uint64_t first, std::uint64_t count) const
{
    return entriesOf(std::span(calls), first, count);
}

std::span<const Score> UsageTable::scoresOf(std::uint64_t first, std::uint64_t count) const
{
    return entriesOf(std::span(scores), first, count);
}

std::string_view UsageTable::model(const CallFacts& call) const
{
    return text(call.responseModel != StringId{} ? call.responseModel : call.requestModel);
}

struct UsageReader::Impl {
    std::shared_ptr<const StageRules> rules;
    std::shared_ptr<const Dictionary> dictionary;
    std::shared_ptr<StringPool> texts = std::make_shared<StringPool>();
    std::vector<std::int32_t> keySlot; // by StringId: -2 not looked at, -1 of no use, else index into keys
    std::vector<UsageKey> keys;
    std::vector<CallFacts> calls;
    std::vector<UsageEmitter> emitters;
    std::uint64_t spans = 0;
    ScoreReader scores;
    std::unordered_map<std::uint64_t, StringId> providers; // folded, by what is written and the model

    // Of the span at hand.
    SpanIdentity identity;
    bool touched = false;
    CallFacts call;
    UsageEmitter emitter;
    std::array<std::uint8_t, usageFieldCount> rank{};
    StringId provider{}; // as written
    std::string errorType;
    bool isLimited = false; // its exception speaks of a rate limit
    bool isEngine = false;

    Impl(std::shared_ptr<const StageRules> theRules, std::shared_ptr<const Dictionary> theDictionary)
        : rules(std::move(theRules)), dictionary(std::move(theDictionary)), keySlot(dictionary->strings.size(), -2),
          scores(*dictionary, *texts)
    {
        rank.fill(unranked);
    }

    const UsageKey* keyOf(StringId key);
    void take(const UsageUse& use, const PackedValue& value);
    [[nodiscard]] bool store(UsageField field, const PackedValue& value);
    [[nodiscard]] bool storeText(UsageField field, std::string_view text);
    void finishCall();
    void clear();
};

const UsageKey* UsageReader::Impl::keyOf(StringId key)
{
    if (toIndex(key) >= keySlot.size())
        return nullptr;
    std::int32_t& slot = keySlot[toIndex(key)];
    if (slot == -2) {
        UsageKey usage = describeUsageKey(dictionary->text(key), *rules);
        slot = usage.isUseful() ? std::int32_t(keys.size()) : -1;
        if (usage.isUseful())
            keys.push_back(std::move(usage));
    }
    return slot < 0 ? nullptr : &keys[std::size_t(slot)];
}

bool UsageReader::Impl::storeText(UsageField field, std::string_view text)
{
    if (text.empty())
        return false;
    switch (field) {
    case UsageField::RequestModel: call.requestModel = texts->intern(text); return true;
    case UsageField::ResponseModel: call.responseModel = texts->intern(text); return true;
    case UsageField::ServiceTier: call.serviceTier = texts->intern(text); return true;
    case UsageField::Provider: provider = texts->intern(text); return true;
    case UsageField::ErrorType: errorType.assign(text); return true;
    case UsageField::ResponseId: call.responseId = std::max<std::uint64_t>(1, hash64(text)); return true;
    case UsageField::RequestId: call.requestId = std::max<std::uint64_t>(1, hash64(text)); return true;
    case UsageField::Finish: call.finish = finishReasonOfText(text); return call.finish != FinishReason::Unknown;
    default: return false;
    }
}

bool UsageReader::Impl::store(UsageField field, const PackedValue& value)
{
    if (field <= UsageField::ImageInput) {
        const TokenCount count = tokenCountOf(value);
        countOf(call.reported, field) = count;
        return count.isKnown();
    }
    switch (field) {
    case UsageField::Cost: call.cost = moneyOf(value); return call.cost.has_value();
    case UsageField::Streaming: call.streaming = isTrue(value); return true;
    case UsageField::RollUp: call.aggregated = true; return true;
    case UsageField::HttpStatus: {
        const std::int64_t status = tokenCountOf(value).orZero();
        call.httpStatus = status >= 100 && status < 1000 ? std::int16_t(status) : std::int16_t(0);
        return call.httpStatus != 0;
    }
    default: break;
    }
    if (value.tag == ValueTag::Int)
        return storeText(field, std::to_string(value.integer));
    if (value.tag != ValueTag::Array)
        return value.isText() && storeText(field, unquoted(value.text));
    PackedCursor elements(value.container);
    bool stored = false;
    while (elements.ok() && !elements.rest().empty() && ValueTag(elements.rest().front()) != ValueTag::End) {
        const PackedValue element = readValue(elements, dictionary->strings);
        stored |= element.isText() && storeText(field, element.text);
    }
    return stored;
}

void UsageReader::Impl::take(const UsageUse& use, const PackedValue& value)
{
    std::uint8_t& known = rank[std::size_t(use.field)];
    if (use.rank >= known || !store(use.field, value))
        return;
    known = use.rank;
    if (use.field == UsageField::Input)
        emitter.input = use.hint;
    else if (use.field == UsageField::CacheRead || use.field == UsageField::CacheWrite)
        emitter.cache = emitter.cache == CountingHint::Included ? emitter.cache : use.hint;
    else if (use.field == UsageField::Reasoning)
        emitter.reasoning = use.hint;
}

UsageReader::UsageReader(std::shared_ptr<const StageRules> rules, std::shared_ptr<const Dictionary> dictionary)
    : m_impl(std::make_unique<Impl>(std::move(rules), std::move(dictionary)))
{
}

UsageReader::~UsageReader() = default;

void UsageReader::beginSpan(const TraceView& trace, std::size_t i)
{
    Impl& impl = *m_impl;
    impl.identity = {impl.spans++, trace.name[i], trace.scope[i], trace.flags[i], trace.start[i], trace.firstToken[i]};
}

void UsageReader::attribute(StringId key, const PackedValue& value)
{
    Impl& impl = *m_impl;
    const UsageKey* const usage = impl.keyOf(key);
    if (usage == nullptr || value.tag == ValueTag::Empty)
        return;
    impl.touched = true;
    impl.isEngine |= usage->isEngine;
    impl.call.embedding |= usage->isEmbedding;
    impl.scores.attribute(*usage, value);
    if (usage->uses.empty())
        return;
    const bool isStructured = std::any_of(usage->uses.begin(), usage->uses.end(), [](const UsageUse& use) { return !use.members.empty(); });
    const StructuredValue structure = isStructured ? StructuredValue(value, impl.dictionary->strings) : StructuredValue();
    for (const UsageUse& use : usage->uses) {
        if (use.members.empty())
            impl.take(use, value);
        else if (const std::optional<PackedValue> member = structure.first(use.members))
            impl.take(use, *member);
    }
}

void UsageReader::event(const PackedEvent& event)
{
    Impl& impl = *m_impl;
    if (!event.name.isText())
        return;
    if (event.name.text == "exception") {
        const StringPool& strings = impl.dictionary->strings;
        impl.touched = true;
        if (const auto type = attributeOf(event.attributes, "exception.type", strings); type && type->isText() && impl.errorType.empty())
            impl.errorType.assign(type->text);
        if (const auto message = attributeOf(event.attributes, "exception.message", strings); message && message->isText())
            impl.isLimited |= isRateLimit(message->text);
        return;
    }
    impl.scores.event(event, impl.identity);
}

void UsageReader::link(const PackedLink& link)
{
    m_impl->scores.link(link);
}

void UsageReader::Impl::finishCall()
{
    const bool isCall = call.hasUsage() || call.requestModel != StringId{} || call.responseModel != StringId{} || call.responseId != 0;
    if (!isCall)
        return;
    call.span = identity.span;
    const StringId model = call.responseModel != StringId{} ? call.responseModel : call.requestModel;
    const auto [folded, isNew] = providers.try_emplace(std::uint64_t(provider) << 32 | std::uint64_t(model));
    if (isNew)
        folded->second = texts->intern(providerName(texts->text(provider), texts->text(model)));
    call.provider = folded->second;
    call.streaming |= identity.flags.has(SpanFlags::Streaming);
    if (isKnown(identity.firstToken) && isKnown(identity.start))
        call.firstToken = saturatingDifference(identity.firstToken, identity.start);
    if (int status = 0; call.httpStatus == 0
        && std::from_chars(errorType.data(), errorType.data() + errorType.size(), status).ptr == errorType.data() + errorType.size()
        && status >= 100 && status < 1000)
        call.httpStatus = std::int16_t(status);
    constexpr int timeout = 408;
    constexpr int closedByClient = 499;
    const bool isClientError = call.httpStatus >= 400 && call.httpStatus < closedByClient && call.httpStatus != timeout;
    call.refused = identity.flags.isError() && (isClientError || (call.httpStatus == 0 && (isLimited || isRefusal(errorType))));
    const std::string& scope = dictionary->scope(identity.scope).name;
    if (scope == "ai" && countsWholeInput(dictionary->scope(identity.scope).version))
        emitter.cache = CountingHint::Included;
    call.source = isEngine || dictionary->text(identity.name) == "llm_request" ? UsageSource::Engine
        : scope.starts_with("litellm")                                         ? UsageSource::Gateway
                                                                               : UsageSource::Client;
    emitter.scope = identity.scope;
    calls.push_back(call);
    emitters.push_back(emitter);
}

void UsageReader::Impl::clear()
{
    touched = isEngine = isLimited = false;
    call = {};
    emitter = {};
    rank.fill(unranked);
    provider = {};
    errorType.clear();
}

void UsageReader::endSpan()
{
    Impl& impl = *m_impl;
    impl.scores.endSpan(impl.identity);
    if (!impl.touched)
        return;
    impl.finishCall();
    impl.clear();
}

UsageTable UsageReader::take()
{
    Impl& impl = *m_impl;
    settleReadings(impl.calls, impl.emitters, *impl.texts);
    UsageTable table;
    table.calls = std::move(impl.calls);
    table.scores = impl.scores.take();
    table.texts = impl.texts;
    return table;
}

} // namespace chokepoint
