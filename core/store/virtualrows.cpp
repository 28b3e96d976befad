// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/virtualrows.h"

#include "core/store/sqliteapi.h"
#include "core/store/sqlvalues.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace chokepoint {

namespace {

// ---- planning -----------------------------------------------------------------------------------------------------

constexpr double scanCost = 1e7;

/// The usable equality constraint on \a column, or -1. Text is only looked up where it is compared byte by byte.
int equalityOn(sqlite3_index_info& query, int column)
{
    for (int i = 0; i < query.nConstraint; ++i) {
        const auto& constraint = query.aConstraint[i];
        const bool binary = std::strcmp(sqlite3_vtab_collation(&query, i), "BINARY") == 0;
        if (constraint.usable != 0 && constraint.op == SQLITE_INDEX_CONSTRAINT_EQ && constraint.iColumn == column && binary)
            return i;
    }
    return -1;
}

bool isOrderedByStorage(const sqlite3_index_info& query)
{
    if (query.nOrderBy != 1 || query.aOrderBy[0].desc != 0)
        return false;
    const int column = query.aOrderBy[0].iColumn;
    return column == SpanKeyColumn || column == TraceKeyColumn;
}

} // namespace

void planSpanTable(sqlite3_index_info& query, int attributeKeyColumn)
{
    struct Choice {
        int column;
        int plan;
        double cost;
    };
    constexpr std::array choices{
        Choice{SpanKeyColumn, BySpanKey, 10}, Choice{TraceKeyColumn, ByTraceKey, 100}, Choice{TraceIdColumn, ByTraceId, 150}};
    int arguments = 0;
    const auto use = [&](int constraint, int plan) {
        query.aConstraintUsage[constraint].argvIndex = ++arguments;
        query.idxNum |= plan;
    };
    query.idxNum = 0;
    query.estimatedCost = scanCost;
    query.estimatedRows = 1'000'000;
    for (const Choice& choice : choices) {
        const int constraint = equalityOn(query, choice.column);
        if (constraint < 0)
            continue;
        use(constraint, choice.plan);
        query.estimatedCost = choice.cost;
        query.estimatedRows = sqlite3_int64(choice.cost / 5);
        break;
    }
    if (attributeKeyColumn >= 0) {
        if (const int constraint = equalityOn(query, attributeKeyColumn); constraint >= 0) {
            use(constraint, ByAttributeKey);
            query.estimatedCost /= 2;
            query.estimatedRows = query.estimatedRows / 10 + 1;
        }
    }
    query.orderByConsumed = isOrderedByStorage(query) && (query.idxNum & ByTraceId) == 0 ? 1 : 0;
}

// ---- details ------------------------------------------------------------------------------------------------------

void SpanDetail::emit(sqlite3_context* out, SpanScan& scan, std::size_t, int column) const
{
    const SpanRow row = scan.row();
    const Dictionary& dictionary = scan.dictionary();
    switch (column) {
    case 0: return emitTextOrNull(out, scan.parentIdName());
    case 1: return emitText(out, dictionary.text(row.name));
    case 2: return emitTextOrNull(out, dictionary.text(dictionary.service(row.resource)));
    case 3: return emitText(out, spanKindName(row.flags.kind()));
    case 4: return emitText(out, spanStatusName(row.flags.status()));
    case 5: return emitTextOrNull(out, scan.has(PayloadSection::StatusMessage) ? scan.payload().statusMessage : "");
    case 6: return emitTime(out, row.start);
    case 7: return emitTime(out, row.end);
    case 8: return emitDuration(out, spanDuration(row.start, row.end, row.flags));
    case 9: return emitTime(out, row.firstToken);
    case 10: return emitText(out, scan.deployment());
    case 11: return sqlite3_result_int64(out, sqlite3_int64(toIndex(row.resource)));
    case 12: return emitTextOrNull(out, dictionary.scope(row.scope).name);
    case 13: return emitTextOrNull(out, dictionary.scope(row.scope).version);
    default: return emitTextOrNull(out, scan.has(PayloadSection::TraceState) ? scan.payload().traceState : "");
    }
}

std::size_t AttributeDetail::open(SpanScan& scan, std::optional<StringId> onlyKey)
{
    m_items.clear();
    std::size_t position = 0;
    PackedCursor cursor = payloadAttributes(scan.packedPayload());
    forEachAttribute(cursor, scan.dictionary().strings, [&](StringId key, const PackedValue& value) {
        // A damaged key must not be looked up.
        if (toIndex(key) < scan.dictionary().strings.size() && (!onlyKey || *onlyKey == key))
            m_items.push_back({key, value, position});
        ++position;
        return true;
    });
    return m_items.size();
}

void AttributeDetail::emit(sqlite3_context* out, SpanScan& scan, std::size_t item, int column) const
{
    const Item& attribute = m_items[item];
    switch (column) {
    case 0: return emitText(out, scan.dictionary().text(attribute.key));
    case 1: return emitText(out, valueTypeName(attribute.value));
    case 2: return emitValue(out, attribute.value, scan.dictionary().strings);
    default: return sqlite3_result_int64(out, sqlite3_int64(attribute.position));
    }
}

std::size_t EventDetail::open(SpanScan& scan, std::optional<StringId>)
{
    return scan.has(PayloadSection::Events) ? scan.payload().events.size() : 0;
}

void EventDetail::emit(sqlite3_context* out, SpanScan& scan, std::size_t item, int column) const
{
    const SpanEvent& event = scan.payload().events[item];
    switch (column) {
    case 0: return sqlite3_result_int64(out, sqlite3_int64(item));
    case 1: return emitTime(out, event.time);
    case 2: return emitText(out, event.name);
    case 3: return emitJson(out, event.attributes);
    default: return sqlite3_result_int64(out, event.droppedAttributes);
    }
}

std::size_t LinkDetail::open(SpanScan& scan, std::optional<StringId>)
{
    return scan.has(PayloadSection::Links) ? scan.payload().links.size() : 0;
}

void LinkDetail::emit(sqlite3_context* out, SpanScan& scan, std::size_t item, int column) const
{
    const SpanLink& link = scan.payload().links[item];
    switch (column) {
    case 0: return sqlite3_result_int64(out, sqlite3_int64(item));
    case 1: return emitText(out, link.traceIdText.empty() ? toHex(link.traceId) : link.traceIdText);
    case 2: return emitText(out, link.spanIdText.empty() ? toHex(link.spanId) : link.spanIdText);
    case 3: return emitTextOrNull(out, link.traceState);
    case 4: return emitJson(out, link.attributes);
    default: return sqlite3_result_int64(out, link.droppedAttributes);
    }
}

// ---- rows ---------------------------------------------------------------------------------------------------------

template <typename Detail> std::string SpanTableRows<Detail>::declaration()
{
    return fmt::format("CREATE TABLE x(span_key INTEGER, trace_key INTEGER, trace_id TEXT, span_id TEXT, {})", Detail::columns);
}

template <typename Detail> Result<void> SpanTableRows<Detail>::begin(int plan, std::span<sqlite3_value*> arguments)
{
    m_onlyKey.reset();
    m_row = 0;
    const std::string_view noText;
    const auto textOf = [&](sqlite3_value* value) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
        return text == nullptr ? noText : std::string_view(text, std::size_t(sqlite3_value_bytes(value)));
    };
    const bool looksUpSpans = (plan & (BySpanKey | ByTraceKey | ByTraceId)) != 0;
    bool impossible = false; // a text that the dictionary does not have
    if ((plan & ByAttributeKey) != 0) {
        // Other types than text are left to SQLite's own comparison, which follows.
        sqlite3_value* key = arguments[looksUpSpans ? 1 : 0];
        if (sqlite3_value_type(key) == SQLITE_TEXT) {
            m_onlyKey = m_scan.dictionary().strings.find(textOf(key));
            impossible = !m_onlyKey;
        }
    }
    const bool wholeNumber = looksUpSpans && sqlite3_value_numeric_type(arguments[0]) == SQLITE_INTEGER;
    const bool text = looksUpSpans && sqlite3_value_type(arguments[0]) == SQLITE_TEXT;
    Result<void> started;
    if (impossible)
        started = m_scan.ofTrace(-1);
    else if ((plan & BySpanKey) != 0 && wholeNumber)
        started = m_scan.one(sqlite3_value_int64(arguments[0]));
    else if ((plan & ByTraceKey) != 0 && wholeNumber)
        started = m_scan.ofTrace(sqlite3_value_int64(arguments[0]));
    else if ((plan & ByTraceId) != 0 && text)
        started = m_scan.ofTraceId(textOf(arguments[0]));
    else
        started = m_scan.all();
    return started ? settleOnItem() : started;
}

/// Opens the current span's items; moves on until there is one.
template <typename Detail> Result<void> SpanTableRows<Detail>::settleOnItem()
{
    while (!m_scan.atEnd()) {
        m_item = 0;
        m_items = m_detail.open(m_scan, m_onlyKey);
        if (m_items > 0)
            return {};
        if (auto moved = m_scan.next(); !moved)
            return moved;
    }
    return {};
}

template <typename Detail> Result<void> SpanTableRows<Detail>::next()
{
    ++m_row;
    if (++m_item < m_items)
        return {};
    if (auto moved = m_scan.next(); !moved)
        return moved;
    return settleOnItem();
}

template <typename Detail> void SpanTableRows<Detail>::emit(sqlite3_context* out, int column)
{
    switch (column) {
    case SpanKeyColumn: return sqlite3_result_int64(out, m_scan.spanKey());
    case TraceKeyColumn: return sqlite3_result_int64(out, m_scan.traceKey());
    case TraceIdColumn: return emitText(out, m_scan.traceIdName());
    case SpanIdColumn: return emitText(out, m_scan.spanIdName());
    default: return m_detail.emit(out, m_scan, m_item, column - FirstOwnColumn);
    }
}

template <typename Detail> std::int64_t SpanTableRows<Detail>::rowId() const
{
    return std::is_same_v<Detail, SpanDetail> ? m_scan.spanKey() : m_row;
}

template class SpanTableRows<SpanDetail>;
template class SpanTableRows<AttributeDetail>;
template class SpanTableRows<EventDetail>;
template class SpanTableRows<LinkDetail>;

std::string ResourceRows::declaration()
{
    return "CREATE TABLE x(resource_id INTEGER, service TEXT, key TEXT, type TEXT, value, position INTEGER)";
}

void ResourceRows::plan(sqlite3_index_info& query)
{
    query.estimatedCost = 1000;
    query.estimatedRows = 1000;
}

Result<void> ResourceRows::begin(int, std::span<sqlite3_value*>)
{
    m_resource = 0;
    m_attribute = 0;
    m_row = 0;
    auto refreshed = m_reader.refresh();
    skipEmpty();
    return refreshed;
}

Result<void> ResourceRows::next()
{
    ++m_row;
    ++m_attribute;
    skipEmpty();
    return {};
}

void ResourceRows::skipEmpty()
{
    while (!atEnd() && m_attribute >= m_reader.dictionary().resource(ResourceId(m_resource)).attributes.size()) {
        ++m_resource;
        m_attribute = 0;
    }
}

void ResourceRows::emit(sqlite3_context* out, int column) const
{
    const Dictionary& dictionary = m_reader.dictionary();
    const auto id = ResourceId(m_resource);
    const Attribute& attribute = dictionary.resource(id).attributes[m_attribute];
    switch (column) {
    case 0: return sqlite3_result_int64(out, sqlite3_int64(m_resource));
    case 1: return emitTextOrNull(out, dictionary.text(dictionary.service(id)));
    case 2: return emitText(out, attribute.key);
    case 3: return emitText(out, valueTypeName(attribute.value));
    case 4: return emitValue(out, attribute.value);
    default: return sqlite3_result_int64(out, sqlite3_int64(m_attribute));
    }
}

} // namespace chokepoint
