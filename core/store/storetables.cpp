// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The small tables of a workspace: deployments, imported files with their faults, settings.
#include "core/store/inputtable.h"
#include "core/store/store.h"
#include "core/store/storeimpl.h"

namespace chokepoint {

Result<std::vector<Deployment>> Store::deployments() const
{
    const std::scoped_lock lock(m_impl->mutex);
    auto select = m_impl->db.prepare("SELECT d.id, d.label, count(t.id), coalesce(sum(t.spans), 0) FROM deployment d "
                                     "LEFT JOIN trace_summary t ON t.deployment = d.id GROUP BY d.id ORDER BY d.id");
    if (!select)
        return fail(select.error());
    std::vector<Deployment> deployments;
    while (true) {
        const Result<bool> row = select->step();
        if (!row)
            return fail(row.error());
        if (!*row)
            return deployments;
        deployments.push_back(
            {select->integer(0), std::string(select->bytes(1)), std::uint64_t(select->integer(2)), std::uint64_t(select->integer(3))});
    }
}

Result<std::vector<StoredInput>> Store::inputs() const
{
    const std::scoped_lock lock(m_impl->mutex);
    return readInputs(m_impl->db);
}

Result<std::optional<std::string>> Store::setting(const std::string& key) const
{
    const std::scoped_lock lock(m_impl->mutex);
    auto select = m_impl->db.prepare("SELECT value FROM setting WHERE key = ?1");
    if (!select)
        return fail(select.error());
    const Result<bool> row = select->bindText(0, key).step();
    if (!row)
        return fail(row.error());
    return *row ? std::optional<std::string>(select->bytes(0)) : std::nullopt;
}

Result<void> Store::setSetting(const std::string& key, const std::string& value)
{
    const std::scoped_lock lock(m_impl->mutex);
    if (m_impl->writing)
        return fail(ErrorCode::WorkspaceBusy, "An import into the workspace is still running; try again when it is done",
            {.file = m_impl->path, .line = {}, .byte = {}});
    auto replace =
        m_impl->db.prepare("INSERT INTO setting(key, value) VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET value = excluded.value");
    if (!replace)
        return fail(replace.error());
    return replace->bindText(0, key).bindText(1, value).run();
}

} // namespace chokepoint
