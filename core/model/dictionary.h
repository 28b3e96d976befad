// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The texts, resources and scopes that spans share, each stored once and named by a 4-byte id.
#pragma once

#include "core/base/ids.h"
#include "core/model/attribute.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace chokepoint {

/// Interned UTF-8 texts. Views stay valid as long as the pool lives. Not thread-safe while it grows.
class StringPool {
public:
    StringPool();
    StringPool(const StringPool&) = delete;
    StringPool& operator=(const StringPool&) = delete;

    /// The id of \a text; StringId{0} is always the empty text. Ids count up without gaps.
    StringId intern(std::string_view text);
    [[nodiscard]] std::optional<StringId> find(std::string_view text) const;
    [[nodiscard]] std::string_view text(StringId id) const { return m_texts[toIndex(id)]; }
    [[nodiscard]] std::size_t size() const { return m_texts.size(); }
    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

private:
    std::size_t slotOf(std::string_view text, std::uint64_t hash) const;
    void grow();
    std::string_view copied(std::string_view text);

    std::vector<std::string_view> m_texts; // by id
    std::vector<std::uint64_t> m_hashes; // by id
    std::vector<std::uint32_t> m_slots; // open addressing; id + 1, 0 is free
    std::vector<std::unique_ptr<char[]>> m_blocks;
    std::size_t m_blockUsed = 0;
    std::size_t m_blockSize = 0;
    std::size_t m_bytes = 0;
};

/// An OpenTelemetry resource: who emitted a span. `entityRefs` is empty or an array of maps as in OTLP.
struct Resource {
    AttributeList attributes;
    std::uint32_t droppedAttributes = 0;
    std::string schemaUrl;
    AttributeValue entityRefs;

    friend bool operator==(const Resource&, const Resource&) = default;
};

/// An OpenTelemetry instrumentation scope.
struct Scope {
    std::string name;
    std::string version;
    AttributeList attributes;
    std::uint32_t droppedAttributes = 0;
    std::string schemaUrl;

    friend bool operator==(const Scope&, const Scope&) = default;
};

/// All that the spans of one workspace share. One owner writes (the import), afterwards it is shared as const.
class Dictionary {
public:
    Dictionary();

    StringPool strings;

    ResourceId internResource(const Resource& resource);
    ScopeId internScope(const Scope& scope);
    [[nodiscard]] const Resource& resource(ResourceId id) const { return m_resources[toIndex(id)]; }
    [[nodiscard]] const Scope& scope(ScopeId id) const { return m_scopes[toIndex(id)]; }
    [[nodiscard]] std::size_t resourceCount() const { return m_resources.size(); }
    [[nodiscard]] std::size_t scopeCount() const { return m_scopes.size(); }

    /// `service.name` of a resource, or "" when it has none.
    [[nodiscard]] StringId service(ResourceId id) const { return m_services[toIndex(id)]; }
    /// host.id, else host.ip (first), else host.name, else hostname, else ip; "" when unknown (algorithms: skew).
    [[nodiscard]] StringId host(ResourceId id) const { return m_hosts[toIndex(id)]; }
    [[nodiscard]] std::string_view text(StringId id) const { return strings.text(id); }

private:
    std::deque<Resource> m_resources;
    std::deque<Scope> m_scopes;
    std::vector<StringId> m_services;
    std::vector<StringId> m_hosts;
    std::unordered_multimap<std::uint64_t, ResourceId> m_resourceByHash;
    std::unordered_multimap<std::uint64_t, ScopeId> m_scopeByHash;
};

} // namespace chokepoint
