// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/textinput.h"

#include "core/import/containerlog.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace chokepoint {

using namespace std::string_view_literals;

namespace {

constexpr std::size_t headSize = std::size_t(4) << 10;

enum class Encoding { Utf8, Utf16Le, Utf16Be };

struct Opening {
    Encoding encoding = Encoding::Utf8;
    std::size_t markSize = 0;
};

/// Byte-order mark, or zeros in every second byte as ASCII has them in UTF-16.
Opening openingOf(std::string_view head)
{
    if (head.substr(0, 3) == "\xef\xbb\xbf"sv)
        return {Encoding::Utf8, 3};
    if (head.substr(0, 2) == "\xff\xfe"sv)
        return {Encoding::Utf16Le, 2};
    if (head.substr(0, 2) == "\xfe\xff"sv)
        return {Encoding::Utf16Be, 2};
    std::array<std::size_t, 2> zeros{};
    const std::size_t count = std::min<std::size_t>(head.size() & ~std::size_t(1), 64);
    for (std::size_t i = 0; i < count; ++i)
        zeros[i % 2] += head[i] == 0 ? 1 : 0;
    if (count < 4 || zeros[0] + zeros[1] != count / 2)
        return {};
    return zeros[1] == 0 ? Opening{Encoding::Utf16Be, 0} : zeros[0] == 0 ? Opening{Encoding::Utf16Le, 0} : Opening{};
}

/// UTF-16 to UTF-8; half a surrogate pair becomes U+FFFD.
class Utf16Text {
public:
    Utf16Text(std::shared_ptr<ByteLayer> below, Encoding encoding)
        : m_below(std::move(below)), m_isLittle(encoding == Encoding::Utf16Le) { }

    Result<std::size_t> pull(char* to, std::size_t size)
    {
        while (m_taken == m_ready.size()) {
            m_ready.clear();
            m_taken = 0;
            std::array<char, 8192> block;
            const auto got = m_below->read(block.data(), block.size());
            if (!got)
                return fail(got.error());
            if (*got == 0) {
                if (m_high == 0)
                    return 0;
                m_high = 0;
                append(0xfffd);
                continue;
            }
            for (std::size_t i = 0; i < *got; ++i)
                takeByte(static_cast<unsigned char>(block[i]));
        }
        const std::size_t count = m_ready.copy(to, size, m_taken);
        m_taken += count;
        return count;
    }

private:
    void takeByte(unsigned byte)
    {
        m_hasHalf = !m_hasHalf;
        if (m_hasHalf) {
            m_half = byte;
            return;
        }
        const std::uint32_t unit = m_isLittle ? m_half | byte << 8 : m_half << 8 | byte;
        const bool isLow = unit >= 0xdc00 && unit < 0xe000;
        if (m_high != 0) {
            const std::uint32_t high = m_high;
            m_high = 0;
            if (isLow)
                return append(0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
            append(0xfffd);
        }
        if (unit >= 0xd800 && unit < 0xdc00)
            m_high = unit;
        else
            append(isLow ? 0xfffd : unit);
    }

    void append(std::uint32_t codePoint)
    {
        const auto tail = [&](unsigned shift) { m_ready.push_back(char(0x80 | (codePoint >> shift & 0x3f))); };
        if (codePoint < 0x80) {
            m_ready.push_back(char(codePoint));
        } else if (codePoint < 0x800) {
            m_ready.push_back(char(0xc0 | codePoint >> 6));
            tail(0);
        } else if (codePoint < 0x10000) {
            m_ready.push_back(char(0xe0 | codePoint >> 12));
            tail(6);
            tail(0);
        } else {
            m_ready.push_back(char(0xf0 | codePoint >> 18));
            tail(12);
            tail(6);
            tail(0);
        }
    }

    std::shared_ptr<ByteLayer> m_below;
    std::string m_ready;
    std::size_t m_taken = 0;
    std::uint32_t m_high = 0; // first half of a surrogate pair
    std::uint32_t m_half = 0;
    bool m_hasHalf = false;
    bool m_isLittle;
};

PullBytes readLayer(std::shared_ptr<ByteLayer> layer)
{
    return [layer = std::move(layer)](char* to, std::size_t size) { return layer->read(to, size); };
}

PullBytes textOf(PullBytes bytes)
{
    auto layer = std::make_shared<ByteLayer>(std::move(bytes));
    const auto head = layer->peek(headSize);
    const Opening opening = openingOf(head.value_or(std::string_view()));
    std::array<char, 4> mark;
    if (opening.markSize != 0)
        (void)layer->read(mark.data(), opening.markSize); // just peeked: it is there
    if (opening.encoding != Encoding::Utf8) {
        auto text = std::make_shared<Utf16Text>(layer, opening.encoding);
        layer = std::make_shared<ByteLayer>([text](char* to, std::size_t size) { return text->pull(to, size); });
    }
    const auto text = layer->peek(headSize);
    const ContainerLog log = containerLogOf(text.value_or(std::string_view()));
    return log == ContainerLog::None ? readLayer(std::move(layer)) : unwrappedLog(std::move(layer), log);
}

} // namespace

PullBytes textInput(ByteSource& bytes)
{
    return textOf([&bytes](char* to, std::size_t size) { return bytes.read(to, size); });
}

bool isPlainText(ByteSource& bytes)
{
    const std::string_view head = bytes.peek(headSize).value_or(std::string_view());
    const Opening opening = openingOf(head);
    return bytes.compression() == "none" && opening.encoding == Encoding::Utf8 && opening.markSize == 0
        && containerLogOf(head) == ContainerLog::None;
}

std::string textOfHead(std::string_view head)
{
    std::size_t taken = 0;
    const PullBytes pull = textOf([&](char* to, std::size_t size) -> Result<std::size_t> {
        const std::size_t count = head.copy(to, size, taken);
        taken += count;
        return count;
    });
    std::string text;
    std::array<char, 8192> block;
    for (auto got = pull(block.data(), block.size()); got && *got != 0; got = pull(block.data(), block.size()))
        text.append(block.data(), *got);
    return text;
}

} // namespace chokepoint
