// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/decompress.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace chokepoint {

using namespace std::string_view_literals;

namespace {

constexpr std::size_t inputBlock = std::size_t(256) << 10;

struct Magic {
    std::string_view bytes;
    std::size_t offset;
    Container container;
};

constexpr std::array magics = {
    Magic{"\x1f\x8b"sv, 0, Container::Gzip},
    Magic{"\x28\xb5\x2f\xfd"sv, 0, Container::Zstd},
    Magic{"BZh"sv, 0, Container::Bzip2},
    Magic{"\xfd\x37zXZ\0"sv, 0, Container::Xz},
    Magic{"\x04\x22\x4d\x18"sv, 0, Container::Lz4},
    Magic{"PK\x03\x04"sv, 0, Container::Zip},
    Magic{"PK\x05\x06"sv, 0, Container::Zip},
    Magic{"ustar"sv, 257, Container::Tar},
};

bool isSkippableZstdFrame(std::string_view head)
{
    return head.size() >= 4 && (static_cast<unsigned char>(head[0]) & 0xf0) == 0x50 && head.substr(1, 3) == "\x2a\x4d\x18"sv;
}

/// Compressed bytes waiting to be decompressed.
class Input {
public:
    explicit Input(ByteLayer& below) : m_below(below), m_block(inputBlock) { }

    /// Makes \a count bytes available (no more than a block), fewer only at the end of the layer below or before its fault;
    /// false when there is none.
    Result<bool> fill(std::size_t count = 1)
    {
        count = std::min(count, m_block.size());
        if (size() >= count)
            return true;
        std::copy(m_block.begin() + std::ptrdiff_t(m_begin), m_block.begin() + std::ptrdiff_t(m_end), m_block.begin());
        m_end = size();
        m_begin = 0;
        while (m_end < count) {
            const auto got = m_below.read(m_block.data() + m_end, m_block.size() - m_end);
            if (!got && m_end == 0)
                return fail(got.error());
            if (got.value_or(0) == 0)
                break; // the end, or a fault that comes again with the next call
            m_end += *got;
        }
        return m_end != 0;
    }

    [[nodiscard]] char* begin() { return m_block.data() + m_begin; }
    [[nodiscard]] std::size_t size() const { return m_end - m_begin; }
    void consume(std::size_t count) { m_begin += count; }

    /// Reads the layer below to its end; true when there was any byte but zero.
    Result<bool> drain()
    {
        bool anything = false;
        while (true) {
            const auto more = fill();
            if (!more || !*more)
                return more ? Result<bool>(anything) : more;
            for (std::size_t i = m_begin; i < m_end; ++i)
                anything |= m_block[i] != 0;
            m_begin = m_end;
        }
    }

private:
    ByteLayer& m_below;
    std::vector<char> m_block;
    std::size_t m_begin = 0;
    std::size_t m_end = 0;
};

/// What follows the last member or frame is dropped and, unless it is padding, counted.
Result<std::size_t> dropTail(Input& input, Diagnostics& diagnostics, const char* what)
{
    const auto garbage = input.drain();
    if (!garbage)
        return fail(garbage.error());
    if (*garbage)
        diagnostics.report(
            DiagnosticCode::TrailingData, [what] { return fmt::format("bytes after the end of the {} data were ignored", what); });
    return 0;
}

class Gunzip {
public:
    Gunzip(ByteLayer& below, Diagnostics& diagnostics) : m_input(below), m_diagnostics(diagnostics) { inflateInit2(&m_stream, 15 + 16); }
    ~Gunzip() { inflateEnd(&m_stream); }
    Gunzip(const Gunzip&) = delete;
    Gunzip& operator=(const Gunzip&) = delete;

    Result<std::size_t> pull(char* to, std::size_t size)
    {
        if (m_fault)
            return fail(*m_fault);
        m_stream.next_out = reinterpret_cast<Bytef*>(to);
        m_stream.avail_out = uInt(std::min<std::size_t>(size, std::size_t(1) << 30));
        const uInt wanted = m_stream.avail_out;
        while (m_stream.avail_out == wanted && !m_finished) {
            const auto more = m_input.fill();
            if (!more)
                return fail(more.error());
            if (!*more)
                return endOfInput();
            if (m_betweenMembers && !startsMember())
                return finish();
            if (auto stepped = step(); !stepped) {
                m_fault = stepped.error();
                break;
            }
        }
        // What was unpacked before a fault comes first.
        if (m_fault && m_stream.avail_out == wanted)
            return fail(*m_fault);
        return wanted - m_stream.avail_out;
    }

private:
    /// A member begins with 1f 8b; the first byte is proof enough, because padding is zero and garbage is dropped anyway.
    bool startsMember() { return static_cast<unsigned char>(*m_input.begin()) == 0x1f; }

    Result<void> step()
    {
        m_stream.next_in = reinterpret_cast<Bytef*>(m_input.begin());
        m_stream.avail_in = uInt(m_input.size());
        const int status = inflate(&m_stream, Z_NO_FLUSH);
        m_input.consume(m_input.size() - m_stream.avail_in);
        m_betweenMembers = false;
        if (status == Z_STREAM_END) {
            ++m_members;
            m_betweenMembers = true;
            inflateReset(&m_stream);
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            if (m_members > 0 && m_stream.total_out == 0) {
                const auto dropped = finish();
                return dropped ? Result<void>{} : fail(dropped.error());
            }
            return fail(ErrorCode::CannotRead,
                fmt::format("the gzip data is damaged ({}); decompress it with gzip -dc to see how far it goes",
                    m_stream.msg != nullptr ? m_stream.msg : "checksum mismatch"));
        }
        return {};
    }

    Result<std::size_t> endOfInput()
    {
        m_finished = true;
        if (m_betweenMembers)
            return 0;
        return fail(ErrorCode::CannotRead, "the gzip data ends in the middle; the file was cut or is still being written");
    }

    Result<std::size_t> finish()
    {
        m_finished = true;
        return dropTail(m_input, m_diagnostics, "gzip");
    }

    Input m_input;
    Diagnostics& m_diagnostics;
    z_stream m_stream{};
    std::optional<Error> m_fault;
    std::uint64_t m_members = 0;
    bool m_betweenMembers = false;
    bool m_finished = false;
};

/// Hands the decoder one whole block at a time: a call that fails says nothing of the blocks that it unpacked before, and what a
/// damaged block gives depends on how much of it is there.
class Unzstd {
public:
    Unzstd(ByteLayer& below, Diagnostics& diagnostics)
        : m_input(below), m_diagnostics(diagnostics), m_stream(ZSTD_createDStream(), ZSTD_freeDStream)
    {
        ZSTD_DCtx_setParameter(m_stream.get(), ZSTD_d_windowLogMax, 31);
    }

    Result<std::size_t> pull(char* to, std::size_t size)
    {
        ZSTD_outBuffer out{to, size, 0};
        if (m_mayWait) {
            ZSTD_inBuffer none{nullptr, 0, 0};
            ZSTD_decompressStream(m_stream.get(), &out, &none);
        }
        while (out.pos == 0 && !m_finished) {
            const auto more = m_input.fill(m_blockSize);
            if (!more)
                return fail(more.error());
            if (!*more)
                return endOfInput();
            ZSTD_inBuffer in{m_input.begin(), std::min(m_input.size(), m_blockSize), 0};
            const std::size_t status = ZSTD_decompressStream(m_stream.get(), &out, &in);
            if (ZSTD_isError(status) != 0)
                return damaged(status);
            m_input.consume(in.pos);
            m_frames += status == 0 ? 1 : 0;
            m_betweenFrames = status == 0;
            m_blockSize = status == 0 ? frameStart : status > blockHeader ? status - blockHeader : status;
        }
        m_mayWait = out.pos == size;
        return out.pos;
    }

private:
    static constexpr std::size_t frameStart = 5; // bytes that tell the size of a frame's header
    static constexpr std::size_t blockHeader = 3; // the decoder asks for the next block's header together with a block

    Result<std::size_t> endOfInput()
    {
        m_finished = true;
        if (m_betweenFrames)
            return 0;
        return fail(ErrorCode::CannotRead, "the zstd data ends in the middle; the file was cut or is still being written");
    }

    Result<std::size_t> damaged(std::size_t status)
    {
        m_finished = true;
        if (m_betweenFrames && m_frames > 0)
            return dropTail(m_input, m_diagnostics, "zstd");
        return fail(ErrorCode::CannotRead,
            fmt::format("the zstd data is damaged ({}); decompress it with zstd -dc to see how far it goes", ZSTD_getErrorName(status)));
    }

    Input m_input;
    Diagnostics& m_diagnostics;
    std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> m_stream;
    std::size_t m_blockSize = frameStart; // what the decoder asks for next
    std::uint64_t m_frames = 0;
    bool m_betweenFrames = true;
    bool m_mayWait = false; // unpacked bytes that found no room
    bool m_finished = false;
};

} // namespace

Container containerOf(std::string_view head)
{
    for (const Magic& magic : magics)
        if (head.size() >= magic.offset + magic.bytes.size() && head.substr(magic.offset, magic.bytes.size()) == magic.bytes)
            return magic.container;
    return isSkippableZstdFrame(head) ? Container::Zstd : Container::None;
}

const char* containerName(Container container)
{
    switch (container) {
    case Container::None: return "none";
    case Container::Gzip: return "gzip";
    case Container::Zstd: return "zstd";
    case Container::Bzip2: return "bzip2";
    case Container::Xz: return "xz";
    case Container::Lz4: return "lz4";
    case Container::Zip: return "zip";
    case Container::Tar: return "tar";
    }
    return "none";
}

PullBytes gunzip(ByteLayer& below, Diagnostics& diagnostics)
{
    return [stream = std::make_shared<Gunzip>(below, diagnostics)](char* to, std::size_t size) { return stream->pull(to, size); };
}

PullBytes unzstd(ByteLayer& below, Diagnostics& diagnostics)
{
    return [stream = std::make_shared<Unzstd>(below, diagnostics)](char* to, std::size_t size) { return stream->pull(to, size); };
}

} // namespace chokepoint
