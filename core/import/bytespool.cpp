// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/bytespool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

namespace chokepoint {

namespace {

constexpr std::size_t windowSize = std::size_t(256) << 10;

tl::unexpected<Error> spoolFault(ErrorCode code, const char* what)
{
    return fail(code,
        fmt::format("{} the temporary file that holds the attributes failed: {}; free space in the directory for temporary files", what,
            std::generic_category().message(errno)));
}

} // namespace

Result<SpoolRange> ByteSpool::append(std::string_view bytes)
{
    if (bytes.size() > std::numeric_limits<std::uint32_t>::max())
        return fail(ErrorCode::LimitExceeded, "the attributes of one event are larger than 4 GiB");
    if (!m_recent.empty() && m_recent.size() + bytes.size() > m_inMemory)
        if (auto flushed = flush(); !flushed)
            return fail(flushed.error());
    const SpoolRange range{m_flushed + m_recent.size(), std::uint32_t(bytes.size())};
    m_recent.append(bytes);
    return range;
}

Result<void> ByteSpool::flush()
{
    if (!m_file)
        m_file.reset(std::tmpfile());
    if (!m_file || std::fseek(m_file.get(), 0, SEEK_END) != 0
        || std::fwrite(m_recent.data(), 1, m_recent.size(), m_file.get()) != m_recent.size())
        return spoolFault(ErrorCode::CannotWrite, "Writing");
    m_flushed += m_recent.size();
    m_recent.clear();
    return {};
}

Result<std::string_view> ByteSpool::read(SpoolRange range)
{
    if (range.at >= m_flushed)
        return std::string_view(m_recent).substr(range.at - m_flushed, range.size);
    if (range.at < m_windowAt || range.at + range.size > m_windowAt + m_window.size()) {
        m_window.resize(std::min<std::uint64_t>(std::max<std::uint64_t>(windowSize, range.size), m_flushed - range.at));
        m_windowAt = range.at;
        if (std::fseek(m_file.get(), long(range.at), SEEK_SET) != 0
            || std::fread(m_window.data(), 1, m_window.size(), m_file.get()) != m_window.size()) {
            m_window.clear();
            return spoolFault(ErrorCode::CannotRead, "Reading");
        }
    }
    return std::string_view(m_window).substr(range.at - m_windowAt, range.size);
}

} // namespace chokepoint
