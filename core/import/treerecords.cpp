// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/treerecords.h"

#include "core/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace chokepoint {

namespace {

constexpr unsigned deepest = 8; // lists of records inside records

std::string joined(const std::string& path, std::string_view name)
{
    return path.empty() ? std::string(name) : path + "." + std::string(name);
}

/// \a key as it is escaped, \a value as JSON.
void appendMember(std::string& object, std::string_view key, std::string_view value)
{
    if (object.size() > 1)
        object += ',';
    object.append("\"").append(key).append("\":").append(value);
}

} // namespace

Result<void> TreeRecords::read()
{
    return m_records.read([this](std::string_view text) { return readText(text); }, [this] { return openRecord(0); });
}

bool TreeRecords::isList(std::string_view path) const
{
    return std::find(m_format.lists.begin(), m_format.lists.end(), path) != m_format.lists.end();
}

bool TreeRecords::holdsList(std::string_view path) const
{
    return std::any_of(m_format.lists.begin(), m_format.lists.end(), [path](std::string_view list) {
        return list.size() > path.size() && list.substr(0, path.size()) == path && list[path.size()] == '.';
    });
}

// ---- records that were taken whole ----

bool TreeRecords::readText(std::string_view text)
{
    const bool isGood = m_tree.read(text, m_sink.diagnostics()) && readNode(m_tree.root(), 0);
    if (auto failure = m_format.failure())
        m_records.setFailure(std::move(*failure));
    return isGood;
}

bool TreeRecords::readNode(JsonNode node, unsigned depth)
{
    if (depth > deepest)
        return false;
    if (node.isObject())
        return readObject(node, depth);
    if (!node.isArray()) {
        if (node)
            m_sink.diagnostics().reject(DiagnosticCode::BadRecord,
                [&] { return fmt::format("{}: a value stands where a span is expected; it was left out", place().text()); });
        return true;
    }
    if (m_format.list)
        m_format.list(node);
    for (const JsonNode element : node)
        if (!readNode(element, depth + 1))
            return false;
    return true;
}

bool TreeRecords::readObject(JsonNode object, unsigned depth)
{
    bool hasList = false;
    if (!readLists(object, {}, depth, hasList))
        return false;
    if (!hasList)
        return readRecord(object);
    return !m_format.around || m_format.around(object);
}

/// Of members with the same name the last one counts.
bool TreeRecords::readRecord(JsonNode record)
{
    constexpr std::size_t membersAtMost = 64; // of which each is compared with all
    std::array<std::string_view, membersAtMost> names;
    std::size_t count = 0;
    for (const JsonNode member : record) {
        if (count == membersAtMost)
            break;
        if (std::find(names.begin(), names.begin() + std::ptrdiff_t(count), member.key()) != names.begin() + std::ptrdiff_t(count))
            m_sink.diagnostics().report(DiagnosticCode::DuplicateKey, [&] {
                return fmt::format(
                    "{}: \"{}\" occurs more than once in a record; the last one counts", place().text(), elided(member.key(), 60));
            });
        names[count++] = member.key();
    }
    return m_format.record(record);
}

bool TreeRecords::readLists(JsonNode object, const std::string& path, unsigned depth, bool& hasList)
{
    if (depth > deepest)
        return false;
    for (const JsonNode member : object) {
        const std::string name = joined(path, member.key());
        if (member.isArray() && isList(name)) {
            hasList = true;
            if (!readNode(member, depth + 1))
                return false;
        } else if (member.isObject() && holdsList(name)) {
            if (!readLists(member, name, depth + 1, hasList))
                return false;
        }
    }
    return true;
}

// ---- records that are walked into ----

bool TreeRecords::openElement(unsigned depth)
{
    return m_records.element([this](std::string_view text) { return readText(text); }, [this, depth] { return openRecord(depth); });
}

bool TreeRecords::openRecord(unsigned depth)
{
    if (depth > deepest)
        return false;
    if (m_records.peek() == '[')
        return m_records.list([this, depth] { return openElement(depth + 1); });
    const RecordPlace record = place();
    std::string rest = "{";
    Opened opened;
    const bool isWhole = openMembers({}, depth, rest, opened);
    // What was complete before a cut or a fault counts, but a record that lost a part of itself is none.
    if (!opened.hasList && (!isWhole || opened.isDamaged))
        return false;
    if (opened.isDamaged)
        m_sink.diagnostics().reject(DiagnosticCode::BadRecord,
            [&] { return fmt::format("{}: a member beside the spans is malformed; it was left out", record.text()); });
    return readRest(rest + "}", opened.hasList) && isWhole;
}

bool TreeRecords::openMembers(const std::string& path, unsigned depth, std::string& rest, Opened& opened)
{
    return m_records.object([&](const std::string& key) {
        const std::string name = joined(path, key);
        if (isList(name) && m_records.peek() == '[') {
            opened.hasList = true;
            return m_records.list([this, depth] { return openElement(depth + 1); });
        }
        if (holdsList(name) && m_records.peek() == '{' && depth < deepest) {
            std::string inner = "{";
            const bool isGood = openMembers(name, depth + 1, inner, opened);
            appendMember(rest, key, inner + "}");
            return isGood;
        }
        std::string text;
        const bool isGood = m_records.takeText(text);
        if (!text.empty() && !isWellFormed(text)) {
            opened.isDamaged = true;
            text.clear();
        }
        if (isGood)
            appendMember(rest, key, text.empty() ? "null" : text);
        return isGood;
    });
}

/// So that one member does not cost the others, among which is the id of the trace.
bool TreeRecords::isWellFormed(const std::string& text)
{
    Diagnostics unheard; // what they hold is counted when all are read
    return m_tree.read("[" + text + "]", unheard);
}

/// Spans that wait for what stands around them are not left to the next record, even when that cannot be read.
bool TreeRecords::readRest(const std::string& rest, bool hasList)
{
    JsonTree tree;
    const bool isRead = tree.read(rest, m_sink.diagnostics());
    if (!isRead && !hasList)
        return false;
    const bool isGood = hasList ? !m_format.around || m_format.around(tree.root()) : readRecord(tree.root());
    if (auto failure = m_format.failure())
        m_records.setFailure(std::move(*failure));
    return isGood && isRead;
}

} // namespace chokepoint
