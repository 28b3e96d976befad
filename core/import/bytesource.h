// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Decompressed bytes of one input, pulled in blocks: file, standard input or memory; containers are opened on the way.
#pragma once

#include "core/base/diagnostics.h"
#include "core/base/result.h"
#include "core/import/filepart.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace chokepoint {

/// How far an input has been read.
struct ByteCount {
    std::uint64_t onDisk = 0; // bytes of the file up to where it was read
    std::uint64_t total = 0; // the file's size; 0 when unknown (a pipe)
    std::uint64_t decompressed = 0; // bytes handed out
};

/// What a compressed input may unfold to. A small file that passes both is a bomb, not a trace.
struct ByteLimits {
    std::uint64_t ratio = 500; // decompressed / on disk, beyond the first 64 MiB; ids alone keep traces below 100
    std::uint64_t total = std::uint64_t(1) << 40; // decompressed bytes
    unsigned nesting = 3; // containers inside containers
};

/// Not thread-safe, not copyable. A container that is damaged after its first bytes ends there: what came before is
/// handed out, and damage() says what happened.
class ByteSource {
public:
    /// Fails with CannotOpen (no such file, no permission, a directory), CannotRead or LimitExceeded (nesting).
    [[nodiscard]] static Result<std::unique_ptr<ByteSource>> openFile(
        const std::string& path, ByteLimits limits = {}, const FilePart& part = {});
    [[nodiscard]] static Result<std::unique_ptr<ByteSource>> openStandardInput(ByteLimits limits = {});
    /// \a bytes must outlive the source. \a blockSize is what one pull hands on at most; 0 for the usual one.
    [[nodiscard]] static Result<std::unique_ptr<ByteSource>> openMemory(
        std::string_view bytes, std::size_t blockSize = 0, ByteLimits limits = {});

    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    ~ByteSource();

    /// Up to \a size bytes to \a to; 0 at the end only, fewer than asked for at any time. Fails with CannotRead or
    /// LimitExceeded.
    [[nodiscard]] Result<std::size_t> read(char* to, std::size_t size);
    /// Appends up to \a size bytes, and exactly that many unless the stream ends; returns how many.
    [[nodiscard]] Result<std::size_t> append(std::string& to, std::size_t size);
    /// The next \a size bytes (fewer only at the end) without moving past them. Good until the next call.
    [[nodiscard]] Result<std::string_view> peek(std::size_t size);

    /// In a zip or tar archive: drops what is left of the current file and moves to the next one, also in archives inside the
    /// archive; false after the last, and for everything that is no archive. A file that cannot be read or is nested too deep
    /// fails when it is read, not here.
    [[nodiscard]] Result<bool> nextMember();
    /// The current file of an archive, "inner.zip/name" in an archive inside it; empty when there is no archive.
    [[nodiscard]] std::string memberName() const;

    [[nodiscard]] const ByteCount& count() const;
    /// Where in the file the first byte stands: FilePart::from.
    [[nodiscard]] RecordPlace start() const;
    /// Of the file's first count().onDisk bytes; 0 unless FilePart::keepsHash.
    [[nodiscard]] std::uint64_t contentHash() const;
    /// "none", "gzip", "zstd", "xz", "bzip2", "lz4", "zip", "tar"; several joined by "+", the outermost first.
    [[nodiscard]] const std::string& compression() const;
    /// Why the stream ended early (CannotRead), once it has.
    [[nodiscard]] const std::optional<Error>& damage() const;
    /// Faults of the containers: TRAILING_DATA, and TRUNCATED_INPUT (rejected) for damage().
    [[nodiscard]] const Diagnostics& diagnostics() const;

private:
    struct State;
    explicit ByteSource(std::unique_ptr<State> state);
    static Result<std::unique_ptr<ByteSource>> unfolded(std::unique_ptr<State> state);

    std::unique_ptr<State> m_state;
};

} // namespace chokepoint
