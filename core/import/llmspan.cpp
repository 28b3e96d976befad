// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/llmspan.h"

#include "core/import/decodeid.h"
#include "core/import/decodenumber.h"

#include <algorithm>
#include <array>
#include <utility>

namespace chokepoint {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kinds = {{
    {"llm", "LLM"},
    {"chat_model", "LLM"},
    {"generation", "LLM"},
    {"response", "LLM"},
    {"chain", "CHAIN"},
    {"parser", "CHAIN"},
    {"tool", "TOOL"},
    {"function", "TOOL"},
    {"mcp_tools", "TOOL"},
    {"handoff", "TOOL"},
    {"retriever", "RETRIEVER"},
    {"embedding", "EMBEDDING"},
    {"agent", "AGENT"},
    {"reranker", "RERANKER"},
    {"guardrail", "GUARDRAIL"},
    {"evaluator", "EVALUATOR"},
    {"prompt", "PROMPT"},
}};

bool isUpper(char c)
{
    return c >= 'A' && c <= 'Z';
}

char lower(char c)
{
    return isUpper(c) ? char(c + 32) : c;
}

SpanId exactSpanId(std::string_view text, std::string& kept)
{
    kept.clear();
    if (text.empty())
        return {};
    if (text.size() == 16)
        if (const auto id = spanIdFromHex(text))
            return *id;
    kept = text.size() == 36 && traceIdFromHex(text.substr(0, 8)) ? lowerCase(text) : std::string(text); // a UUID of any case is one
    return opaqueSpanId(kept);
}

} // namespace

void LlmSpan::begin()
{
    m_span.begin();
    m_span.row().flags.setKind(SpanKind::Internal);
}

bool LlmSpan::hasAttribute(std::string_view key)
{
    const StringId wanted = m_span.sink().dictionary().strings.intern(key);
    PackedCursor cursor(m_span.draft().attributes);
    while (!cursor.atEnd()) {
        const std::uint64_t id = cursor.varint();
        if (id == std::uint64_t(wanted) + 1)
            return true;
        cursor.skipValue();
    }
    return false;
}

void LlmSpan::setTraceId(std::string_view text)
{
    SpanDraft& draft = m_span.draft();
    draft.traceId = {};
    draft.traceIdText.clear();
    if (text.empty())
        return;
    if (text.size() == 32) {
        if (const auto id = traceIdFromHex(text)) {
            draft.traceId = *id;
            return;
        }
    }
    const bool isUuid = text.size() == 36 && text[8] == '-' && !decodeTraceId(text).isOpaque;
    draft.traceIdText = isUuid ? lowerCase(text) : std::string(text);
    draft.traceId = isUuid ? decodeTraceId(text).id : opaqueTraceId(text);
}

void LlmSpan::setSpanId(std::string_view text)
{
    m_span.row().spanId = exactSpanId(text, m_span.draft().spanIdText);
}

void LlmSpan::setParentId(std::string_view text)
{
    m_span.row().parentId = exactSpanId(text, m_span.draft().parentIdText);
}

void LlmSpan::setKind(std::string_view name)
{
    const std::string wanted = lowerCase(name);
    const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.first == wanted; });
    m_span.attribute("openinference.span.kind", known == kinds.end() ? std::string_view("UNKNOWN") : known->second);
}

void LlmSpan::value(std::string_view name, std::string_view original, JsonNode node)
{
    if (!node || (node.isText() && node.text().empty()))
        return;
    const std::string text = node.isText() ? node.text() : jsonText(node);
    const bool isJson = m_embedded.read(node).entry() != nullptr;
    const bool isTwice = isJson && node.isText() && m_embedded.source() != text;
    const std::string prefix(name);
    m_span.attribute(prefix + ".value", isTwice ? m_embedded.source() : text);
    m_span.attribute(prefix + ".mime_type", isJson || !node.isText() ? "application/json" : "text/plain");
    if (isTwice)
        m_span.attribute(original, text);
}

void LlmSpan::json(std::string_view key, JsonNode node)
{
    if (!isEmptyValue(node))
        m_span.attribute(key, node.isText() ? node.text() : jsonText(node));
}

bool LlmSpan::count(std::string_view key, JsonNode number)
{
    if (!number)
        return false;
    const std::string text = number.text();
    const auto whole = scaledInteger(text, 0);
    if (whole && whole->isExact && !whole->isOutOfRange)
        m_span.attribute(key, whole->value);
    else
        m_span.attribute(key, number);
    return true;
}

bool LlmSpan::scalar(std::string_view key, JsonNode node)
{
    if (isEmptyValue(node))
        return false;
    m_span.attribute(key, node);
    return true;
}

void LlmSpan::exception(std::string_view type, std::string_view message, Timestamp time)
{
    m_span.beginEvent("exception", time);
    if (!type.empty())
        m_span.attribute("exception.type", type);
    m_span.attribute("exception.message", message);
    m_span.endNested();
}

void LlmSpan::setFirstToken(Timestamp time)
{
    SpanRow& row = m_span.row();
    if (!isKnown(time))
        return;
    row.flags.set(SpanFlags::Streaming);
    if (isKnown(row.start) && time > row.start && (!isKnown(row.end) || time < row.end))
        row.firstToken = time;
}

bool isNamed(std::string_view key, std::string_view snake)
{
    std::size_t k = 0;
    for (std::size_t s = 0; s < snake.size(); ++s, ++k) {
        if (k >= key.size())
            return false;
        if (key[k] == snake[s])
            continue;
        const bool isHump = snake[s] == '_' && s + 1 < snake.size() && isUpper(key[k]) && lower(key[k]) == snake[s + 1];
        if (!isHump)
            return false;
        ++s;
    }
    return k == key.size();
}

JsonNode member(JsonNode object, std::string_view snake)
{
    JsonNode found;
    if (!object.isObject())
        return found;
    for (const JsonNode child : object)
        if (child && isNamed(child.key(), snake))
            found = child;
    return found;
}

std::string snakeCase(std::string_view key)
{
    std::string snake;
    for (const char c : key) {
        if (isUpper(c) && !snake.empty() && snake.back() != '_')
            snake += '_';
        snake += lower(c);
    }
    return snake;
}

std::string lowerCase(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), lower);
    return result;
}

bool isEmptyValue(JsonNode node)
{
    if (!node)
        return true;
    return node.token().isScalar() ? node.isText() && node.text().empty() : !node.hasChildren();
}

} // namespace chokepoint
