// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reading, hashing and decompressing on a thread of its own, a few blocks ahead of the parser.
#pragma once

#include "core/base/diagnostics.h"
#include "core/import/bytelayer.h"
#include "core/import/contenthash.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace chokepoint {

/// What the layers up to some byte have counted.
struct ReadTally {
    std::uint64_t onDisk = 0; // bytes of the file
    ContentHash hash; // of these bytes
    Diagnostics diagnostics; // since the tally before
};

/// Hands on the bytes, and the fault, of the layers below exactly as they come. The thread starts behind the first MiB: most files
/// end before. Where no thread is to be had, there is none. The destructor stops it, and waits for at most one read of \a below.
/// Used by one thread at a time.
class ReadAhead {
public:
    /// \a below, what is under it and \a tally, where that counts, must outlive the object and belong to its thread from now on.
    /// \a counted takes the tally of all bytes that pull() has handed on, on the thread that calls pull(). That thread reads the first
    /// \a readAtOnce bytes itself.
    ReadAhead(ByteLayer& below, ReadTally& tally, std::function<void(ReadTally&)> counted, std::uint64_t readAtOnce = worthAThread)
        : m_below(below), m_tally(tally), m_counted(std::move(counted)), m_readAtOnce(readAtOnce)
    {
    }

    static constexpr std::uint64_t worthAThread = std::uint64_t(1) << 20; // bytes
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    Result<std::size_t> pull(char* to, std::size_t size);

private:
    struct Block {
        std::vector<char> bytes;
        std::size_t size = 0;
        ReadTally tally;
        std::optional<Error> failure; // behind the bytes
        bool isLast = false;
    };

    [[nodiscard]] bool start();
    void run(const std::stop_token& stop);
    [[nodiscard]] bool takeEmpty(Block& block, const std::stop_token& stop);
    void fill(Block& block, const std::stop_token& stop);
    void giveFull(Block&& block);
    void nextBlock();

    ByteLayer& m_below;
    ReadTally& m_tally;
    std::function<void(ReadTally&)> m_counted;
    std::uint64_t m_readAtOnce;
    std::uint64_t m_pulled = 0; // before the thread started
    Block m_block; // being handed on
    std::size_t m_taken = 0; // of m_block

    std::mutex m_mutex; // the members below, but for the thread
    std::condition_variable_any m_changed;
    std::deque<Block> m_full;
    std::vector<Block> m_empty;
    std::jthread m_thread; // last: it is gone before what it uses
};

} // namespace chokepoint
