// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/floors.h"

#include <protozero/pbf_reader.hpp>
#include <simdjson.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace chokepoint::bench {
namespace {

constexpr std::size_t chunkBytes = 8 << 20;

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Calls take(begin, end, capacity) with all bytes read so far and not yet taken; it returns how many it took.
template <typename Take> void readChunks(const std::filesystem::path& path, Take&& take)
{
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
    std::vector<char> buffer(2 * chunkBytes);
    std::size_t held = 0;
    while (file) {
        const std::size_t got = std::fread(buffer.data() + held, 1, chunkBytes, file.get());
        if (got == 0)
            return;
        held += got;
        const std::size_t taken = take(buffer.data(), held, buffer.size());
        std::memmove(buffer.data(), buffer.data() + taken, held - taken);
        held -= taken;
    }
}

using namespace simdjson;

/// The depth is that of the workload's own files.
std::uint64_t touch(ondemand::value value)
{
    std::uint64_t sum = 1;
    switch (ondemand::json_type(value.type())) {
    case ondemand::json_type::object:
        for (ondemand::field field : value.get_object()) {
            sum += std::string_view(field.unescaped_key()).size();
            sum += touch(field.value());
        }
        return sum;
    case ondemand::json_type::array:
        for (ondemand::value element : value.get_array())
            sum += touch(element);
        return sum;
    case ondemand::json_type::string: return sum + std::string_view(value.get_string()).size();
    case ondemand::json_type::number: return sum + std::uint64_t(double(value.get_double()));
    default: return sum;
    }
}

// Which fields of OTLP are messages, by message: trace.proto and common.proto.
enum class Message { TracesData, ResourceSpans, Resource, ScopeSpans, Scope, Span, Event, Status, KeyValue, AnyValue, Leaf };

Message childMessage(Message message, std::uint32_t field)
{
    switch (message) {
    case Message::TracesData: return Message::ResourceSpans;
    case Message::ResourceSpans: return field == 1 ? Message::Resource : field == 2 ? Message::ScopeSpans : Message::Leaf;
    case Message::Resource: return field == 1 ? Message::KeyValue : Message::Leaf;
    case Message::ScopeSpans: return field == 1 ? Message::Scope : field == 2 ? Message::Span : Message::Leaf;
    case Message::Span:
        return field == 9 ? Message::KeyValue : field == 11 ? Message::Event : field == 15 ? Message::Status : Message::Leaf;
    case Message::Event: return field == 3 ? Message::KeyValue : Message::Leaf;
    case Message::KeyValue: return field == 2 ? Message::AnyValue : Message::Leaf;
    default: return Message::Leaf;
    }
}

std::uint64_t touch(protozero::pbf_reader reader, Message message)
{
    std::uint64_t sum = 0;
    while (reader.next()) {
        switch (reader.wire_type()) {
        case protozero::pbf_wire_type::varint: sum += reader.get_uint64(); break;
        case protozero::pbf_wire_type::fixed64: sum += reader.get_fixed64(); break;
        case protozero::pbf_wire_type::fixed32: sum += reader.get_fixed32(); break;
        case protozero::pbf_wire_type::length_delimited: {
            const Message child = childMessage(message, reader.tag());
            const protozero::data_view bytes = reader.get_view();
            sum += child == Message::Leaf ? bytes.size() : touch(protozero::pbf_reader(bytes), child);
            break;
        }
        default: reader.skip();
        }
    }
    return sum;
}

std::size_t frameLength(const char* bytes)
{
    std::size_t length = 0;
    for (int i = 0; i < 4; ++i)
        length = length << 8 | static_cast<unsigned char>(bytes[i]);
    return length;
}

} // namespace

std::uint64_t readFloor(const std::filesystem::path& path)
{
    std::uint64_t sum = 0;
    readChunks(path, [&sum](const char* bytes, std::size_t size, std::size_t) {
        for (std::size_t i = 0; i < size; i += 4096)
            sum += std::uint64_t(bytes[i]);
        return size;
    });
    return sum;
}

std::uint64_t simdjsonFloor(const std::filesystem::path& path)
{
    std::uint64_t sum = 0;
    ondemand::parser parser;
    readChunks(path, [&](char* bytes, std::size_t size, std::size_t capacity) {
        std::size_t begin = 0;
        while (const char* newline = static_cast<const char*>(std::memchr(bytes + begin, '\n', size - begin))) {
            const std::size_t length = std::size_t(newline - bytes) - begin;
            ondemand::document line = parser.iterate(bytes + begin, length, capacity - begin);
            sum += touch(line.get_value());
            begin += length + 1;
        }
        return begin;
    });
    return sum;
}

std::uint64_t protozeroFloor(const std::filesystem::path& path)
{
    std::uint64_t sum = 0;
    readChunks(path, [&sum](const char* bytes, std::size_t size, std::size_t) {
        std::size_t begin = 0;
        while (size - begin >= 4 && size - begin - 4 >= frameLength(bytes + begin)) {
            const std::size_t length = frameLength(bytes + begin);
            sum += touch(protozero::pbf_reader(bytes + begin + 4, length), Message::TracesData);
            begin += 4 + length;
        }
        return begin;
    });
    return sum;
}

} // namespace chokepoint::bench
