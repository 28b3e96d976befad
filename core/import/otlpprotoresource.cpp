// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/otlpprotoresource.h"

#include "core/import/protowirefields.h"

#include <array>
#include <utility>

namespace chokepoint {

namespace {

using protozero::pbf_reader;
using namespace wire;

constexpr std::size_t maxCached = 4096; // messages of each kind; beyond that the cache starts anew

template <typename Id> void remember(std::unordered_map<std::string, Id>& cache, const std::string& key, Id id)
{
    if (cache.size() >= maxCached)
        cache.clear();
    cache.emplace(key, id);
}

} // namespace

const std::string& OtlpProtoResources::cacheKey(std::string_view bytes, std::string_view schemaUrl)
{
    m_key.assign(schemaUrl);
    m_key.push_back('\0');
    m_key.append(bytes);
    return m_key;
}

ResourceId OtlpProtoResources::resource(std::string_view bytes, std::string_view schemaUrl)
{
    const std::string& key = cacheKey(bytes, schemaUrl);
    if (const auto found = m_resources.find(key); found != m_resources.end())
        return found->second;
    Resource resource = decodedResource(bytes);
    m_values.setText(resource.schemaUrl, schemaUrl);
    const ResourceId id = m_values.dictionary().internResource(resource);
    remember(m_resources, key, id);
    return id;
}

ScopeId OtlpProtoResources::scope(std::string_view bytes, std::string_view schemaUrl)
{
    const std::string& key = cacheKey(bytes, schemaUrl);
    if (const auto found = m_scopes.find(key); found != m_scopes.end())
        return found->second;
    Scope scope = decodedScope(bytes);
    m_values.setText(scope.schemaUrl, schemaUrl);
    const ScopeId id = m_values.dictionary().internScope(scope);
    remember(m_scopes, key, id);
    return id;
}

Resource OtlpProtoResources::decodedResource(std::string_view bytes)
{
    Resource resource;
    std::string packed;
    AttributeValue::Array entities;
    try {
        pbf_reader fields(bytes.data(), bytes.size());
        while (fields.next()) {
            switch (fields.tag_and_type()) {
            case message(1): m_values.addAttribute(viewOf(fields), packed); break;
            case varint(2): resource.droppedAttributes = fields.get_uint32(); break;
            case message(3): entities.push_back(decodedEntityRef(viewOf(fields))); break;
            default: m_values.skipOther(fields, "Resource", 3);
            }
        }
    } catch (const protozero::exception&) {
        m_values.reportDamage("the resource");
    }
    resource.attributes = m_values.unpacked(packed);
    if (!entities.empty())
        resource.entityRefs.value = std::move(entities);
    return resource;
}

Scope OtlpProtoResources::decodedScope(std::string_view bytes)
{
    Scope scope;
    std::string packed;
    try {
        pbf_reader fields(bytes.data(), bytes.size());
        while (fields.next()) {
            switch (fields.tag_and_type()) {
            case message(1): m_values.setText(scope.name, viewOf(fields)); break;
            case message(2): m_values.setText(scope.version, viewOf(fields)); break;
            case message(3): m_values.addAttribute(viewOf(fields), packed); break;
            case varint(4): scope.droppedAttributes = fields.get_uint32(); break;
            default: m_values.skipOther(fields, "InstrumentationScope", 4);
            }
        }
    } catch (const protozero::exception&) {
        m_values.reportDamage("the scope");
    }
    scope.attributes = m_values.unpacked(packed);
    return scope;
}

/// A map with OTLP's JSON names; fields that are empty are left out.
AttributeValue OtlpProtoResources::decodedEntityRef(std::string_view bytes)
{
    constexpr std::array<const char*, 5> names{"", "schemaUrl", "type", "idKeys", "descriptionKeys"};
    std::array<std::string, 3> texts;
    std::array<AttributeValue::Array, 5> lists;
    pbf_reader fields(bytes.data(), bytes.size());
    while (fields.next()) {
        const std::uint32_t number = fields.tag(); // good until the content is read
        std::string text;
        switch (fields.tag_and_type()) {
        case message(1):
        case message(2): m_values.setText(texts[number], viewOf(fields)); break;
        case message(3):
        case message(4):
            m_values.setText(text, viewOf(fields));
            lists[number].push_back({std::move(text)});
            break;
        default: m_values.skipOther(fields, "EntityRef", 4);
        }
    }
    AttributeList map;
    for (std::size_t i = 1; i < texts.size(); ++i) {
        if (!texts[i].empty())
            map.push_back({names[i], {std::move(texts[i])}});
    }
    for (std::size_t i = texts.size(); i < lists.size(); ++i) {
        if (!lists[i].empty())
            map.push_back({names[i], {std::move(lists[i])}});
    }
    return {std::move(map)};
}

} // namespace chokepoint
