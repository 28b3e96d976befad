// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What remains of a span once all of it was read: hashes, its class of failure, links.
#include "core/analysis/attemptcollector.h"

#include "core/analysis/attemptwords.h"

#include <algorithm>

namespace chokepoint::attempts {

namespace {

std::uint64_t bigEndian(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (const char c : bytes)
        value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

} // namespace

void FactCollector::addMessages(std::string_view text)
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

void FactCollector::endMessages(std::uint64_t count, const MessageEnd& end)
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

void FactCollector::finishInput()
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
void FactCollector::finishOperation()
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

void FactCollector::finishCause()
{
    for (const RetryCause cause : {httpCause, grpcCause, typeCause, textCause}) {
        if (fact.cause == RetryCause::None || fact.cause == RetryCause::Error)
            fact.cause = cause == RetryCause::None ? fact.cause : cause;
    }
}

void FactCollector::finishRequest()
{
    const std::string_view request = text(AttemptKey::RequestId);
    const std::string_view session = text(AttemptKey::Session).empty() ? text(AttemptKey::User) : text(AttemptKey::Session);
    if (!isRoot || (request.empty() && session.empty()))
        return;
    facts.requests.push_back(
        {std::uint32_t(spans - 1), request.empty() ? 0 : hash64(request) | 1U, session.empty() ? 0 : hash64(session) | 1U});
}

void FactCollector::readLinks(PackedCursor& cursor)
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

void FactCollector::readRemainder(std::string_view payload)
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
void FactCollector::store()
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

void FactCollector::finish()
{
    finishOperation();
    finishInput();
    finishCause();
    finishRequest();
    if (fact.has(AttemptFact::ReAskNumber) && !isGuardrails)
        fact.number = 0;
    store();
}

} // namespace chokepoint::attempts
