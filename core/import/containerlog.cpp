// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/containerlog.h"

#include "core/import/decodetime.h"
#include "core/import/jsondocument.h"

#include <array>

namespace chokepoint {

namespace {

/// "<time> stdout P|F " before the text.
struct CriPrefix {
    std::size_t length = 0; // 0: this is no such line
    bool goesOn = false;
};

CriPrefix criPrefix(std::string_view line)
{
    const std::size_t time = line.find(' ');
    if (time == std::string_view::npos || time < 20 || !decodeTime(line.substr(0, time), TimeUnit::Nanoseconds))
        return {};
    for (const std::string_view stream : {" stdout ", " stderr "}) {
        const std::size_t tag = time + stream.size();
        if (line.substr(time, stream.size()) != stream || line.size() < tag + 1)
            continue;
        const std::size_t text = line.find(' ', tag);
        if ((line[tag] == 'P' || line[tag] == 'F'))
            return {text == std::string_view::npos ? line.size() : text + 1, line[tag] == 'P'};
    }
    return {};
}

/// Whether the line has the member \a name, in quotes, with a text that begins with \a text.
bool hasMember(std::string_view line, std::string_view name, std::string_view text)
{
    const std::size_t at = line.find(name);
    if (at == std::string_view::npos)
        return false;
    const std::size_t value = line.find_first_not_of(" :", at + name.size());
    return value != std::string_view::npos && line.substr(value + 1).starts_with(text) && line[value] == '"';
}

std::string_view firstLine(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \r\n\t");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin, text.find('\n', begin) - begin);
}

class Unwrapper {
public:
    Unwrapper(std::shared_ptr<ByteLayer> below, ContainerLog kind) : m_below(std::move(below)), m_kind(kind) { }

    Result<std::size_t> pull(char* to, std::size_t size)
    {
        while (m_taken == m_ready.size()) {
            m_ready.clear();
            m_taken = 0;
            const auto more = unwrapLines();
            if (!more || !*more)
                return more ? Result<std::size_t>(0) : fail(more.error());
        }
        const std::size_t count = m_ready.copy(to, size, m_taken);
        m_taken += count;
        return count;
    }

private:
    /// Unwraps the lines of one more block; false at the end.
    Result<bool> unwrapLines()
    {
        std::array<char, 65536> block;
        const auto got = m_below->read(block.data(), block.size());
        if (!got)
            return fail(got.error());
        std::size_t begin = 0;
        const std::size_t searched = m_lines.size(); // a line can be gigantic
        m_lines.append(block.data(), *got);
        for (std::size_t end = m_lines.find('\n', searched); end != std::string::npos; end = m_lines.find('\n', begin)) {
            unwrapLine(std::string_view(m_lines).substr(begin, end - begin));
            begin = end + 1;
        }
        if (*got == 0 && begin < m_lines.size()) {
            unwrapLine(std::string_view(m_lines).substr(begin));
            begin = m_lines.size();
            m_lines.erase(0, begin);
            return true;
        }
        m_lines.erase(0, begin);
        return *got != 0;
    }

    void unwrapLine(std::string_view line)
    {
        if (m_kind == ContainerLog::Docker && unwrapDocker(line))
            return;
        const CriPrefix prefix = m_kind == ContainerLog::Cri ? criPrefix(line) : CriPrefix{};
        m_ready.append(line.substr(prefix.length));
        if (prefix.goesOn && m_ready.ends_with('\r'))
            m_ready.pop_back();
        if (!prefix.goesOn)
            m_ready.push_back('\n');
    }

    /// The text in "log" brings its own line end, where the line does not go on.
    bool unwrapDocker(std::string_view line)
    {
        Diagnostics ignored; // the program's text is checked when it is read
        json::object object;
        json::value value;
        if (!m_document.openCopy(line, ignored) || m_document.root().get_object().get(object) != simdjson::SUCCESS
            || object.find_field_unordered("log").get(value) != simdjson::SUCCESS)
            return false;
        const JsonToken token = tokenOf(value);
        if (token.kind != JsonKind::Text)
            return false;
        m_ready.append(tokenText(token, m_scratch));
        return true;
    }

    std::shared_ptr<ByteLayer> m_below;
    ContainerLog m_kind;
    JsonDocument m_document;
    std::string m_lines; // bytes that are not unwrapped yet
    std::string m_ready; // text to hand out, from m_taken on
    std::string m_scratch;
    std::size_t m_taken = 0;
};

} // namespace

ContainerLog containerLogOf(std::string_view head)
{
    const std::string_view line = firstLine(head);
    if (criPrefix(line).length != 0)
        return ContainerLog::Cri;
    const bool isCut = line.size() >= 4096; // by the head; the driver writes the text first, others that pass it on in any order
    const bool isLogFirst = line.find(R"("log")") == line.find('"') && hasMember(line, R"("log")", "");
    const bool isDocker =
        line.substr(0, 1) == "{" && hasMember(line, R"("log")", "") && (hasMember(line, R"("stream")", "std") || (isCut && isLogFirst));
    return isDocker ? ContainerLog::Docker : ContainerLog::None;
}

PullBytes unwrappedLog(std::shared_ptr<ByteLayer> below, ContainerLog kind)
{
    return
        [unwrapper = std::make_shared<Unwrapper>(std::move(below), kind)](char* to, std::size_t size) { return unwrapper->pull(to, size); };
}

} // namespace chokepoint
