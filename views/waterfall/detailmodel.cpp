// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the detail panel. internalId is 0 for top-level rows, else the parent's row + 1.
#include "views/waterfall/detailmodel.h"

#include "core/base/ids.h"
#include "core/base/utf8.h"
#include "views/format/text.h"

#include <QCoreApplication>

#include <array>

namespace chokepoint {

namespace {

constexpr std::size_t shownCharacters = 240;

QString text(const char* english)
{
    return QCoreApplication::translate("DetailModel", english);
}

DetailRow plainRow(const QString& key, std::string value)
{
    return {key, std::move(value), QString(), {}};
}

void addDropped(std::vector<DetailRow>& rows, std::uint32_t dropped)
{
    if (dropped > 0)
        rows.push_back(plainRow(text("dropped attributes"), std::to_string(dropped)));
}

DetailRow group(const QString& key, std::string value, const AttributeList& attributes, std::uint32_t dropped)
{
    DetailRow row = plainRow(key, std::move(value));
    row.children = attributeRows(attributes);
    addDropped(row.children, dropped);
    return row;
}

} // namespace

QString attributeTypeName(const AttributeValue& value)
{
    static constexpr std::array names{"empty", "bool", "int", "double", "string", "bytes", "number", "array", "kvlist"};
    return QString::fromLatin1(names[value.value.index()]);
}

std::vector<DetailRow> attributeRows(const AttributeList& attributes)
{
    std::vector<DetailRow> rows;
    rows.reserve(attributes.size());
    for (const Attribute& attribute : attributes)
        rows.push_back({toText(attribute.key), toText(attribute.value), attributeTypeName(attribute.value), {}});
    return rows;
}

std::vector<DetailRow> eventRows(const SpanPayload& payload, Timestamp spanStart)
{
    std::vector<DetailRow> rows;
    for (const SpanEvent& event : payload.events) {
        const bool known = isKnown(event.time) && isKnown(spanStart);
        const QString offset = known ? deltaText(saturatingDifference(event.time, spanStart)) : text("time unknown");
        rows.push_back(group(offset, event.name, event.attributes, event.droppedAttributes));
    }
    return rows;
}

std::vector<DetailRow> linkRows(const SpanPayload& payload)
{
    std::vector<DetailRow> rows;
    for (const SpanLink& link : payload.links) {
        const std::string traceId = link.traceIdText.empty() ? toHex(link.traceId) : link.traceIdText;
        const std::string spanId = link.spanIdText.empty() ? toHex(link.spanId) : link.spanIdText;
        DetailRow row = group(text("trace"), traceId, link.attributes, link.droppedAttributes);
        row.children.insert(row.children.begin(), plainRow(text("span"), spanId));
        if (!link.traceState.empty())
            row.children.push_back(plainRow(text("trace state"), link.traceState));
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<DetailRow> originRows(const Resource& resource, const Scope& scope)
{
    DetailRow from = group(text("resource"), {}, resource.attributes, resource.droppedAttributes);
    if (!resource.schemaUrl.empty())
        from.children.push_back(plainRow(text("schema"), resource.schemaUrl));
    DetailRow by = group(
        text("scope"), scope.version.empty() ? scope.name : scope.name + " " + scope.version, scope.attributes, scope.droppedAttributes);
    if (!scope.schemaUrl.empty())
        by.children.push_back(plainRow(text("schema"), scope.schemaUrl));
    return {std::move(from), std::move(by)};
}

void DetailModel::setRows(std::vector<DetailRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

const DetailRow& DetailModel::row(const QModelIndex& index) const
{
    if (index.internalId() == 0)
        return m_rows[std::size_t(index.row())];
    return m_rows[std::size_t(index.internalId() - 1)].children[std::size_t(index.row())];
}

QModelIndex DetailModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : quintptr(0));
}

QModelIndex DetailModel::parent(const QModelIndex& child) const
{
    return child.isValid() && child.internalId() != 0 ? createIndex(int(child.internalId() - 1), 0, quintptr(0)) : QModelIndex();
}

int DetailModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return int(m_rows.size());
    return parent.internalId() == 0 && parent.column() == 0 ? int(row(parent).children.size()) : 0;
}

int DetailModel::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

QVariant DetailModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const DetailRow& item = row(index);
    if (role == fullTextRole)
        return index.column() == Value ? toText(item.value) : index.column() == Key ? item.key : item.type;
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Key: return item.key;
    case Value: {
        QString shown = toText(elided(std::string_view(item.value).substr(0, 8 * shownCharacters), shownCharacters)).simplified();
        if (item.value.size() > 8 * shownCharacters)
            shown += QStringLiteral(" (%1)").arg(bytesText(item.value.size()));
        return shown;
    }
    default: return item.type;
    }
}

QVariant DetailModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Key: return tr("Key");
    case Value: return tr("Value");
    case Type: return tr("Type");
    default: return {};
    }
}

} // namespace chokepoint
