// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/bytesource.h"

#include "core/import/archivestream.h"
#include "core/import/decompress.h"
#include "core/import/openfile.h"
#include "core/import/readahead.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace chokepoint {

namespace {

constexpr std::size_t containerHead = 262; // the tar magic ends there
constexpr std::uint64_t freeOfRatio = std::uint64_t(64) << 20;

} // namespace

struct ByteSource::State {
    struct OpenArchive {
        std::shared_ptr<ArchiveStream> stream;
        std::size_t layers; // below the members
        unsigned depth; // containers around the members
    };

    const ByteLimits limits;
    FilePart part; // belongs, but for from, to the file's layer
    std::size_t tailTaken = 0; // bytes of part.tail
    ByteCount count;
    std::string compression = "none";
    std::optional<Error> damage; // the first
    std::optional<Error> refusal; // why nothing of the current member can be read
    bool ended = false; // by damage; in an archive, up to the next member
    std::uint64_t memberStart = 0; // bytes handed out before the current member
    Diagnostics diagnostics;
    std::vector<std::unique_ptr<ByteLayer>> layers; // the file first; each pulls from the one before
    std::vector<OpenArchive> archives; // the outermost first
    // The file and the compression around all of it run ahead; archives, and what is in them, wait for the reader.
    ReadTally tally; // of the layers that run ahead
    std::uint64_t hash = 0; // of the first count.onDisk bytes
    std::unique_ptr<ReadAhead> ahead; // last: its thread uses the others

    void push(PullBytes pull) { layers.push_back(std::make_unique<ByteLayer>(std::move(pull))); }
    void pushUnpacked(PullBytes pull);
    void readAhead();
    void countRead(ReadTally& read);
    [[nodiscard]] Result<void> checkLimits(std::uint64_t unpacked, std::uint64_t onDisk) const;
    [[nodiscard]] ByteLayer& top() { return *layers.back(); }
    void readFile(OpenFile file);
    Result<void> open(Container container, unsigned depth);
    Result<void> openArchive(unsigned depth);
    Result<void> unfold(unsigned depth);
    void addCompression(const char* name);
    Result<bool> nextMember();
    [[nodiscard]] std::string memberName() const;
    void endEarly(const Error& error, std::uint64_t before);

    explicit State(const ByteLimits& unfolding) : limits(unfolding) { }
};

void ByteSource::State::readFile(OpenFile file)
{
    count.total = file.size;
    // Large reads go straight to the caller's buffer; stdio's own buffer would only copy.
    std::setvbuf(file.stream.get(), nullptr, _IONBF, 0);
    auto shared = std::shared_ptr<std::FILE>(std::move(file.stream));
    push([this, shared](char* to, std::size_t size) -> Result<std::size_t> {
        const std::size_t got = std::fread(to, 1, size, shared.get());
        if (got == 0 && std::ferror(shared.get()) != 0)
            return fail(ErrorCode::CannotRead, fmt::format("reading failed: {}", std::strerror(errno)));
        if (got == 0) {
            const std::size_t rest = part.tail.copy(to, size, tailTaken);
            tailTaken += rest;
            return rest;
        }
        tally.onDisk += got;
        if (part.keepsHash)
            tally.hash.add({to, got});
        return got;
    });
}

void ByteSource::State::readAhead()
{
    if (ahead)
        return;
    countRead(tally);
    // A pipe may be silent for long, and nobody could leave while a thread waits for it.
    const std::uint64_t readAtOnce = count.total == 0 ? ReadAhead::never : ReadAhead::worthAThread;
    ahead = std::make_unique<ReadAhead>(
        top(), tally, [this](ReadTally& read) { countRead(read); }, readAtOnce);
    push([this](char* to, std::size_t size) { return ahead->pull(to, size); });
}

void ByteSource::State::countRead(ReadTally& read)
{
    count.onDisk = read.onDisk;
    hash = part.keepsHash ? read.hash.value() : 0;
    diagnostics.merge(read.diagnostics);
    read.diagnostics = {};
}

Result<void> ByteSource::State::checkLimits(std::uint64_t unpacked, std::uint64_t onDisk) const
{
    if (unpacked <= limits.total && (unpacked <= freeOfRatio || unpacked / limits.ratio <= onDisk))
        return {};
    return fail(ErrorCode::LimitExceeded,
        fmt::format("{} bytes on disk unfold to more than {} bytes; unpack the file first if it is no bomb", onDisk, unpacked));
}

/// Every layer is watched, for what an archive passes over never reaches the top.
void ByteSource::State::pushUnpacked(PullBytes pull)
{
    const std::uint64_t& onDisk = ahead ? count.onDisk : tally.onDisk;
    push([this, pull = std::move(pull), &onDisk, unpacked = std::uint64_t(0)](char* to, std::size_t size) mutable -> Result<std::size_t> {
        auto got = pull(to, size);
        unpacked += got.value_or(0);
        if (const auto checked = checkLimits(unpacked, onDisk); !checked)
            return fail(checked.error());
        return got;
    });
}

/// Of an archive, what its first member is in.
void ByteSource::State::addCompression(const char* name)
{
    if (memberStart == 0 && count.decompressed == 0)
        compression = compression == "none" ? name : compression + '+' + name;
}

Result<void> ByteSource::State::open(Container container, unsigned depth)
{
    addCompression(containerName(container));
    ByteLayer& below = top();
    Diagnostics& faults = ahead ? diagnostics : tally.diagnostics;
    switch (container) {
    case Container::None: break;
    case Container::Gzip: pushUnpacked(gunzip(below, faults)); break;
    case Container::Zstd: pushUnpacked(unzstd(below, faults)); break;
    case Container::Bzip2:
    case Container::Xz:
    case Container::Lz4:
        pushUnpacked([stream = std::make_shared<ArchiveStream>(below, ArchiveStream::Kind::Filter)](
                         char* to, std::size_t size) { return stream->pull(to, size); });
        break;
    case Container::Zip:
    case Container::Tar: return openArchive(depth);
    }
    return {};
}

Result<void> ByteSource::State::openArchive(unsigned depth)
{
    const auto stream = std::make_shared<ArchiveStream>(top(), ArchiveStream::Kind::Members);
    const auto first = stream->nextMember();
    if (!first)
        return fail(first.error());
    archives.push_back({stream, layers.size(), depth});
    pushUnpacked(
        [stream, isEmpty = !*first](char* to, std::size_t size) { return isEmpty ? Result<std::size_t>(0) : stream->pull(to, size); });
    return {};
}

/// Opens containers, \a depth of them being open, until the bytes on top are none.
Result<void> ByteSource::State::unfold(unsigned depth)
{
    while (true) {
        const auto head = top().peek(containerHead);
        if (!head)
            return fail(head.error());
        const Container container = containerOf(*head);
        if (container == Container::None || container == Container::Zip || container == Container::Tar)
            readAhead();
        if (container == Container::None)
            return {};
        if (depth == limits.nesting)
            return fail(archives.empty() ? ErrorCode::LimitExceeded : ErrorCode::CannotRead,
                fmt::format("containers are nested more than {} deep; unpack the file first", limits.nesting));
        ++depth;
        if (auto opened = open(container, depth); !opened)
            return opened;
    }
}

/// Of the innermost archive; when it has none left, of the one around it.
Result<bool> ByteSource::State::nextMember()
{
    refusal.reset();
    while (!archives.empty()) {
        const OpenArchive& archive = archives.back();
        layers.resize(archive.layers);
        const auto next = archive.stream->nextMember();
        if (!next && next.error().code != ErrorCode::CannotRead)
            return fail(next.error());
        if (!next)
            endEarly(next.error(), count.decompressed);
        if (!next || !*next) {
            archives.pop_back();
            continue;
        }
        ended = false;
        memberStart = count.decompressed;
        pushUnpacked([stream = archive.stream](char* to, std::size_t size) { return stream->pull(to, size); });
        if (auto unfolded = unfold(archive.depth); !unfolded)
            refusal = unfolded.error();
        return true;
    }
    ended = true;
    return false;
}

std::string ByteSource::State::memberName() const
{
    std::string name;
    for (const OpenArchive& archive : archives)
        name += (name.empty() ? "" : "/") + archive.stream->memberName();
    return name;
}

void ByteSource::State::endEarly(const Error& error, std::uint64_t before)
{
    ended = true;
    if (!damage) {
        damage = error;
        damage->place.byte = before;
    }
    diagnostics.reject(DiagnosticCode::TruncatedInput, [&] {
        const std::string name = memberName();
        return fmt::format(
            "{}{}{}; {} bytes before the fault were read", name, name.empty() ? "" : " in the archive: ", error.detail, before);
    });
}

ByteSource::ByteSource(std::unique_ptr<State> state) : m_state(std::move(state)) { }
ByteSource::~ByteSource() = default;

Result<std::unique_ptr<ByteSource>> ByteSource::unfolded(std::unique_ptr<State> state)
{
    if (auto done = state->unfold(0); !done) {
        if (state->archives.empty())
            return fail(done.error());
        state->refusal = done.error();
    }
    return std::unique_ptr<ByteSource>(new ByteSource(std::move(state)));
}

Result<std::unique_ptr<ByteSource>> ByteSource::openFile(const std::string& path, ByteLimits limits, const FilePart& part)
{
    Result<OpenFile> file = openFileForReading(path, part.from.byte);
    if (!file)
        return fail(std::move(file).error());
    auto state = std::make_unique<State>(limits);
    state->part = part;
    state->tally.onDisk = part.from.byte;
    state->tally.hash = part.before;
    state->readFile(std::move(*file));
    return unfolded(std::move(state));
}

Result<std::unique_ptr<ByteSource>> ByteSource::openStandardInput(ByteLimits limits)
{
    auto state = std::make_unique<State>(limits);
    state->readFile(openStandardInputForReading());
    return unfolded(std::move(state));
}

Result<std::unique_ptr<ByteSource>> ByteSource::openMemory(std::string_view bytes, std::size_t blockSize, ByteLimits limits)
{
    auto state = std::make_unique<State>(limits);
    state->count.total = bytes.size();
    state->push([state = state.get(), bytes, blockSize](char* to, std::size_t size) -> Result<std::size_t> {
        const std::size_t block = blockSize == 0 ? size : std::min(size, blockSize);
        const std::size_t got = bytes.copy(to, block, state->tally.onDisk);
        state->tally.onDisk += got;
        return got;
    });
    return unfolded(std::move(state));
}

Result<std::size_t> ByteSource::read(char* to, std::size_t size)
{
    State& state = *m_state;
    if (state.ended || size == 0)
        return 0;
    if (state.refusal)
        return fail(*state.refusal);
    const auto got = state.top().read(to, size);
    if (!got) {
        const std::uint64_t before = state.count.decompressed - state.memberStart;
        if (got.error().code != ErrorCode::CannotRead || before == 0)
            return fail(got.error());
        state.endEarly(got.error(), before);
        return 0;
    }
    state.count.decompressed += *got;
    if (const auto checked = state.checkLimits(state.count.decompressed, state.count.onDisk); !checked)
        return fail(checked.error());
    return *got;
}

Result<std::size_t> ByteSource::append(std::string& to, std::size_t size)
{
    // A size may be a claim of damaged data: room is touched as bytes arrive.
    constexpr std::size_t step = std::size_t(1) << 20;
    const std::size_t before = to.size();
    to.reserve(before + size);
    std::size_t filled = 0;
    std::size_t room = 0;
    std::optional<Error> failure;
    while (filled < size && !failure) {
        if (filled == room) {
            room = std::min(size, room + step);
            to.resize(before + room);
        }
        const auto got = read(to.data() + before + filled, room - filled);
        if (!got)
            failure = got.error();
        if (got.value_or(0) == 0)
            break;
        filled += *got;
    }
    to.resize(before + filled);
    if (failure)
        return fail(*failure);
    return filled;
}

Result<std::string_view> ByteSource::peek(std::size_t size)
{
    State& state = *m_state;
    if (state.ended)
        return std::string_view();
    if (state.refusal)
        return fail(*state.refusal);
    return state.top().peek(size);
}

Result<bool> ByteSource::nextMember()
{
    return m_state->nextMember();
}

std::string ByteSource::memberName() const
{
    return m_state->memberName();
}

const ByteCount& ByteSource::count() const
{
    return m_state->count;
}

RecordPlace ByteSource::start() const
{
    return m_state->part.from;
}

std::uint64_t ByteSource::contentHash() const
{
    return m_state->hash;
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
