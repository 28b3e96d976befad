// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/protowire.h"

#include "core/import/bytesource.h"

#include <algorithm>

namespace chokepoint {

namespace {

constexpr std::size_t longestVarint = 10;
constexpr std::size_t longestHead = 2 * longestVarint;
constexpr std::uint64_t blockSize = 256 << 10;

WireStep readVarint(std::string_view bytes, std::uint64_t& value, std::size_t& used)
{
    value = 0;
    for (std::size_t i = 0; i < longestVarint; ++i) {
        if (used == bytes.size())
            return WireStep::Cut;
        const auto byte = static_cast<unsigned char>(bytes[used++]);
        value |= std::uint64_t(byte & 0x7fU) << (7 * i);
        if (byte < 0x80)
            return WireStep::Field;
    }
    return WireStep::Malformed;
}

} // namespace

WireStep readFieldHead(std::string_view bytes, WireField& field, std::size_t& used)
{
    used = 0;
    std::uint64_t tag = 0;
    if (const WireStep step = readVarint(bytes, tag, used); step != WireStep::Field)
        return step;
    if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
        return WireStep::Malformed;
    field.number = std::uint32_t(tag >> 3);
    field.type = WireType(tag & 7);
    switch (field.type) {
    case WireType::Varint:
    case WireType::Length: return readVarint(bytes, field.value, used);
    case WireType::Fixed64: field.value = 8; return WireStep::Field;
    case WireType::Fixed32: field.value = 4; return WireStep::Field;
    }
    return WireStep::Malformed;
}

WireStep WireWalk::next()
{
    if (m_rest.empty())
        return m_isCut ? WireStep::Cut : WireStep::End;
    std::size_t used = 0;
    const WireStep step = readFieldHead(m_rest, m_field, used);
    if (step == WireStep::Cut && !m_isCut)
        return WireStep::Malformed; // a message that is whole cannot end in a head
    if (step != WireStep::Field)
        return step;
    m_rest.remove_prefix(used);
    m_content = {};
    if (m_field.type == WireType::Varint)
        return WireStep::Field;
    if (m_field.value > m_rest.size() && !m_isCut)
        return WireStep::Malformed;
    m_content = m_rest.substr(0, std::size_t(std::min<std::uint64_t>(m_field.value, m_rest.size())));
    m_rest.remove_prefix(m_content.size());
    return WireStep::Field;
}

void WireStream::consume(std::size_t size)
{
    m_begin += size;
    m_position += size;
}

/// Has \a size bytes in the buffer, or all that are left. Grows with what really arrives, never with what a length claims.
Result<void> WireStream::fill(std::uint64_t size)
{
    while (m_end - m_begin < size && !m_atEnd) {
        makeRoom(std::size_t(std::clamp(size - (m_end - m_begin), blockSize, 16 * blockSize)));
        Result<std::size_t> got = m_source.read(m_buffer.get() + m_end, m_size - m_end);
        if (!got)
            return fail(std::move(got).error());
        m_end += *got;
        m_atEnd = *got == 0;
    }
    return {};
}

/// Behind the unread bytes, which move when they have to.
void WireStream::makeRoom(std::size_t room)
{
    if (m_size - m_end >= room)
        return;
    const std::size_t unread = m_end - m_begin;
    if (m_size < unread + room) {
        m_size = std::max(unread + room, m_size + m_size / 2);
        auto buffer = std::make_unique_for_overwrite<char[]>(m_size);
        std::copy_n(m_buffer.get() + m_begin, unread, buffer.get());
        m_buffer = std::move(buffer);
    } else {
        std::copy_n(m_buffer.get() + m_begin, unread, m_buffer.get());
    }
    m_begin = 0;
    m_end = unread;
}

Result<std::string_view> WireStream::peek(std::uint64_t size)
{
    if (Result<void> filled = fill(size); !filled)
        return fail(std::move(filled).error());
    return buffered().substr(0, std::size_t(std::min<std::uint64_t>(size, buffered().size())));
}

Result<std::string_view> WireStream::take(std::uint64_t size)
{
    Result<std::string_view> bytes = peek(size);
    if (bytes)
        consume(bytes->size());
    return bytes;
}

Result<bool> WireStream::skip(std::uint64_t size)
{
    while (size > 0) {
        const Result<std::string_view> bytes = take(std::min(size, blockSize));
        if (!bytes)
            return fail(bytes.error());
        if (bytes->empty())
            return false;
        size -= bytes->size();
    }
    return true;
}

Result<WireStep> WireStream::next(std::uint64_t end)
{
    if (m_position == end)
        return WireStep::End;
    const std::uint64_t room = end - m_position;
    const Result<std::string_view> head = peek(std::min<std::uint64_t>(room, longestHead));
    if (!head)
        return fail(head.error());
    if (head->empty())
        return end == untilEnd ? WireStep::End : WireStep::Cut;
    std::size_t used = 0;
    const WireStep step = readFieldHead(*head, m_field, used);
    if (step == WireStep::Cut && head->size() == room)
        return WireStep::Malformed;
    if (step != WireStep::Field)
        return step;
    const std::uint64_t content = m_field.type == WireType::Varint ? 0 : m_field.value;
    if (content > room - used)
        return WireStep::Malformed;
    consume(used);
    return WireStep::Field;
}

} // namespace chokepoint
