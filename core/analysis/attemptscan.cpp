// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/attemptscan.h"

#include "core/analysis/attemptcause.h"
#include "core/analysis/attemptwords.h"
#include "core/analysis/inputtext.h"

#include <algorithm>
#include <array>

namespace chokepoint::attempts {

namespace {

struct RoleOfStage {
    std::string_view stage;
    StageRole role;
};

constexpr std::array roleTable = {
    RoleOfStage{"ingress", StageRole::Container},
    RoleOfStage{"orchestrate", StageRole::Container},
    RoleOfStage{unmappedStage, StageRole::Container},
    RoleOfStage{"queue", StageRole::Dropped},
    RoleOfStage{"backoff", StageRole::Dropped},
    RoleOfStage{"network", StageRole::Dropped},
    RoleOfStage{"storage", StageRole::Dropped},
    RoleOfStage{"ingest", StageRole::Dropped},
    RoleOfStage{"uninstrumented", StageRole::Dropped},
    RoleOfStage{"cache", StageRole::Cache},
    RoleOfStage{"guardrail", StageRole::Guardrail},
    RoleOfStage{"route", StageRole::Route},
    RoleOfStage{"preprocess", StageRole::Preprocess},
    RoleOfStage{"embed", StageRole::Embed},
    RoleOfStage{"retrieve", StageRole::Retrieve},
    RoleOfStage{"rerank", StageRole::Rerank},
    RoleOfStage{"assemble", StageRole::Assemble},
    RoleOfStage{"generate", StageRole::Generate},
    RoleOfStage{"tool", StageRole::Tool},
    RoleOfStage{"validate", StageRole::Validate},
    RoleOfStage{"evaluate", StageRole::Evaluate},
};

StageRole roleOf(std::string_view stage)
{
    for (const RoleOfStage& entry : roleTable)
        if (entry.stage == stage)
            return entry.role;
    return StageRole::Other;
}

bool hasAny(std::string_view name, std::initializer_list<std::string_view> words)
{
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

/// "retry", "llm_retry", "ai.retryLoop": a span that repeats what is in it. \a name in lower case.
bool isRetryWrapper(std::string_view name)
{
    const std::size_t at = name.find("retry");
    const bool atWord = at != std::string_view::npos && (at == 0 || name[at - 1] == '.' || name[at - 1] == '_');
    return atWord || name == "runnableretry" || name.ends_with("completion_with_retries") || name.starts_with("model_retry");
}

NameTraits traitsOf(std::string_view name)
{
    NameTraits traits;
    traits.known = true;
    const std::string plain = withoutIds(name);
    traits.key = hash64(plain) | 1U;
    if (const std::size_t space = name.find(' '); space != std::string_view::npos) {
        traits.firstWord = hash64(name.substr(0, space)) | 1U;
        traits.rest = modelHash(name.substr(space + 1));
    }
    const auto set = [&](NameTraits::Flag flag, bool on) { traits.flags = std::uint8_t(traits.flags | (on ? flag : 0)); };
    set(NameTraits::RetryWrapper, isRetryWrapper(plain));
    set(NameTraits::FallbackWrapper, hasAny(plain, {"runnablewithfallbacks", "fallbackmodel", "with_fallbacks"}));
    set(NameTraits::Upkeep,
        hasAny(plain,
            {"oauth", "refresh_token", "token_refresh", "token refresh", "refresh token", "healthz", "health_check", "healthcheck",
                "health check", "/health", "readyz", "livez", "warm_up", "warmup", "warm-up"}));
    set(NameTraits::Draft, hasAny(plain, {"draft", "speculat"}));
    set(NameTraits::Regrade, hasAny(plain, {"grade_documents", "rewrite_query", "transform_query", "rewrite_question"}));
    return traits;
}

} // namespace

Context::Context(const TraceColumns& theColumns, const StageMap& theStages, const AttemptFacts& theFacts)
    : columns(theColumns), stages(theStages), facts(theFacts)
{
    const StageTable& table = *stages.table;
    for (std::size_t s = 0; s < table.size(); ++s)
        roles.push_back(roleOf(table.name(table.topLevel(StageId(s)))));
    names.resize(columns.dictionary->strings.size());
    for (const StringId name : columns.spans.name) {
        if (NameTraits& traits = names[toIndex(name)]; !traits.known)
            traits = traitsOf(columns.dictionary->text(name));
    }
}

void TraceScan::scan(const Context& context, std::size_t traceIndex)
{
    m_context = &context;
    index = traceIndex;
    view = context.columns.trace(traceIndex);
    firstSpan = context.columns.firstSpan[traceIndex];
    lookUp();
    collectBelow();
}

/// What each span tells by itself.
void TraceScan::lookUp()
{
    const std::size_t n = view.size();
    m_fact.assign(n, &m_none);
    const auto [firstRow, lastRow] = m_context->facts.rows(firstSpan, n);
    for (std::size_t row = firstRow; row < lastRow; ++row)
        m_fact[m_context->facts.span[row] - firstSpan] = &m_context->facts.fact[row];
    begin.assign(view.start.begin(), view.start.end());
    end.resize(n);
    failed.resize(n);
    cause.assign(n, RetryCause::None);
    role.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const SpanFlags flags = view.flags[i];
        const AttemptFact& own = fact(i);
        const bool timed = isKnown(begin[i]) && !flags.has(SpanFlags::TimeOutOfRange);
        begin[i] = timed ? begin[i] : unknownTime;
        end[i] = !timed || !isKnown(view.end[i]) ? unknownTime : std::max(view.end[i], begin[i]);
        const bool answered = flags.kind() == SpanKind::Client && isRepeatable(own.cause) && own.has(AttemptFact::Http);
        failed[i] = flags.isError() || own.has(AttemptFact::RetriedState) || flags.has(SpanFlags::Cancelled)
            || flags.has(SpanFlags::TimedOut) || answered;
        if (own.cause == RetryCause::Redirect || (failed[i] && own.cause != RetryCause::None))
            cause[i] = own.cause;
        else if (failed[i])
            cause[i] = flags.has(SpanFlags::TimedOut) ? RetryCause::Timeout
                : flags.has(SpanFlags::Cancelled)     ? RetryCause::Cancelled
                                                      : RetryCause::Error;
        const StageId stage = m_context->stages.stage[firstSpan + i];
        role[i] = stage == StageTable::noStage ? StageRole::Container : m_context->roles[toIndex(stage)];
    }
}

/// From the last span to the first: what descendants add.
void TraceScan::collectBelow()
{
    const std::size_t n = view.size();
    below.assign(n, 0);
    checkFailedBelow.resize(n);
    kidCount.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i)
        checkFailedBelow[i] = failsCheck(i);
    std::vector<Timestamp> latestFailure(n, unknownTime);
    std::vector<RetryCause> causeBelow(n, RetryCause::None);
    for (std::size_t i = n; i-- > 0;) {
        if (failed[i] && cause[i] == RetryCause::Error && causeBelow[i] != RetryCause::None)
            cause[i] = causeBelow[i];
        if (!isKnown(end[i]))
            end[i] = begin[i];
        if (view.parent[i] < 0)
            continue;
        const auto parent = std::size_t(view.parent[i]);
        ++kidCount[parent];
        below[parent] |= below[i] | roleBit(role[i]);
        checkFailedBelow[parent] |= checkFailedBelow[i];
        if (!isKnown(view.end[parent]) && isKnown(begin[parent]) && isKnown(end[i]))
            end[parent] = std::max({end[parent], end[i], begin[parent]});
        const bool later = failed[i] && cause[i] != RetryCause::Error && isKnown(end[i]) && end[i] > latestFailure[parent];
        if (later) {
            latestFailure[parent] = end[i];
            causeBelow[parent] = cause[i];
        }
    }
}

bool TraceScan::failsCheck(std::size_t span) const
{
    if ((roleBit(role[span]) & checkRoles) == 0)
        return false;
    return fact(span).verdict == CheckVerdict::Failed
        || (failed[span] && cause[span] != RetryCause::Cancelled && fact(span).verdict != CheckVerdict::Passed);
}

} // namespace chokepoint::attempts
