// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One layer of an input: bytes pulled from below, with a look-ahead that takes nothing away.
#pragma once

#include "core/base/result.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace chokepoint {

/// Writes up to \a size (> 0) bytes to \a to and returns how many; 0 is the end.
using PullBytes = std::function<Result<std::size_t>(char* to, std::size_t size)>;

class ByteLayer {
public:
    explicit ByteLayer(PullBytes pull) : m_pull(std::move(pull)) { }

    Result<std::size_t> read(char* to, std::size_t size)
    {
        const std::size_t ahead = std::min(size, m_ahead.size() - m_taken);
        if (ahead == 0)
            return size == 0 ? Result<std::size_t>(0) : pull(to, size);
        std::memcpy(to, m_ahead.data() + m_taken, ahead);
        m_taken += ahead;
        if (m_taken == m_ahead.size()) {
            m_ahead.clear();
            m_taken = 0;
        }
        return ahead;
    }

    /// The next \a size bytes, fewer only at the end or before a fault. Good until the next call. Fails where read() would.
    Result<std::string_view> peek(std::size_t size)
    {
        m_ahead.erase(0, m_taken);
        m_taken = 0;
        while (m_ahead.size() < size) {
            const std::size_t known = m_ahead.size();
            m_ahead.resize(size);
            const Result<std::size_t> got = pull(m_ahead.data() + known, size - known);
            m_ahead.resize(known + got.value_or(0));
            if (!got && known == 0)
                return fail(got.error());
            if (got.value_or(0) == 0)
                break;
        }
        return std::string_view(m_ahead).substr(0, size);
    }

private:
    /// A fault stays: decoders need not remember that they have failed.
    Result<std::size_t> pull(char* to, std::size_t size)
    {
        if (m_failure)
            return fail(*m_failure);
        const Result<std::size_t> got = m_pull(to, size);
        if (!got)
            m_failure = got.error();
        return got;
    }

    PullBytes m_pull;
    std::optional<Error> m_failure;
    std::string m_ahead; // peeked bytes; the first m_taken are read
    std::size_t m_taken = 0;
};

} // namespace chokepoint
