// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The insides of a Store, shared by the files that implement it: one connection, one lock, the dictionary.
#pragma once

#include "core/store/chunks.h"
#include "core/store/dictionarytable.h"
#include "core/store/partfile.h"
#include "core/store/sqlite.h"
#include "core/store/store.h"

#include <mutex>
#include <optional>

namespace chokepoint {

struct Store::Impl {
    enum class Kind : std::uint8_t { Opened, Unpublished, Temporary };

    Impl() = default;
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl();

    sqlite::Connection db;
    std::string path; // as the user knows it; "" for a temporary store
    PartFile part; // where an unpublished file is written
    Kind kind = Kind::Opened;
    std::shared_ptr<Dictionary> dictionary = std::make_shared<Dictionary>();
    DictionarySizes saved; // dictionary entries that are in the file
    bool writing = false; // a SpanWriter lives; its transaction is open
    std::optional<ChunkReader> chunks;
    sqlite::Statement selectSummary;
    mutable std::mutex mutex; // guards everything above; held for one batch, one segment, one trace at a time

    /// What stored blocks may refer to. While an import runs on another thread, its reader alone may look at the dictionary.
    [[nodiscard]] DictionarySizes readableSizes() const { return writing ? saved : sizesOf(*dictionary); }
    /// Opens `chunks` and `selectSummary` on first use. The caller holds the lock.
    [[nodiscard]] Result<void> prepareReading();
};

} // namespace chokepoint
