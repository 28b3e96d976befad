// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/dictionary.h"

#include "core/base/int128.h"

#include <algorithm>
#include <cstring>

namespace chokepoint {

namespace {

constexpr std::size_t firstBlock = 1U << 12; // small, because short-lived pools are common
constexpr std::size_t largestBlock = 1U << 18;

template <typename Word> std::uint64_t load(const char* bytes)
{
    Word word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

std::uint64_t foldedProduct(std::uint64_t a, std::uint64_t b)
{
    const auto product = UInt128(a) * b;
    return std::uint64_t(product) ^ std::uint64_t(product >> 64);
}

/// Half the steps of hash64(), which workspaces depend on; this one never leaves memory. Interning is a sixth of an import.
std::uint64_t hashOf(std::string_view text)
{
    constexpr std::uint64_t first = 0x9e3779b97f4a7c15ULL;
    constexpr std::uint64_t second = 0xd1b54a32d192ed03ULL;
    std::uint64_t hash = text.size() * first;
    const char* at = text.data();
    const char* end = at + text.size();
    for (; end - at > 16; at += 16)
        hash = foldedProduct(load<std::uint64_t>(at) ^ first, load<std::uint64_t>(at + 8) ^ hash);
    // The last 16 bytes or fewer, as two words that may overlap.
    const auto left = std::size_t(end - at);
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    if (left >= 8) {
        a = load<std::uint64_t>(at);
        b = load<std::uint64_t>(end - 8);
    } else if (left >= 4) {
        a = load<std::uint32_t>(at);
        b = load<std::uint32_t>(end - 4);
    } else if (left > 0) {
        a = load<std::uint8_t>(at) << 16 | load<std::uint8_t>(at + left / 2) << 8 | load<std::uint8_t>(end - 1);
    }
    return mix64(foldedProduct(a ^ second, b ^ hash ^ first));
}

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
    const std::uint64_t hash = hashOf(text);
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
    const std::uint32_t found = m_slots[slotOf(text, hashOf(text))];
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
