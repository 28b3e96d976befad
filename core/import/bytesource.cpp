// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/bytesource.h"

#include "core/import/archivestream.h"
#include "core/import/decompress.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <vector>

namespace chokepoint {

namespace {

constexpr std::size_t containerHead = 262; // the tar magic ends there
constexpr std::uint64_t freeOfRatio = std::uint64_t(64) << 20;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

int keepOpen(std::FILE*)
{
    return 0;
}

} // namespace

struct ByteSource::State {
    ByteLimits limits;
    ByteCount count;
    std::string compression = "none";
    std::optional<Error> damage;
    Diagnostics diagnostics;
    std::vector<std::unique_ptr<ByteLayer>> layers; // the file first; each pulls from the one before
    std::shared_ptr<ArchiveStream> archive;
    std::size_t archiveLayers = 0; // layers up to and including the archive's own
    std::size_t foldedContainers = 0;

    void push(PullBytes pull) { layers.push_back(std::make_unique<ByteLayer>(std::move(pull))); }
    [[nodiscard]] ByteLayer& top() { return *layers.back(); }
    void readFile(File file);
    Result<void> open(Container container);
    Result<void> unfold();
    void addCompression(const char* name) { compression = compression == "none" ? name : compression + '+' + name; }
    Result<std::size_t> endEarly(const Error& error);
};

void ByteSource::State::readFile(File file)
{
    // Large reads go straight to the caller's buffer; stdio's own buffer would only copy.
    std::setvbuf(file.get(), nullptr, _IONBF, 0);
    auto shared = std::shared_ptr<std::FILE>(file.release(), file.get_deleter());
    push([this, shared](char* to, std::size_t size) -> Result<std::size_t> {
        const std::size_t got = std::fread(to, 1, size, shared.get());
        if (got == 0 && std::ferror(shared.get()) != 0)
            return fail(ErrorCode::CannotRead, fmt::format("reading failed: {}", std::strerror(errno)));
        count.onDisk += got;
        return got;
    });
}

Result<void> ByteSource::State::open(Container container)
{
    addCompression(containerName(container));
    ByteLayer& below = top();
    switch (container) {
    case Container::None: break;
    case Container::Gzip: push(gunzip(below, diagnostics)); break;
    case Container::Zstd: push(unzstd(below, diagnostics)); break;
    case Container::Bzip2:
    case Container::Xz:
    case Container::Lz4:
        push([stream = std::make_shared<ArchiveStream>(below, ArchiveStream::Kind::Filter)](
                 char* to, std::size_t size) { return stream->pull(to, size); });
        break;
    case Container::Zip:
    case Container::Tar: {
        archive = std::make_shared<ArchiveStream>(below, ArchiveStream::Kind::Members);
        const auto first = archive->nextMember();
        if (!first)
            return fail(first.error());
        archiveLayers = layers.size() + 1;
        push([stream = archive, isEmpty = !*first](
                 char* to, std::size_t size) { return isEmpty ? Result<std::size_t>(0) : stream->pull(to, size); });
        break;
    }
    }
    return {};
}

/// Opens containers until the bytes on top are none. An archive inside an archive is left as it is.
Result<void> ByteSource::State::unfold()
{
    for (unsigned depth = 0;; ++depth) {
        const auto head = top().peek(containerHead);
        if (!head)
            return fail(head.error());
        const Container container = containerOf(*head);
        if (container == Container::None)
            return {};
        if (depth == limits.nesting)
            return fail(
                ErrorCode::LimitExceeded, fmt::format("containers are nested more than {} deep; unpack the file first", limits.nesting));
        if (archive && (container == Container::Zip || container == Container::Tar))
            return fail(ErrorCode::UnsupportedFormat, "an archive inside an archive; unpack the outer one first");
        if (auto opened = open(container); !opened)
            return opened;
    }
}

Result<std::size_t> ByteSource::State::endEarly(const Error& error)
{
    if (error.code != ErrorCode::CannotRead || count.decompressed == 0)
        return fail(error);
    damage = error;
    damage->place.byte = count.decompressed;
    diagnostics.reject(DiagnosticCode::TruncatedInput,
        [&] { return fmt::format("{}; {} bytes before the fault were read", error.detail, count.decompressed); });
    return 0;
}

ByteSource::ByteSource(std::unique_ptr<State> state) : m_state(std::move(state)) { }
ByteSource::~ByteSource() = default;

Result<std::unique_ptr<ByteSource>> ByteSource::unfolded(std::unique_ptr<State> state)
{
    if (auto done = state->unfold(); !done)
        return fail(done.error());
    return std::unique_ptr<ByteSource>(new ByteSource(std::move(state)));
}

Result<std::unique_ptr<ByteSource>> ByteSource::openFile(const std::string& path, ByteLimits limits)
{
    struct stat status { };
    if (::stat(path.c_str(), &status) != 0)
        return fail(ErrorCode::CannotOpen, fmt::format("the file cannot be opened: {}", std::strerror(errno)), {path, {}, {}});
    if (S_ISDIR(status.st_mode))
        return fail(ErrorCode::CannotOpen, "this is a directory, not a file", {path, {}, {}});
    File file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file)
        return fail(ErrorCode::CannotOpen, fmt::format("the file cannot be opened: {}", std::strerror(errno)), {path, {}, {}});
    auto state = std::make_unique<State>();
    state->limits = limits;
    state->count.total = S_ISREG(status.st_mode) ? std::uint64_t(status.st_size) : 0;
    state->readFile(std::move(file));
    return unfolded(std::move(state));
}

Result<std::unique_ptr<ByteSource>> ByteSource::openStandardInput(ByteLimits limits)
{
    auto state = std::make_unique<State>();
    state->limits = limits;
    state->readFile(File(stdin, keepOpen));
    return unfolded(std::move(state));
}

Result<std::unique_ptr<ByteSource>> ByteSource::openMemory(std::string_view bytes, std::size_t blockSize, ByteLimits limits)
{
    auto state = std::make_unique<State>();
    state->limits = limits;
    state->count.total = bytes.size();
    state->push([state = state.get(), bytes, blockSize](char* to, std::size_t size) -> Result<std::size_t> {
        const std::size_t block = blockSize == 0 ? size : std::min(size, blockSize);
        const std::size_t got = bytes.copy(to, block, state->count.onDisk);
        state->count.onDisk += got;
        return got;
    });
    return unfolded(std::move(state));
}

Result<std::size_t> ByteSource::read(char* to, std::size_t size)
{
    State& state = *m_state;
    if (state.damage || size == 0)
        return 0;
    const auto got = state.top().read(to, size);
    if (!got)
        return state.endEarly(got.error());
    state.count.decompressed += *got;
    const ByteCount& count = state.count;
    if (count.decompressed > state.limits.total
        || (count.decompressed > freeOfRatio && count.decompressed / state.limits.ratio > count.onDisk))
        return fail(ErrorCode::LimitExceeded,
            fmt::format(
                "{} bytes on disk unfold to more than {} bytes; unpack the file first if it is no bomb", count.onDisk, count.decompressed));
    return *got;
}

Result<std::size_t> ByteSource::append(std::string& to, std::size_t size)
{
    const std::size_t before = to.size();
    to.resize(before + size);
    std::size_t filled = 0;
    while (filled < size) {
        const auto got = read(to.data() + before + filled, size - filled);
        if (!got) {
            to.resize(before + filled);
            return fail(got.error());
        }
        if (*got == 0)
            break;
        filled += *got;
    }
    to.resize(before + filled);
    return filled;
}

Result<std::string_view> ByteSource::peek(std::size_t size)
{
    State& state = *m_state;
    if (state.damage)
        return std::string_view();
    return state.top().peek(size);
}

Result<bool> ByteSource::nextMember()
{
    State& state = *m_state;
    if (!state.archive || state.damage)
        return false;
    state.layers.resize(state.archiveLayers - 1);
    const auto next = state.archive->nextMember();
    if (!next) {
        if (const auto ended = state.endEarly(next.error()); !ended)
            return fail(ended.error());
        return false;
    }
    if (!*next)
        return false;
    state.push([stream = state.archive](char* to, std::size_t size) { return stream->pull(to, size); });
    if (auto unfolded = state.unfold(); !unfolded)
        return fail(unfolded.error());
    return true;
}

std::string ByteSource::memberName() const
{
    return m_state->archive ? m_state->archive->memberName() : std::string();
}

const ByteCount& ByteSource::count() const
{
    return m_state->count;
}

const std::string& ByteSource::compression() const
{
    return m_state->compression;
}

const std::optional<Error>& ByteSource::damage() const
{
    return m_state->damage;
}

const Diagnostics& ByteSource::diagnostics() const
{
    return m_state->diagnostics;
}

} // namespace chokepoint
