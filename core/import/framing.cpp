// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/framing.h"

#include "core/import/bytesource.h"

#include <algorithm>
#include <array>
#include <optional>

namespace chokepoint {

namespace {

constexpr int enoughHops = 3; // good frames in a row that prove a framing
constexpr std::size_t sniffedPayload = 64 << 10;

struct FrameHead {
    std::size_t size = 0; // of the head itself
    std::uint64_t length = 0;
};

std::uint64_t bigEndian32(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

/// Nothing when \a bytes end inside the head; length is beyond maxFrame when the head makes no sense.
std::optional<FrameHead> frameHead(std::string_view bytes, Framing framing)
{
    constexpr std::uint64_t senseless = maxFrame + 1;
    if (framing == Framing::VarintLength) {
        FrameHead head;
        for (int shift = 0; shift < 64 && head.size < bytes.size(); shift += 7) {
            const auto byte = static_cast<unsigned char>(bytes[head.size++]);
            head.length |= std::uint64_t(byte & 0x7fU) << shift;
            if (byte < 0x80)
                return head;
        }
        return bytes.size() >= 10 ? std::optional(FrameHead{10, senseless}) : std::nullopt;
    }
    const std::size_t flagSize = framing == Framing::Grpc ? 1 : 0;
    if (bytes.size() < flagSize + 4)
        return std::nullopt;
    if (flagSize == 1 && static_cast<unsigned char>(bytes[0]) > 1)
        return FrameHead{5, senseless};
    return FrameHead{flagSize + 4, bigEndian32(bytes.substr(flagSize))};
}

bool looksLikeJson(std::string_view payload)
{
    const std::size_t second = payload.find_first_not_of(" \t\r\n", 1);
    if (payload.empty() || second == std::string_view::npos)
        return false;
    return (payload[0] == '{' && (payload[second] == '"' || payload[second] == '}')) || (payload[0] == '[' && payload[second] == '{');
}

FoundFraming plainPayload(std::string_view payload, bool isCut)
{
    FoundFraming found;
    if (looksLikeJson(payload))
        return {Framing::None, PayloadKind::Json, ProtoShape::Unknown};
    found.shape = protoShape(payload, isCut);
    const bool isOtlp = found.shape >= ProtoShape::OtlpTraces && found.shape <= ProtoShape::OtlpProfiles; // nothing else comes in frames
    found.payload = isOtlp ? PayloadKind::Protobuf : PayloadKind::Unknown;
    return found;
}

FoundFraming payloadOf(std::string_view payload, bool isCut)
{
    if (!isCompressed(payload))
        return plainPayload(payload.substr(0, sniffedPayload), isCut || payload.size() > sniffedPayload);
    Result<std::unique_ptr<ByteSource>> inner = ByteSource::openMemory(payload);
    if (!inner)
        return {};
    const Result<std::string_view> bytes = (*inner)->peek(sniffedPayload);
    return bytes ? plainPayload(*bytes, isCut || bytes->size() == sniffedPayload) : FoundFraming{};
}

/// A text that begins with white space or a byte order mark may look like a length before a JSON text, but then one of 144 MiB
/// and more, and no frame of JSON is so long. Behind a single byte it needs no framing to be JSON. The start of an empty message
/// proves nothing.
bool isPlausible(std::string_view lengthBytes, const FoundFraming& inside, bool isCut, Framing framing)
{
    if (inside.payload == PayloadKind::Json)
        return framing != Framing::VarintLength && static_cast<unsigned char>(lengthBytes.front()) < '\t';
    return inside.payload == PayloadKind::Protobuf && !(isCut && inside.shape == ProtoShape::OtlpEmpty);
}

/// Hops from frame to frame until enough payloads made sense, the bytes end, or a payload makes none. What the first ones
/// were is the answer: a chain that breaks later is a damaged file of that framing.
FoundFraming tryFraming(std::string_view head, Framing framing)
{
    FoundFraming found;
    for (int hops = 0; hops < enoughHops;) {
        const std::optional<FrameHead> frame = frameHead(head, framing);
        if (!frame || frame->length > maxFrame)
            break;
        const std::string_view lengthBytes = head.substr(0, frame->size);
        head.remove_prefix(frame->size);
        if (frame->length == 0)
            continue;
        const std::string_view payload = head.substr(0, std::size_t(std::min<std::uint64_t>(frame->length, head.size())));
        const bool isCut = payload.size() < frame->length;
        const FoundFraming inside = payloadOf(payload, isCut);
        if (!isPlausible(lengthBytes, inside, isCut, framing))
            break;
        if (hops++ == 0 || found.shape == ProtoShape::OtlpEmpty)
            found = {framing, inside.payload, inside.shape};
        if (isCut)
            break;
        head.remove_prefix(payload.size());
    }
    return found;
}

} // namespace

bool isCompressed(std::string_view payload)
{
    using namespace std::string_view_literals;
    return payload.starts_with("\x28\xb5\x2f\xfd"sv) || payload.starts_with("\x1f\x8b"sv);
}

/// A bare message that proves itself comes first: its first bytes may be read as a length, but never the other way round,
/// because a length below 160 MiB begins with no valid tag. An empty one proves little and comes last.
FoundFraming findFraming(std::string_view head, bool isWhole)
{
    const ProtoShape bare = protoShape(head.substr(0, sniffedPayload), !isWhole || head.size() > sniffedPayload);
    const FoundFraming foundBare{Framing::None, bare == ProtoShape::Unknown ? PayloadKind::Unknown : PayloadKind::Protobuf, bare};
    if (bare != ProtoShape::Unknown && bare != ProtoShape::OtlpEmpty)
        return foundBare;
    for (const Framing framing : {Framing::BigEndianLength, Framing::VarintLength, Framing::Grpc}) {
        if (FoundFraming found = tryFraming(head, framing); found.payload != PayloadKind::Unknown)
            return found;
    }
    return foundBare;
}

Result<FrameStep> nextFrame(WireStream& stream, Framing framing, std::uint64_t& length)
{
    while (true) {
        constexpr std::uint64_t longestHead = 10;
        const Result<std::string_view> bytes = stream.peek(longestHead);
        if (!bytes)
            return fail(bytes.error());
        if (bytes->empty())
            return FrameStep::End;
        const std::optional<FrameHead> head = frameHead(*bytes, framing);
        if (!head)
            return FrameStep::Cut;
        if (head->length > maxFrame)
            return FrameStep::Malformed;
        if (const Result<bool> skipped = stream.skip(head->size); !skipped)
            return fail(skipped.error());
        if (head->length > 0) {
            length = head->length;
            return FrameStep::Frame;
        }
    }
}

} // namespace chokepoint
