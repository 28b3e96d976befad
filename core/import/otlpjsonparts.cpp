// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/otlpjsonparts.h"

namespace chokepoint {

namespace {

constexpr std::size_t knownAtMost = 16384; // then the cache starts anew; ids stay, the dictionary knows them

/// The one under \a text and \a schemaUrl, or what \a make returns, kept for the next time.
template <typename Map, typename Make> auto cached(Map& known, std::string_view text, std::string_view schemaUrl, Make&& make)
{
    const std::uint64_t hash = hash64(text, hash64(schemaUrl));
    if (const auto found = known.find(hash); found != known.end() && found->second.text == text && found->second.schemaUrl == schemaUrl)
        return found->second.id;
    const auto id = make();
    if (known.size() >= knownAtMost)
        known.clear();
    known.insert_or_assign(hash, typename Map::mapped_type{std::string(text), std::string(schemaUrl), id});
    return id;
}

} // namespace

OtlpJsonParts::OtlpJsonParts(Dictionary& dictionary, Diagnostics& diagnostics, const RecordPlace& place)
    : m_dictionary(dictionary), m_diagnostics(diagnostics), m_place(place), m_writer(dictionary.strings),
      m_values(m_writer, diagnostics, place)
{
}

void OtlpJsonParts::reportUnreadable(const char* what)
{
    m_diagnostics.report(DiagnosticCode::BadAttributes,
        [&] { return fmt::format("{}: the {} cannot be read; its spans were kept without", m_place.text(), what); });
}

ResourceId OtlpJsonParts::resource(std::string_view text, std::string_view schemaUrl)
{
    return cached(m_resources, text, schemaUrl, [&] {
        Resource resource;
        resource.schemaUrl = schemaUrl;
        if (!text.empty() && !(m_document.openCopy(text, m_diagnostics) && readResource(resource)))
            reportUnreadable("resource");
        return m_dictionary.internResource(resource);
    });
}

ScopeId OtlpJsonParts::scope(std::string_view text, std::string_view schemaUrl)
{
    return cached(m_scopes, text, schemaUrl, [&] {
        Scope scope;
        scope.schemaUrl = schemaUrl;
        if (!text.empty() && !(m_document.openCopy(text, m_diagnostics) && readScope(scope)))
            reportUnreadable("scope");
        return m_dictionary.internScope(scope);
    });
}

AttributeValue OtlpJsonParts::decodedMap()
{
    PackedCursor cursor(m_packed);
    return decodeValue(cursor, m_dictionary.strings);
}

bool OtlpJsonParts::readAttributes(json::value value, AttributeList& attributes)
{
    m_packed.clear();
    m_writer.setOutput(&m_packed);
    m_writer.beginMap();
    if (!m_values.attributes(value))
        return false;
    m_writer.endMap();
    AttributeValue decoded = decodedMap();
    if (auto* list = std::get_if<AttributeList>(&decoded.value))
        attributes = std::move(*list);
    return true;
}

bool OtlpJsonParts::readResource(Resource& resource)
{
    json::object object;
    if (m_document.root().get_object().get(object) != simdjson::SUCCESS)
        return false;
    return forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        json::value& value = field.value();
        const JsonToken token = tokenOf(value);
        if (key == "attributes")
            return readAttributes(value, resource.attributes);
        if (key == "droppedAttributesCount" || key == "dropped_attributes_count")
            resource.droppedAttributes = tokenUint32(token).value_or(0);
        if ((key != "entityRefs" && key != "entity_refs") || token.kind != JsonKind::Array)
            return true;
        m_packed.clear();
        m_writer.setOutput(&m_packed);
        if (!m_values.plainValue(value))
            return false;
        resource.entityRefs = decodedMap();
        return true;
    });
}

bool OtlpJsonParts::readScope(Scope& scope)
{
    json::object object;
    if (m_document.root().get_object().get(object) != simdjson::SUCCESS)
        return false;
    return forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        json::value& value = field.value();
        const JsonToken token = tokenOf(value);
        if (key == "attributes")
            return readAttributes(value, scope.attributes);
        if (key == "name")
            scope.name = tokenText(token, m_scratch);
        else if (key == "version")
            scope.version = tokenText(token, m_scratch);
        else if (key == "droppedAttributesCount" || key == "dropped_attributes_count")
            scope.droppedAttributes = tokenUint32(token).value_or(0);
        return true;
    });
}

} // namespace chokepoint
