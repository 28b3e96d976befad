// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/dictionary.h"

#include "core/model/packed.h"

namespace chokepoint {

namespace {

/// First non-empty text among \a keys; of an array its first element.
std::string_view firstText(const AttributeList& attributes, std::initializer_list<std::string_view> keys)
{
    for (const std::string_view key : keys) {
        const AttributeValue* value = findAttribute(attributes, key);
        if (value == nullptr)
            continue;
        if (const auto* array = std::get_if<AttributeValue::Array>(&value->value); array != nullptr && !array->empty())
            value = &array->front();
        if (const auto* text = std::get_if<std::string>(&value->value); text != nullptr && !text->empty())
            return *text;
    }
    return {};
}

std::uint64_t contentHash(const Resource& resource)
{
    StringPool pool;
    PackedWriter writer(pool);
    std::string packed;
    writer.setOutput(&packed);
    SpanPayload payload;
    payload.attributes = resource.attributes;
    payload.droppedAttributes = resource.droppedAttributes;
    payload.traceState = resource.schemaUrl;
    encodePayload(payload, unknownTime, writer, packed);
    return payloadHash(packed, pool);
}

std::uint64_t contentHash(const Scope& scope)
{
    return hash64(scope.name, hash64(scope.version, contentHash(Resource{scope.attributes, scope.droppedAttributes, scope.schemaUrl, {}})));
}

} // namespace

Dictionary::Dictionary()
{
    internResource({});
    internScope({});
}

ResourceId Dictionary::internResource(const Resource& resource)
{
    const std::uint64_t hash = contentHash(resource);
    const auto [first, last] = m_resourceByHash.equal_range(hash);
    for (auto known = first; known != last; ++known)
        if (m_resources[toIndex(known->second)] == resource)
            return known->second;
    const auto id = ResourceId(m_resources.size());
    m_resources.push_back(resource);
    m_services.push_back(strings.intern(firstText(resource.attributes, {"service.name"})));
    m_hosts.push_back(strings.intern(firstText(resource.attributes, {"host.id", "host.ip", "host.name", "hostname", "ip", "net.host.ip"})));
    m_resourceByHash.emplace(hash, id);
    return id;
}

ScopeId Dictionary::internScope(const Scope& scope)
{
    const std::uint64_t hash = contentHash(scope);
    const auto [first, last] = m_scopeByHash.equal_range(hash);
    for (auto known = first; known != last; ++known)
        if (m_scopes[toIndex(known->second)] == scope)
            return known->second;
    const auto id = ScopeId(m_scopes.size());
    m_scopes.push_back(scope);
    m_scopeByHash.emplace(hash, id);
    return id;
}

} // namespace chokepoint
