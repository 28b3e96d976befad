// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/zipkinjsonrecord.h"

namespace chokepoint {

namespace {

constexpr unsigned deepestWrapper = 6;

enum class Shape { None, Wrapper, Span };

/// Told from the first member that only one shape has.
Shape shapeOf(json::object object, bool& isWellFormed)
{
    Shape shape = Shape::None;
    isWellFormed = forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        if (key == "traceId" || key == "id")
            shape = Shape::Span;
        else if (isZipkinWrapper(key))
            shape = Shape::Wrapper;
        return shape == Shape::None;
    });
    isWellFormed |= shape != Shape::None;
    return shape;
}

} // namespace

bool isZipkinWrapper(std::string_view key)
{
    return key == "data" || key == "_source" || key == "hits";
}

ZipkinJsonRecord::ZipkinJsonRecord(SpanSink& sink, const RecordPlace& place)
    : m_sink(sink), m_place(place), m_reader(sink.dictionary(), sink.writer(), sink.diagnostics(), place),
      m_emit([this](SpanDraft& draft) { return add(draft); })
{
}

bool ZipkinJsonRecord::add(SpanDraft& draft)
{
    if (auto added = m_sink.add(draft); !added) {
        m_failure = added.error();
        return false;
    }
    return true;
}

bool ZipkinJsonRecord::read(std::string_view text)
{
    json::value root;
    if (!m_document.open(text, m_sink.diagnostics()) || m_document.root().get_value().get(root) != simdjson::SUCCESS || !readValue(root, 0))
        return false;
    return m_document.root().current_location().error() == simdjson::OUT_OF_BOUNDS;
}

bool ZipkinJsonRecord::readValue(json::value value, unsigned depth)
{
    return forEachObject(
        value, depth, deepestWrapper, [this](json::object object, unsigned level) { return readObject(object, level); },
        [this](const JsonToken& token) { return passMisplaced(token, m_sink.diagnostics(), m_place); });
}

bool ZipkinJsonRecord::readObject(json::object object, unsigned depth)
{
    bool isWellFormed = false;
    bool hasMembers = false;
    const Shape shape = shapeOf(object, isWellFormed);
    if (!isWellFormed)
        return false;
    if (shape == Shape::None)
        return passMisplaced({JsonKind::Object, "an object"}, m_sink.diagnostics(), m_place);
    if (object.reset().get(hasMembers) != simdjson::SUCCESS)
        return false;
    if (shape == Shape::Span)
        return m_reader.read(object, m_emit);
    return forEachMember(object, [&](json::field& field) {
        if (isZipkinWrapper(rawKey(field)))
            return readValue(field.value(), depth + 1);
        return tokenOf(field.value()).kind != JsonKind::Invalid;
    });
}

} // namespace chokepoint
