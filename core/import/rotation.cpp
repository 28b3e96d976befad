// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/rotation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace chokepoint {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longestLine = std::size_t(64) << 20;

bool looksLikeStamp(std::string_view text)
{
    constexpr std::string_view shape = "-dddd-dd-ddTdd-dd-dd.ddd";
    return text.size() == shape.size() && std::equal(text.begin(), text.end(), shape.begin(), [](char c, char wanted) {
        return wanted == 'd' ? c >= '0' && c <= '9' : c == wanted;
    });
}

bool beginsRecord(int c)
{
    return c == '{' || c == '[';
}

/// A file of JSON text whose last line has no end.
bool endsInsideLine(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!beginsRecord(file.peek()))
        return false;
    file.seekg(-1, std::ios::end);
    const int last = file.get();
    return file.good() && last != '\n' && last != '\r';
}

} // namespace

Rotation rotationOf(const std::string& path)
{
    constexpr std::size_t stampSize = 24;
    const std::size_t slash = path.rfind('/');
    const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
    for (std::size_t at = path.find('-', name); at != std::string::npos && at + stampSize <= path.size(); at = path.find('-', at + 1)) {
        const std::string stamp = path.substr(at, stampSize);
        if (looksLikeStamp(stamp))
            return {path.substr(0, at) + path.substr(at + stampSize), stamp};
    }
    return {path, {}};
}

std::string cutRecordEnd(const std::string& segment, const std::string& next)
{
    const Rotation before = rotationOf(segment);
    std::error_code ignored;
    if (before.stamp.empty() || before.family != rotationOf(next).family || !fs::is_regular_file(segment, ignored)
        || !fs::is_regular_file(next, ignored) || !endsInsideLine(segment))
        return {};
    std::ifstream file(next, std::ios::binary);
    std::string line;
    for (int c = file.get(); c != std::char_traits<char>::eof() && line.size() < longestLine; c = file.get()) {
        if (line.empty() && (beginsRecord(c) || c == '\n' || c == '\r'))
            return {};
        line.push_back(char(c));
        if (c == '\n')
            return line;
    }
    return {};
}

} // namespace chokepoint
