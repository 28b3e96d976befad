// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows and columns of the virtual tables; virtualtables.cpp connects them with SQLite.
#pragma once

#include "core/store/spanscan.h"

#include <optional>
#include <span>

struct sqlite3_context;
struct sqlite3_index_info;
struct sqlite3_value;

namespace chokepoint {

/// Columns that all tables over spans begin with.
enum SpanTableColumn : int { SpanKeyColumn, TraceKeyColumn, TraceIdColumn, SpanIdColumn, FirstOwnColumn };

/// What of a query can be looked up instead of scanned, in SQLite's idxNum; bits of these, arguments in their order.
enum SpanPlan : int { BySpanKey = 1, ByTraceKey = 2, ByTraceId = 4, ByAttributeKey = 8 };

/// Chooses a SpanPlan. \a attributeKeyColumn: the column of attribute keys, or -1.
void planSpanTable(sqlite3_index_info& query, int attributeKeyColumn);

struct SpanDetail {
    static constexpr const char* name = "span";
    static constexpr const char* columns =
        "parent_span_id TEXT, name TEXT, service TEXT, kind TEXT, status TEXT, status_message TEXT, "
        "start_ns INTEGER, end_ns INTEGER, duration_ns INTEGER, first_token_ns INTEGER, deployment TEXT, "
        "resource_id INTEGER, scope_name TEXT, scope_version TEXT, trace_state TEXT";
    static constexpr int keyColumn = -1;
    std::size_t open(SpanScan&, std::optional<StringId>) { return 1; }
    void emit(sqlite3_context* out, SpanScan& scan, std::size_t item, int column) const;
};

class AttributeDetail {
public:
    static constexpr const char* name = "attribute";
    static constexpr const char* columns = "key TEXT, type TEXT, value, position INTEGER";
    static constexpr int keyColumn = FirstOwnColumn;
    std::size_t open(SpanScan& scan, std::optional<StringId> onlyKey);
    void emit(sqlite3_context* out, SpanScan& scan, std::size_t item, int column) const;

private:
    struct Item {
        StringId key;
        PackedValue value;
        std::size_t position;
    };
    std::vector<Item> m_items;
};

struct EventDetail {
    static constexpr const char* name = "event";
    static constexpr const char* columns = "position INTEGER, time_ns INTEGER, name TEXT, attributes TEXT, dropped_attributes INTEGER";
    static constexpr int keyColumn = -1;
    std::size_t open(SpanScan& scan, std::optional<StringId>);
    void emit(sqlite3_context* out, SpanScan& scan, std::size_t item, int column) const;
};

struct LinkDetail {
    static constexpr const char* name = "link";
    static constexpr const char* columns =
        "position INTEGER, linked_trace_id TEXT, linked_span_id TEXT, trace_state TEXT, attributes TEXT, "
        "dropped_attributes INTEGER";
    static constexpr int keyColumn = -1;
    std::size_t open(SpanScan& scan, std::optional<StringId>);
    void emit(sqlite3_context* out, SpanScan& scan, std::size_t item, int column) const;
};

/// The rows of one table over spans: for each span of a scan the items that Detail finds in it.
template <typename Detail> class SpanTableRows {
public:
    static constexpr const char* name = Detail::name;
    static std::string declaration();
    static void plan(sqlite3_index_info& query) { planSpanTable(query, Detail::keyColumn); }

    explicit SpanTableRows(WorkspaceReader& reader) : m_scan(reader) { }
    [[nodiscard]] Result<void> begin(int plan, std::span<sqlite3_value*> arguments);
    [[nodiscard]] Result<void> next();
    [[nodiscard]] bool atEnd() const { return m_scan.atEnd(); }
    void emit(sqlite3_context* out, int column);
    [[nodiscard]] std::int64_t rowId() const;

private:
    [[nodiscard]] Result<void> settleOnItem();

    SpanScan m_scan;
    Detail m_detail;
    std::optional<StringId> m_onlyKey;
    std::size_t m_item = 0;
    std::size_t m_items = 0;
    std::int64_t m_row = 0;
};

extern template class SpanTableRows<SpanDetail>;
extern template class SpanTableRows<AttributeDetail>;
extern template class SpanTableRows<EventDetail>;
extern template class SpanTableRows<LinkDetail>;

/// One row an attribute of a resource.
class ResourceRows {
public:
    static constexpr const char* name = "resource";
    static std::string declaration();
    static void plan(sqlite3_index_info& query);

    explicit ResourceRows(WorkspaceReader& reader) : m_reader(reader) { }
    [[nodiscard]] Result<void> begin(int plan, std::span<sqlite3_value*> arguments);
    [[nodiscard]] Result<void> next();
    [[nodiscard]] bool atEnd() const { return m_resource >= m_reader.dictionary().resourceCount(); }
    void emit(sqlite3_context* out, int column) const;
    [[nodiscard]] std::int64_t rowId() const { return m_row; }

private:
    void skipEmpty();

    WorkspaceReader& m_reader;
    std::size_t m_resource = 0;
    std::size_t m_attribute = 0;
    std::int64_t m_row = 0;
};

} // namespace chokepoint
