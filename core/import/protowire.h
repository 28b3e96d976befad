// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The protobuf wire: fields of a message in memory (for looking at unknown bytes) and of a stream (for messages of any size).
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

namespace chokepoint {

class ByteSource;

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Length = 2, Fixed32 = 5 }; // 3 and 4, groups, are never used by OTLP

struct WireField {
    std::uint32_t number = 0;
    WireType type = WireType::Varint;
    std::uint64_t value = 0; // of a varint; bytes to follow for the other types
};

enum class WireStep {
    Field,
    End, // of the message
    Cut, // the bytes end inside the message
    Malformed, // no protobuf: field number 0, a group, a varint of more than ten bytes, a length beyond the message
};

/// Decodes the tag of a field, with the value of a varint or the length of the rest. \a used counts the bytes taken.
[[nodiscard]] WireStep readFieldHead(std::string_view bytes, WireField& field, std::size_t& used);

/// Walks the fields of one message in memory. Where \a isCut, the message goes on beyond its bytes.
class WireWalk {
public:
    explicit WireWalk(std::string_view bytes, bool isCut = false) : m_rest(bytes), m_isCut(isCut) { }

    /// Moves to the next field. A field whose content the bytes do not hold whole is still a Field of a cut message.
    [[nodiscard]] WireStep next();
    [[nodiscard]] const WireField& field() const { return m_field; }
    /// What there is of a field's content (not of a varint).
    [[nodiscard]] std::string_view content() const { return m_content; }
    [[nodiscard]] bool contentIsCut() const { return m_content.size() < m_field.value; }
    [[nodiscard]] bool is(std::uint32_t number, WireType type) const { return m_field.number == number && m_field.type == type; }

private:
    std::string_view m_rest;
    std::string_view m_content;
    WireField m_field;
    bool m_isCut;
};

/// Walks nested messages of a stream without holding them: the caller keeps the end of each message it is inside of.
class WireStream {
public:
    /// The end of a message that lasts until the stream ends.
    static constexpr std::uint64_t untilEnd = std::numeric_limits<std::uint64_t>::max();
    /// Longest field that take() holds in memory.
    static constexpr std::uint64_t maxField = std::uint64_t(1) << 30;

    explicit WireStream(ByteSource& source) : m_source(source) { }

    /// Bytes consumed so far.
    [[nodiscard]] std::uint64_t position() const { return m_position; }
    /// Reads the head of the next field of the message that ends at \a end. The content comes next in the stream.
    [[nodiscard]] Result<WireStep> next(std::uint64_t end);
    [[nodiscard]] const WireField& field() const { return m_field; }
    /// The next \a size bytes; fewer when the stream ends before. Good until the next call.
    [[nodiscard]] Result<std::string_view> take(std::uint64_t size);
    /// As take() without moving.
    [[nodiscard]] Result<std::string_view> peek(std::uint64_t size);
    /// Moves over \a size bytes (clipped to the stream's end); false when the stream ends before.
    [[nodiscard]] Result<bool> skip(std::uint64_t size);

private:
    [[nodiscard]] Result<void> fill(std::uint64_t size);
    [[nodiscard]] std::string_view buffered() const { return {m_buffer.get() + m_begin, m_end - m_begin}; }
    void makeRoom(std::size_t room);
    void consume(std::size_t size);

    ByteSource& m_source;
    std::unique_ptr<char[]> m_buffer; // [m_begin, m_end) is unread
    std::size_t m_size = 0; // of m_buffer
    std::size_t m_begin = 0;
    std::size_t m_end = 0;
    std::uint64_t m_position = 0;
    bool m_atEnd = false;
    WireField m_field;
};

} // namespace chokepoint
