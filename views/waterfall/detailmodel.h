// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes of a span, event, link, resource or scope as rows of key, value and type; groups hold the attributes of one owner.
#pragma once

#include "core/model/attribute.h"
#include "core/model/trace.h"

#include <QAbstractItemModel>
#include <QString>

#include <vector>

namespace chokepoint {

struct DetailRow {
    QString key;
    std::string value; // in full; shown shortened
    QString type; // "string", "int", ...; empty for a group
    std::vector<DetailRow> children; // one level only
};

/// Type name as OpenTelemetry says it: "string", "bool", "int", "double", "array", "kvlist", "bytes", "number", "empty".
[[nodiscard]] QString attributeTypeName(const AttributeValue& value);
[[nodiscard]] std::vector<DetailRow> attributeRows(const AttributeList& attributes);
/// Events with the time since \a spanStart; links by trace and span id.
[[nodiscard]] std::vector<DetailRow> eventRows(const SpanPayload& payload, Timestamp spanStart);
[[nodiscard]] std::vector<DetailRow> linkRows(const SpanPayload& payload);
[[nodiscard]] std::vector<DetailRow> originRows(const Resource& resource, const Scope& scope);

class DetailModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Key, Value, Type, ColumnCount };
    /// The whole value; DisplayRole has its first characters only.
    static constexpr int fullTextRole = Qt::UserRole;

    using QAbstractItemModel::QAbstractItemModel;

    void setRows(std::vector<DetailRow> rows);

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] const DetailRow& row(const QModelIndex& index) const;

    std::vector<DetailRow> m_rows;
};

} // namespace chokepoint
