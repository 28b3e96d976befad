// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The member names at the start of a JSON text, as paths: what formats are told from.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace chokepoint {

/// Paths such as "data[].spans[].operationName" of the first values of a text, lists at the top left out, in the order of the
/// text. Tolerates a text that is cut anywhere.
class JsonHead {
public:
    /// \a text is UTF-8 without container logs (see textOfHead).
    explicit JsonHead(std::string_view text);

    [[nodiscard]] bool isJson() const { return m_isJson; }
    [[nodiscard]] bool has(std::string_view path) const;
    /// Whether all of \a names (empty ones do not count) stand in one kind of object, at the top or behind one of the usual wrappers.
    [[nodiscard]] bool hasAll(std::initializer_list<std::string_view> names) const;
    /// Text of the first scalar at \a path without quotes; empty when there is none.
    [[nodiscard]] std::string_view scalar(std::string_view path) const;
    /// Member names at the top, at most \a count.
    [[nodiscard]] std::vector<std::string> topNames(std::size_t count) const;

private:
    struct Member {
        std::string path;
        std::string scalar;
        bool isTop = false;
    };
    std::vector<Member> m_members;
    bool m_isJson = false;
};

} // namespace chokepoint
