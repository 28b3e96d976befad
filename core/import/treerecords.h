// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Records of formats that are read as trees, one after another: lines, lists, and lists inside one giant document, which is never
// held as a whole.
#pragma once

#include "core/import/jsonrecords.h"
#include "core/import/jsontree.h"
#include "core/import/textinput.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace chokepoint {

/// What a format says about its records.
struct TreeFormat {
    /// Members that hold records one by one, such as "data" or "data.spans"; a record in them may hold such a list itself.
    std::span<const std::string_view> lists;
    /// An object without such a list. False when the sink failed.
    std::function<bool(JsonNode record)> record;
    /// The object around a list, after the records in it; of a large one only the other members are there. May be empty.
    std::function<bool(JsonNode around)> around;
    /// A list that was read whole, before what is in it. May be empty.
    std::function<void(JsonNode list)> list;
    /// What the sink failed with.
    std::function<std::optional<Error>()> failure;
};

class TreeRecords {
public:
    /// All must outlive it.
    TreeRecords(PullBytes text, SpanSink& sink, const TreeFormat& format) : m_sink(sink), m_format(format), m_records(std::move(text), sink)
    {
    }

    /// Reads to the end; fails as JsonRecords::read().
    [[nodiscard]] Result<void> read();
    /// Of the record being read.
    [[nodiscard]] const RecordPlace& place() const { return m_records.place(); }

private:
    /// What the walk met in an object.
    struct Opened {
        bool hasList = false;
        bool isDamaged = false; // a member is malformed and was left out
    };
    [[nodiscard]] bool isList(std::string_view path) const;
    [[nodiscard]] bool holdsList(std::string_view path) const;
    [[nodiscard]] bool readText(std::string_view text);
    [[nodiscard]] bool readNode(JsonNode node, unsigned depth);
    [[nodiscard]] bool readObject(JsonNode object, unsigned depth);
    [[nodiscard]] bool readRecord(JsonNode record);
    [[nodiscard]] bool readLists(JsonNode object, const std::string& path, unsigned depth, bool& hasList);
    [[nodiscard]] bool openRecord(unsigned depth);
    [[nodiscard]] bool openMembers(const std::string& path, unsigned depth, std::string& rest, Opened& opened);
    [[nodiscard]] bool isWellFormed(const std::string& text);
    [[nodiscard]] bool openElement(unsigned depth);
    [[nodiscard]] bool readRest(const std::string& rest, bool hasList);

    SpanSink& m_sink;
    const TreeFormat& m_format;
    JsonRecords m_records;
    JsonTree m_tree;
};

/// Reads \a bytes to the end through a Spans(SpanSink&, const RecordPlace&), which has bool read(JsonNode record) and
/// std::optional<Error> failure(), and where it wants them bool around(JsonNode), void list(JsonNode) and Result<void> finish(),
/// the last call.
template <typename Spans> Result<void> readTrees(ByteSource& bytes, SpanSink& sink, std::span<const std::string_view> lists)
{
    TreeFormat format;
    format.lists = lists;
    TreeRecords records(textInput(bytes), sink, format);
    Spans spans(sink, records.place());
    format.record = [&spans](JsonNode record) { return spans.read(record); };
    if constexpr (requires(JsonNode node) { spans.around(node); })
        format.around = [&spans](JsonNode around) { return spans.around(around); };
    if constexpr (requires(JsonNode node) { spans.list(node); })
        format.list = [&spans](JsonNode list) { spans.list(list); };
    format.failure = [&spans] { return spans.failure(); };
    if (auto read = records.read(); !read)
        return read;
    if constexpr (requires { spans.finish(); })
        return spans.finish();
    return {};
}

} // namespace chokepoint
