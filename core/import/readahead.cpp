// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/readahead.h"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

namespace chokepoint {

namespace {

constexpr std::size_t blockSize = std::size_t(256) << 10; // two of them stay in a core's own cache
constexpr std::size_t blocksAhead = 8;

} // namespace

Result<std::size_t> ReadAhead::pull(char* to, std::size_t size)
{
    if (m_pulled < m_readAtOnce || !start()) {
        const auto got = m_below.read(to, size);
        m_pulled += got.value_or(0);
        m_counted(m_tally);
        return got;
    }
    while (m_taken == m_block.size && !m_block.isLast)
        nextBlock();
    if (m_taken == m_block.size)
        return m_block.failure ? Result<std::size_t>(fail(*m_block.failure)) : 0;
    const std::size_t count = std::min(size, m_block.size - m_taken);
    std::memcpy(to, m_block.bytes.data() + m_taken, count);
    m_taken += count;
    return count;
}

/// False when the system has no thread to give.
bool ReadAhead::start()
{
    if (m_thread.joinable())
        return true;
    m_empty.resize(blocksAhead);
    try {
        m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
    } catch (const std::system_error&) {
        m_readAtOnce = never;
    }
    return m_thread.joinable();
}

/// Trades the block that has been handed on for the next one.
void ReadAhead::nextBlock()
{
    {
        std::unique_lock lock(m_mutex);
        if (!m_block.bytes.empty())
            m_empty.push_back(std::move(m_block));
        m_changed.notify_all();
        m_changed.wait(lock, [this] { return !m_full.empty(); });
        m_block = std::move(m_full.front());
        m_full.pop_front();
    }
    m_taken = 0;
    m_counted(m_block.tally);
}

void ReadAhead::run(const std::stop_token& stop)
{
    bool isLast = false;
    while (!isLast) {
        Block block;
        if (!takeEmpty(block, stop))
            return;
        fill(block, stop);
        isLast = block.isLast;
        giveFull(std::move(block));
    }
}

/// Waits for a block that has been handed on; false when nobody wants another.
bool ReadAhead::takeEmpty(Block& block, const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    if (!m_changed.wait(lock, stop, [this] { return !m_empty.empty(); }))
        return false;
    block = std::move(m_empty.back());
    m_empty.pop_back();
    return !stop.stop_requested();
}

/// Nobody takes a block that a stop cuts short.
void ReadAhead::fill(Block& block, const std::stop_token& stop)
{
    block.bytes.resize(blockSize);
    block.size = 0;
    while (block.size < blockSize && !block.isLast && !stop.stop_requested()) {
        const auto got = m_below.read(block.bytes.data() + block.size, blockSize - block.size);
        if (!got)
            block.failure = got.error();
        block.isLast = got.value_or(0) == 0;
        block.size += got.value_or(0);
    }
    block.tally = std::exchange(m_tally, ReadTally{m_tally.onDisk, m_tally.hash, {}});
}

void ReadAhead::giveFull(Block&& block)
{
    const std::lock_guard lock(m_mutex);
    m_full.push_back(std::move(block));
    m_changed.notify_all();
}

} // namespace chokepoint
