// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/shortids.h"

#include <unordered_map>

namespace chokepoint {

namespace {

constexpr const char* zipkinFormat = "zipkin-json";

std::uint64_t bigEndian(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (const char c : bytes)
        value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

Result<bool> isFromZipkin(const sqlite::Connection& db, std::int64_t deployment, const std::string& format)
{
    if (format == zipkinFormat)
        return true;
    auto select = db.prepare("SELECT 1 FROM input WHERE deployment = ?1 AND format = ?2 LIMIT 1");
    if (!select)
        return fail(select.error());
    return select->bind(0, deployment).bindText(1, zipkinFormat).step();
}

/// Calls \a visit(key, id) for each trace that \a sql finds for the deployment.
template <typename Visit> Result<void> forEachTrace(const sqlite::Connection& db, const char* sql, std::int64_t deployment, Visit&& visit)
{
    auto select = db.prepare(sql);
    if (!select)
        return fail(select.error());
    select->bind(0, deployment);
    while (true) {
        const Result<bool> row = select->step();
        if (!row)
            return fail(row.error());
        if (!*row)
            return {};
        const std::string_view id = select->bytes(1);
        visit(select->integer(0), TraceId{bigEndian(id.substr(0, 8)), bigEndian(id.substr(8))});
    }
}

} // namespace

Result<std::vector<ShortIdPair>> findShortIds(const sqlite::Connection& db, std::int64_t deployment, const std::string& format)
{
    const Result<bool> isAsked = isFromZipkin(db, deployment, format);
    if (!isAsked)
        return fail(isAsked.error());
    std::vector<ShortIdPair> pairs;
    if (!*isAsked)
        return pairs;
    // Blobs compare byte by byte: below this one the first eight are zero.
    std::unordered_map<std::uint64_t, std::int64_t> shortKeys; // by what is left of the id
    auto done = forEachTrace(db, "SELECT id, trace_id FROM trace_summary WHERE deployment = ?1 AND trace_id < X'0000000000000001'",
        deployment, [&](std::int64_t key, TraceId id) { shortKeys.emplace(id.lo, key); });
    if (!done)
        return fail(std::move(done).error());
    if (shortKeys.empty())
        return pairs;
    std::unordered_map<std::uint64_t, std::size_t> uses; // of a short id
    done = forEachTrace(db, "SELECT id, trace_id FROM trace_summary WHERE deployment = ?1 AND trace_id >= X'0000000000000001' ORDER BY id",
        deployment, [&](std::int64_t key, TraceId id) {
            const auto cut = shortKeys.find(id.lo);
            if (cut == shortKeys.end())
                return;
            ++uses[id.lo];
            pairs.push_back({cut->second, key, id});
        });
    if (!done)
        return fail(std::move(done).error());
    std::erase_if(pairs, [&](const ShortIdPair& pair) { return uses[pair.longId.lo] > 1; });
    return pairs;
}

} // namespace chokepoint
