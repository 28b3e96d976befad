// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/tracefiles.h"

#include <zlib.h>
#include <zstd.h>

#include <fstream>
#include <memory>
#include <string>

namespace chokepoint::bench {
namespace {

constexpr std::size_t blockBytes = std::size_t(1) << 20;

Result<TraceFile> written(TraceFile file, bool isGood)
{
    if (!isGood)
        return fail(ErrorCode::CannotWrite, "a compressed file of the benchmark could not be written; is the disk full?",
            {file.path.string(), {}, {}});
    return file;
}

/// Calls take(bytes) for each block of the file.
template <typename Take> void readBlocks(const std::filesystem::path& path, Take&& take)
{
    std::ifstream in(path, std::ios::binary);
    std::string block(blockBytes, '\0');
    while (in.read(block.data(), std::streamsize(block.size())) || in.gcount() > 0)
        take(std::string_view(block).substr(0, std::size_t(in.gcount())));
}

} // namespace

Result<TraceFile> writeGzip(const TraceFile& file)
{
    TraceFile target = file;
    target.path += ".gz";
    const gzFile out = gzopen(target.path.c_str(), "wb6");
    if (out == nullptr)
        return written(std::move(target), false);
    bool isGood = true;
    readBlocks(
        file.path, [&](std::string_view bytes) { isGood &= gzwrite(out, bytes.data(), unsigned(bytes.size())) == int(bytes.size()); });
    isGood &= gzclose(out) == Z_OK;
    return written(std::move(target), isGood);
}

Result<TraceFile> writeZstd(const TraceFile& file)
{
    TraceFile target = file;
    target.path += ".zst";
    std::ofstream out(target.path, std::ios::binary);
    const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> stream(ZSTD_createCCtx(), ZSTD_freeCCtx);
    std::string buffer(ZSTD_CStreamOutSize(), '\0');
    bool isGood = true;
    const auto compress = [&](std::string_view bytes, ZSTD_EndDirective end) {
        ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
        std::size_t left = 1;
        while (isGood && (end == ZSTD_e_end ? left != 0 : in.pos < in.size)) {
            ZSTD_outBuffer to{buffer.data(), buffer.size(), 0};
            left = ZSTD_compressStream2(stream.get(), &to, &in, end);
            isGood = ZSTD_isError(left) == 0;
            out.write(buffer.data(), std::streamsize(to.pos));
        }
    };
    readBlocks(file.path, [&](std::string_view bytes) { compress(bytes, ZSTD_e_continue); });
    compress({}, ZSTD_e_end);
    out.close();
    return written(std::move(target), isGood && out);
}

} // namespace chokepoint::bench
