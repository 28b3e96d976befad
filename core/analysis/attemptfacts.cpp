// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the attempt facts of one span after another. Attributes first fill a scratch record, of which texts only hashes remain.
#include "core/analysis/attemptfacts.h"

#include "core/analysis/attemptcause.h"
#include "core/analysis/attemptkeys.h"
#include "core/analysis/attemptwords.h"
#include "core/analysis/inputtext.h"
#include "core/analysis/usagewords.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

namespace chokepoint {

namespace {

constexpr std::uint8_t noRank = 0xff;
constexpr std::size_t mostMessages = 256; // of one call; longer conversations are no re-asks

std::uint64_t bigEndian(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (const char c : bytes)
        value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

/// Where the text of a fact came from: the lower rank wins.
struct Ranked {
    std::string_view text;
    std::uint8_t rank = noRank;

    void offer(std::string_view other, std::uint8_t otherRank)
    {
        if (otherRank < rank && !other.empty()) {
            text = other;
            rank = otherRank;
        }
    }
};

/// One message that is spread over attributes.
struct SpreadMessage {
    std::uint16_t index = 0;
    std::uint64_t hash = 0;
    MessageEnd end;
    bool isTool = false;
};

} // namespace

struct AttemptFactReader::Impl {
    std::shared_ptr<const Dictionary> dictionary;
    std::vector<std::int32_t> keySlot; // by StringId: -1 not looked at, else index into uses
    std::vector<AttemptKeyUse> uses{{}};
    CauseTexts causes;
    AttemptFacts facts;
    std::uint64_t spans = 0;

    // Of the span at hand. Texts point into its payload.
    AttemptFact fact;
    std::array<Ranked, std::size_t(AttemptKey::User) + 1> texts;
    std::vector<SpreadMessage> spread;
    std::deque<std::string> owned; // texts that do not stand in the payload
    RetryCause httpCause{};
    RetryCause grpcCause{};
    RetryCause typeCause{};
    RetryCause textCause{};
    Timestamp start = unknownTime;
    TraceId traceId;
    bool isRoot = false;
    bool isError = false;
    bool isGuardrails = false;
    bool hasRow = false;

    explicit Impl(std::shared_ptr<const Dictionary> theDictionary)
        : dictionary(std::move(theDictionary)), keySlot(dictionary->strings.size(), -1)
    {
    }

    const AttemptKeyUse& useOf(StringId key);
    void begin(const TraceView& trace, std::size_t i);
    void take(const AttemptKeyUse& use, const PackedValue& value);
    void takeText(const AttemptKeyUse& use, std::string_view text);
    void takeNumber(AttemptKey key, std::int64_t number);
    void takeTruth(AttemptKey key, bool value);
    void takeTags(std::string_view tags);
    void takeMessage(const AttemptKeyUse& use, std::string_view text);
    void takeException(const PackedEvent& event);
    void takeRetryEvent(const PackedEvent& event);
    void readRemainder(std::string_view payload);
    void readLinks(PackedCursor& cursor);
    void finish();
    void store();
    void finishOperation();
    void finishInput();
    void finishCause();
    void finishRequest();
    void addMessages(std::string_view text);
    void endMessages(std::uint64_t count, const MessageEnd& end);
    [[nodiscard]] std::string_view text(AttemptKey key) const { return texts[std::size_t(key)].text; }
    void set(AttemptFact::Flag flag) { fact.flags = std::uint16_t(fact.flags | flag); }
};

const AttemptKeyUse& AttemptFactReader::Impl::useOf(StringId key)
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

void AttemptFactReader::Impl::begin(const TraceView& trace, std::size_t i)
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
    ++spans;
}

void AttemptFactReader::Impl::takeNumber(AttemptKey key, std::int64_t number)
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
    constexpr auto marks = std::uint16_t(AttemptFact::GenericNumber | AttemptFact::NeedsVariety | AttemptFact::ReAskNumber);
    fact.flags = std::uint16_t(fact.flags & ~marks);
    if (isOwn)
        set(AttemptFact::GenericNumber);
    if (key == AttemptKey::OwnNumberFromOne)
        set(AttemptFact::NeedsVariety);
    if (key == AttemptKey::ReAskIndex)
        set(AttemptFact::ReAskNumber);
}

void AttemptFactReader::Impl::takeTruth(AttemptKey key, bool value)
{
    if (key == AttemptKey::Transparent && value)
        set(AttemptFact::TransparentRetry);
    else if (key == AttemptKey::Passed || key == AttemptKey::Verdict)
        fact.verdict = value ? CheckVerdict::Passed : CheckVerdict::Failed;
    else if (key == AttemptKey::Triggered)
        fact.verdict = value ? CheckVerdict::Failed : CheckVerdict::Passed;
}

void AttemptFactReader::Impl::takeTags(std::string_view tags)
{
    if (const auto number = numberAfter(tags, "retry:attempt"))
        takeNumber(AttemptKey::NumberFromOne, *number);
}

/// LLM instrumentations may spread a message list over attributes, in any order.
void AttemptFactReader::Impl::takeMessage(const AttemptKeyUse& use, std::string_view text)
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

void AttemptFactReader::Impl::takeText(const AttemptKeyUse& use, std::string_view text)
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

void AttemptFactReader::Impl::take(const AttemptKeyUse& use, const PackedValue& value)
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
void AttemptFactReader::Impl::takeException(const PackedEvent& event)
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

void AttemptFactReader::Impl::takeRetryEvent(const PackedEvent& event)
{
    constexpr std::uint8_t most = 50;
    facts.marks.push_back({std::uint32_t(spans - 1), isKnown(start) ? start + event.offset : unknownTime});
    if (fact.totalRetries < most)
        ++fact.totalRetries;
}

void AttemptFactReader::Impl::addMessages(std::string_view text)
{
    std::uint64_t hash = 0;
    std::uint64_t count = 0;
    std::string_view last;
    forEachMessage(text, [&](std::string_view message) {
        hash = mix64(hash + inputHash(message));
        last = message;
        if (count++ < mostMessages)
            facts.messages.push_back(hash);
    });
    if (count > 0)
        endMessages(count, messageEnd(last));
}

void AttemptFactReader::Impl::endMessages(std::uint64_t count, const MessageEnd& end)
{
    if (count > mostMessages) {
        facts.messages.resize(fact.firstMessage);
        return;
    }
    fact.messageCount = std::uint16_t(count);
    if (end.correction)
        set(AttemptFact::RetryPrompt);
    if (end.toolResult)
        set(AttemptFact::ToolResult);
}

void AttemptFactReader::Impl::finishInput()
{
    fact.firstMessage = std::uint32_t(facts.messages.size());
    fact.firstWord = std::uint32_t(facts.words.size());
    const std::string_view input = text(AttemptKey::Input);
    fact.input = inputHash(input);
    if (fact.input != 0 && (input.starts_with('[') || input.starts_with('{'))) {
        addMessages(input);
    } else if (fact.input != 0) {
        const std::vector<std::uint32_t> words = wordHashes(input);
        facts.words.insert(facts.words.end(), words.begin(), words.end());
        fact.wordCount = std::uint8_t(words.size());
    }
    if (fact.messageCount > 0 || spread.empty())
        return;
    std::sort(spread.begin(), spread.end(), [](const SpreadMessage& a, const SpreadMessage& b) { return a.index < b.index; });
    std::uint64_t hash = 0;
    for (const SpreadMessage& message : spread) {
        hash = mix64(hash + message.hash);
        facts.messages.push_back(hash);
    }
    fact.input = fact.input == 0 ? hash | 1U : fact.input;
    endMessages(spread.size(), {spread.back().end.correction, spread.back().end.toolResult || spread.back().isTool});
}

/// What is called: the first of a model operation, a tool, a database operation, an RPC and an HTTP request that is known.
void AttemptFactReader::Impl::finishOperation()
{
    const auto key = [this](AttemptKey each) { return text(each); };
    const std::string_view url = key(AttemptKey::UrlFull);
    const bool isHttp = !key(AttemptKey::HttpMethod).empty() || !url.empty();
    if (isHttp || !key(AttemptKey::RpcMethod).empty() || fact.httpStatus != 0)
        set(AttemptFact::Http);
    if (const std::string_view operation = key(AttemptKey::GenerateOperation); !operation.empty()) {
        fact.operation = hash64(operation, hash64(key(AttemptKey::Tool), 1));
    } else if (!key(AttemptKey::Tool).empty()) {
        fact.operation = hash64(key(AttemptKey::Tool), 2);
    } else if (!key(AttemptKey::DbSystem).empty() || !key(AttemptKey::DbOperation).empty()) {
        fact.operation = hash64(key(AttemptKey::DbOperation), hash64(key(AttemptKey::DbCollection), hash64(key(AttemptKey::DbSystem), 3)));
    } else if (!key(AttemptKey::RpcMethod).empty()) {
        fact.operation = hash64(key(AttemptKey::RpcMethod), hash64(key(AttemptKey::RpcService), 4));
    } else if (isHttp) {
        std::uint64_t target = 5;
        if (!url.empty())
            target = targetHash(targetOfUrl(url));
        else if (!key(AttemptKey::UrlPath).empty())
            target = hash64(key(AttemptKey::UrlQuery), targetHash(key(AttemptKey::UrlPath)));
        else
            target = hash64(key(AttemptKey::Route), target);
        fact.operation = hash64(key(AttemptKey::HttpMethod), target);
    }
    const std::string_view server = key(AttemptKey::Server).empty() ? hostOfUrl(url) : key(AttemptKey::Server);
    if (!server.empty() || !key(AttemptKey::Provider).empty())
        fact.endpoint = std::uint32_t(hash64(key(AttemptKey::Provider), hash64(key(AttemptKey::ServerPort), hash64(server)))) | 1U;
    fact.model = modelHash(key(AttemptKey::Model));
    fact.response = key(AttemptKey::ResponseId).empty() ? 0 : hash64(key(AttemptKey::ResponseId)) | 1U;
    const Ranked& identity = texts[std::size_t(AttemptKey::Identity)];
    fact.identity = identity.text.empty() ? 0 : hash64(identity.text, identity.rank) | 1U;
}

void AttemptFactReader::Impl::finishCause()
{
    for (const RetryCause cause : {httpCause, grpcCause, typeCause, textCause}) {
        if (fact.cause == RetryCause::None || fact.cause == RetryCause::Error)
            fact.cause = cause == RetryCause::None ? fact.cause : cause;
    }
}

void AttemptFactReader::Impl::finishRequest()
{
    const std::string_view request = text(AttemptKey::RequestId);
    const std::string_view session = text(AttemptKey::Session).empty() ? text(AttemptKey::User) : text(AttemptKey::Session);
    if (!isRoot || (request.empty() && session.empty()))
        return;
    facts.requests.push_back(
        {std::uint32_t(spans - 1), request.empty() ? 0 : hash64(request) | 1U, session.empty() ? 0 : hash64(session) | 1U});
}

void AttemptFactReader::Impl::readLinks(PackedCursor& cursor)
{
    const std::uint64_t count = cursor.varint();
    for (std::uint64_t k = 0; k < count && cursor.ok(); ++k) {
        const std::uint64_t hi = bigEndian(cursor.take(8));
        const std::uint64_t lo = bigEndian(cursor.take(8));
        const SpanId target{bigEndian(cursor.take(8))};
        cursor.varint(); // flags
        cursor.skipValue(); // trace state
        cursor.varint(); // dropped attributes
        cursor.skipValue(); // ids as texts
        cursor.skipValue();
        bool isRetry = false;
        forEachAttribute(cursor, dictionary->strings, [&](StringId key, const PackedValue& value) {
            isRetry |= speaksOfRetry(dictionary->text(key)) || (value.isText() && speaksOfRetry(value.text));
            return true;
        });
        if (isRetry && TraceId{hi, lo} == traceId && cursor.ok()) {
            facts.links.emplace_back(std::uint32_t(spans - 1), target);
            set(AttemptFact::LinksBack);
        }
    }
}

void AttemptFactReader::Impl::readRemainder(std::string_view payload)
{
    PackedCursor cursor(payload);
    const std::uint64_t sections = cursor.varint();
    const auto has = [sections](PayloadSection section) { return (sections >> unsigned(section) & 1U) != 0; };
    if (!has(PayloadSection::Links) && !(isError && has(PayloadSection::StatusMessage)))
        return;
    if (has(PayloadSection::Attributes))
        cursor.skipAttributes();
    const std::uint64_t events = has(PayloadSection::Events) ? cursor.varint() : 0;
    for (std::uint64_t e = 0; e < events && cursor.ok(); ++e) {
        cursor.varint(); // time
        cursor.skipValue(); // name
        cursor.varint(); // dropped attributes
        cursor.skipAttributes();
    }
    if (has(PayloadSection::Links))
        readLinks(cursor);
    if (has(PayloadSection::TraceState))
        cursor.skipValue();
    if (has(PayloadSection::StatusMessage)) {
        const PackedValue message = readValue(cursor, dictionary->strings);
        if (isError && fact.cause == RetryCause::None && message.isText())
            fact.cause = causes.ofMessage(message.text);
    }
    store();
}

/// Keeps the fact of the span at hand, in its row or a new one.
void AttemptFactReader::Impl::store()
{
    const bool hasAny = fact.operation != 0 || fact.input != 0 || fact.identity != 0 || fact.endpoint != 0 || fact.model != 0
        || fact.response != 0 || fact.flags != 0 || fact.number != 0 || fact.totalRetries != 0 || fact.cause != RetryCause::None
        || fact.finish != FinishReason::Unknown || fact.verdict != CheckVerdict::Unknown || fact.messageCount != 0 || fact.httpStatus != 0;
    if (!hasAny)
        return;
    if (!hasRow) {
        facts.span.push_back(std::uint32_t(spans - 1));
        facts.fact.emplace_back();
        hasRow = true;
    }
    facts.fact.back() = fact;
}

void AttemptFactReader::Impl::finish()
{
    finishOperation();
    finishInput();
    finishCause();
    finishRequest();
    if (fact.has(AttemptFact::ReAskNumber) && !isGuardrails)
        fact.number = 0;
    store();
}

AttemptFactReader::AttemptFactReader(std::shared_ptr<const Dictionary> dictionary) : m_impl(std::make_unique<Impl>(std::move(dictionary)))
{
}

AttemptFactReader::~AttemptFactReader() = default;

void AttemptFactReader::beginSpan(const TraceView& trace, std::size_t i)
{
    m_impl->begin(trace, i);
}

void AttemptFactReader::attribute(StringId key, const PackedValue& value)
{
    if (const AttemptKeyUse& use = m_impl->useOf(key); use.key != AttemptKey::None)
        m_impl->take(use, value);
}

void AttemptFactReader::event(const PackedEvent& event)
{
    if (!event.name.isText())
        return;
    const std::string_view name = event.name.text;
    if (name == "exception" || name.ends_with(".exception"))
        m_impl->takeException(event);
    else if (isOneOf(name,
                 {"retry", "retry.scheduled", "retry.attempt", "gen_ai.retry", "gen_ai.retry.scheduled", "gen_ai.retry.attempt",
                     "attempt failed, scheduling next attempt"}))
        m_impl->takeRetryEvent(event);
}

void AttemptFactReader::remainder(std::string_view payload)
{
    m_impl->readRemainder(payload);
}

void AttemptFactReader::endSpan()
{
    m_impl->finish();
}

AttemptFacts AttemptFactReader::take()
{
    return std::move(m_impl->facts);
}

std::pair<std::size_t, std::size_t> AttemptFacts::rows(std::uint64_t first, std::uint64_t count) const
{
    const auto begin = std::lower_bound(span.begin(), span.end(), first);
    const auto end = std::lower_bound(begin, span.end(), first + count);
    return {std::size_t(begin - span.begin()), std::size_t(end - span.begin())};
}

} // namespace chokepoint
