// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/dictionarytable.h"

#include "core/base/utf8.h"
#include "core/model/packed.h"

#include <fmt/format.h>

namespace chokepoint {

namespace {

tl::unexpected<Error> damaged(const sqlite::Connection& connection, const char* table, std::int64_t id)
{
    return fail(ErrorCode::WorkspaceDamaged,
        fmt::format("Entry {} of table {} is damaged; import the trace files again or take a backup copy", id, table),
        {.file = connection.path(), .line = {}, .byte = {}});
}

std::string packed(const Resource& resource, PackedWriter& writer)
{
    std::string out;
    writer.setOutput(&out);
    writer.value({resource.attributes});
    appendVarint(out, resource.droppedAttributes);
    writer.text(resource.schemaUrl);
    writer.value(resource.entityRefs);
    return out;
}

std::string packed(const Scope& scope, PackedWriter& writer)
{
    std::string out;
    writer.setOutput(&out);
    writer.text(scope.name);
    writer.text(scope.version);
    writer.value({scope.attributes});
    appendVarint(out, scope.droppedAttributes);
    writer.text(scope.schemaUrl);
    return out;
}

AttributeList readAttributes(PackedCursor& cursor, const StringPool& strings)
{
    AttributeValue value = decodeValue(cursor, strings);
    if (auto* attributes = std::get_if<AttributeList>(&value.value))
        return std::move(*attributes);
    cursor.fail();
    return {};
}

std::string readText(PackedCursor& cursor, const StringPool& strings)
{
    return std::string(readValue(cursor, strings).text);
}

Resource unpackedResource(PackedCursor& cursor, const StringPool& strings)
{
    Resource resource;
    resource.attributes = readAttributes(cursor, strings);
    resource.droppedAttributes = std::uint32_t(cursor.varint());
    resource.schemaUrl = readText(cursor, strings);
    resource.entityRefs = decodeValue(cursor, strings);
    return resource;
}

Scope unpackedScope(PackedCursor& cursor, const StringPool& strings)
{
    Scope scope;
    scope.name = readText(cursor, strings);
    scope.version = readText(cursor, strings);
    scope.attributes = readAttributes(cursor, strings);
    scope.droppedAttributes = std::uint32_t(cursor.varint());
    scope.schemaUrl = readText(cursor, strings);
    return scope;
}

/// Calls accept(id, bytes) for the rows of \a table from id \a first on; ids must follow each other. accept returns false
/// for damage.
template <typename Accept>
Result<void> readTable(const sqlite::Connection& connection, const char* table, const char* column, std::size_t first, Accept&& accept)
{
    auto select = connection.prepare(fmt::format("SELECT id, {} FROM {} WHERE id >= ?1 ORDER BY id", column, table));
    if (!select)
        return fail(select.error());
    select->bind(0, std::int64_t(first));
    for (std::int64_t expected = std::int64_t(first);; ++expected) {
        const Result<bool> row = select->step();
        if (!row)
            return fail(row.error());
        if (!*row)
            return {};
        if (select->integer(0) != expected || !accept(std::size_t(expected), select->bytes(1)))
            return damaged(connection, table, expected);
    }
}

} // namespace

DictionarySizes sizesOf(const Dictionary& dictionary)
{
    return {dictionary.strings.size(), dictionary.resourceCount(), dictionary.scopeCount()};
}

Result<void> loadDictionary(const sqlite::Connection& connection, Dictionary& dictionary)
{
    const auto acceptText = [&](std::size_t id, std::string_view text) {
        return isValidUtf8(text) && toIndex(dictionary.strings.intern(text)) == id;
    };
    const auto acceptResource = [&](std::size_t id, std::string_view bytes) {
        PackedCursor cursor(bytes);
        const Resource resource = unpackedResource(cursor, dictionary.strings);
        return cursor.ok() && toIndex(dictionary.internResource(resource)) == id;
    };
    const auto acceptScope = [&](std::size_t id, std::string_view bytes) {
        PackedCursor cursor(bytes);
        const Scope scope = unpackedScope(cursor, dictionary.strings);
        return cursor.ok() && toIndex(dictionary.internScope(scope)) == id;
    };
    if (auto read = readTable(connection, "dict_text", "text", dictionary.strings.size(), acceptText); !read)
        return read;
    if (auto read = readTable(connection, "dict_resource", "packed", dictionary.resourceCount(), acceptResource); !read)
        return read;
    return readTable(connection, "dict_scope", "packed", dictionary.scopeCount(), acceptScope);
}

Result<void> saveDictionary(const sqlite::Connection& connection, Dictionary& dictionary, DictionarySizes& saved)
{
    auto insertResource = connection.prepare("INSERT INTO dict_resource(id, service, packed) VALUES(?1, ?2, ?3)");
    auto insertScope = connection.prepare("INSERT INTO dict_scope(id, packed) VALUES(?1, ?2)");
    auto insertText = connection.prepare("INSERT INTO dict_text(id, text) VALUES(?1, ?2)");
    for (const auto* statement : {&insertResource, &insertScope, &insertText})
        if (!*statement)
            return fail(statement->error());

    PackedWriter writer(dictionary.strings);
    for (std::size_t id = saved.resources; id < dictionary.resourceCount(); ++id) {
        const std::string bytes = packed(dictionary.resource(ResourceId(id)), writer);
        const auto service = std::int64_t(toIndex(dictionary.service(ResourceId(id))));
        if (auto done = insertResource->bind(0, std::int64_t(id)).bind(1, service).bindBlob(2, bytes).run(); !done)
            return done;
    }
    for (std::size_t id = saved.scopes; id < dictionary.scopeCount(); ++id) {
        const std::string bytes = packed(dictionary.scope(ScopeId(id)), writer);
        if (auto done = insertScope->bind(0, std::int64_t(id)).bindBlob(1, bytes).run(); !done)
            return done;
    }
    for (std::size_t id = saved.strings; id < dictionary.strings.size(); ++id)
        if (auto done = insertText->bind(0, std::int64_t(id)).bindText(1, dictionary.text(StringId(id))).run(); !done)
            return done;
    saved = sizesOf(dictionary);
    return {};
}

} // namespace chokepoint
