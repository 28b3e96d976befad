// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Attribute keys that tell of attempts: what each means, in the words of all producers.
#pragma once

#include <cstdint>
#include <string_view>

namespace chokepoint {

enum class AttemptKey : std::uint8_t {
    None,
    // numbers of attempts
    NumberFromZero, // attempts before this one
    NumberFromOne,
    OwnNumberFromZero, // keys of the user's own
    OwnNumberFromOne,
    ReAskIndex, // Guardrails AI: step.index
    ComponentType, // Guardrails AI: type
    Tags, // "retry:attempt:2" among others
    TotalFromZero, // retries that one span covers
    TotalFromOne, // attempts that one span covers
    HiddenParameters, // JSON that may hold x-litellm-attempted-retries
    DeathHeader, // RabbitMQ's x-death
    // states
    Transparent,
    TaskState,
    ProxyFlags,
    HttpStatus,
    GrpcStatus,
    ErrorType,
    ErrorText,
    Finish,
    Passed, // a check's outcome as a truth value
    Triggered, // the same, the other way round
    Verdict, // the same in words
    Level, // Langfuse: WARNING, ERROR
    ResultCount,
    // what is called, with what
    Identity,
    GenerateOperation,
    Tool,
    DbSystem,
    DbCollection,
    DbOperation,
    RpcService,
    RpcMethod,
    HttpMethod,
    UrlFull,
    UrlPath,
    UrlQuery,
    Route,
    Server,
    ServerPort,
    Provider,
    Model,
    ResponseId,
    Input, // text or JSON
    MessageRole, // of an indexed message
    MessageContent,
    InputTokens,
    OutputTokens,
    // of requests
    RequestId,
    Session,
    User,
};

struct AttemptKeyUse {
    AttemptKey key = AttemptKey::None;
    std::uint8_t rank = 0; // of two keys of one meaning the lower rank wins
    std::uint16_t index = 0; // of an indexed message
};

/// What \a key means for attempts. Slow: ask once a key.
[[nodiscard]] AttemptKeyUse attemptKeyUse(std::string_view key);

} // namespace chokepoint
