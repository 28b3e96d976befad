// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/dictionary.h"

#include <algorithm>
#include <cstring>

namespace chokepoint {

namespace {

constexpr std::size_t firstBlock = 1U << 12; // small, because short-lived pools are common
constexpr std::size_t largestBlock = 1U << 18;

} // namespace

StringPool::StringPool()
{
    m_slots.assign(64, 0);
    intern({});
}

std::size_t StringPool::slotOf(std::string_view text, std::uint64_t hash) const
{
    const std::size_t mask = m_slots.size() - 1;
    std::size_t slot = hash & mask;
    while (m_slots[slot] != 0) {
        const std::uint32_t id = m_slots[slot] - 1;
        if (m_hashes[id] == hash && m_texts[id] == text)
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

StringId StringPool::intern(std::string_view text)
{
    const std::uint64_t hash = hash64(text);
    std::size_t slot = slotOf(text, hash);
    if (m_slots[slot] != 0)
        return StringId(m_slots[slot] - 1);
    if (m_texts.size() * 2 >= m_slots.size()) {
        grow();
        slot = slotOf(text, hash);
    }
    m_texts.push_back(copied(text));
    m_hashes.push_back(hash);
    m_bytes += text.size();
    m_slots[slot] = std::uint32_t(m_texts.size());
    return StringId(m_texts.size() - 1);
}

std::optional<StringId> StringPool::find(std::string_view text) const
{
    const std::uint32_t found = m_slots[slotOf(text, hash64(text))];
    return found == 0 ? std::nullopt : std::optional(StringId(found - 1));
}

void StringPool::grow()
{
    m_slots.assign(m_slots.size() * 2, 0);
    const std::size_t mask = m_slots.size() - 1;
    for (std::size_t id = 0; id < m_hashes.size(); ++id) {
        std::size_t slot = m_hashes[id] & mask;
        while (m_slots[slot] != 0)
            slot = (slot + 1) & mask;
        m_slots[slot] = std::uint32_t(id + 1);
    }
}

std::string_view StringPool::copied(std::string_view text)
{
    if (text.empty())
        return {};
    if (m_blocks.empty() || text.size() > m_blockSize - m_blockUsed) {
        m_blockSize = std::max(std::clamp(m_blockSize * 2, firstBlock, largestBlock), text.size());
        m_blocks.push_back(std::make_unique_for_overwrite<char[]>(m_blockSize));
        m_blockUsed = 0;
    }
    char* target = m_blocks.back().get() + m_blockUsed;
    std::memcpy(target, text.data(), text.size());
    m_blockUsed += text.size();
    return {target, text.size()};
}

} // namespace chokepoint
