// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One event of a Chrome trace from JSON, with its fields sorted out and its arguments packed.
#pragma once

#include "core/import/jsonvalues.h"
#include "core/model/spancolumns.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chokepoint {

/// Buffers are reused from event to event. Absent texts are empty; ids of arguments are the number, or a hash of other text; 0 when absent.
struct ChromeEvent {
    char phase = 0; // 0: the object has no "ph"
    bool isEmpty = true; // {}
    bool hasName = false;
    bool bindsEnclosing = false; // "bp": "e"
    bool flowsIn = false;
    bool flowsOut = false;
    bool isTimeOutOfRange = false; // it was clamped
    bool isLengthOutOfRange = false;
    char instantScope = 0; // "s": 'g', 'p' or 't'
    std::optional<Timestamp> time; // of the producer's clock
    std::optional<Duration> duration; // may be negative
    std::string badTime; // the text of a time that cannot be read
    std::string badLength;
    StringId name{};
    StringId category{};
    std::string pid;
    std::string tid;
    std::string id;
    std::string localId; // of id2
    std::string globalId; // of id2
    std::string scope;
    std::string bindId;
    std::uint64_t correlation = 0;
    std::uint64_t externalId = 0;
    std::uint64_t pythonId = 0;
    std::uint64_t pythonParentId = 0;
    std::string label; // of metadata: args.name or args.labels
    std::string arguments; // packed attributes
    std::string extras; // packed attributes: other members of the event, as chrome.NAME

    [[nodiscard]] bool isOutOfRange() const { return isTimeOutOfRange || isLengthOutOfRange; }
    void clear();
    /// What comes from the arguments.
    void clearArguments();
};

class ChromeEventReader {
public:
    ChromeEventReader(StringPool& strings, PackedWriter& writer, Diagnostics& diagnostics, const RecordPlace& place);

    /// False when the JSON is malformed; \a event is of no use then. Of members that come twice the last counts.
    [[nodiscard]] bool read(json::object object, ChromeEvent& event);

private:
    enum class Field : std::uint8_t;
    struct FieldName;
    struct KnownKey {
        std::string escaped;
        StringId id{};
    };
    static Field fieldOf(std::string_view key);

    [[nodiscard]] bool readMember(std::string_view key, json::value& value, ChromeEvent& event);
    [[nodiscard]] bool readArguments(json::value& value, ChromeEvent& event);
    [[nodiscard]] bool readId2(json::value& value, ChromeEvent& event);
    void readArgument(std::string_view key, const JsonToken& token, ChromeEvent& event);
    StringId interned(const JsonToken& token);
    StringId keyId(std::string_view escaped);
    void noteRepeated(Field field, std::string_view key);

    StringPool& m_strings;
    PackedWriter& m_writer;
    Diagnostics& m_diagnostics;
    const RecordPlace& m_place;
    JsonValues m_values;
    std::string m_scratch;
    std::string m_key;
    std::array<KnownKey, 256> m_keys;
    std::uint32_t m_seen = 0; // a bit a Field of the event being read
};

/// Microseconds in decimal notation as nanoseconds, exactly; nothing for other text.
[[nodiscard]] std::optional<std::int64_t> nanosecondsOfMicroseconds(std::string_view text, bool& isOutOfRange);

} // namespace chokepoint
