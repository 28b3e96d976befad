// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/chromeevent.h"

#include "core/import/decodenumber.h"

#include <algorithm>
#include <array>
#include <limits>

namespace chokepoint {

enum class ChromeEventReader::Field : std::uint8_t {
    Name,
    Category,
    Phase,
    Time,
    Length,
    Pid,
    Tid,
    Arguments,
    Id,
    Id2,
    Scope,
    BindId,
    BindPoint,
    FlowIn,
    FlowOut,
    InstantScope,
    ColourName,
    Other
};

namespace {

/// A name of up to 8 letters as a number, which is compared in one step; 0 for longer ones.
constexpr std::uint64_t wordOf(std::string_view name)
{
    std::uint64_t word = 0;
    for (const char c : name.size() <= 8 ? name : std::string_view())
        word = word << 8 | static_cast<unsigned char>(c);
    return word;
}

} // namespace

struct ChromeEventReader::FieldName {
    constexpr FieldName(std::string_view name, Field of) : word(wordOf(name)), field(of) { }
    std::uint64_t word;
    Field field;
};

ChromeEventReader::Field ChromeEventReader::fieldOf(std::string_view key)
{
    static constexpr std::array names = {
        FieldName{"ph", Field::Phase},
        FieldName{"ts", Field::Time},
        FieldName{"dur", Field::Length},
        FieldName{"pid", Field::Pid},
        FieldName{"tid", Field::Tid},
        FieldName{"cat", Field::Category},
        FieldName{"name", Field::Name},
        FieldName{"args", Field::Arguments},
        FieldName{"id", Field::Id},
        FieldName{"id2", Field::Id2},
        FieldName{"scope", Field::Scope},
        FieldName{"bind_id", Field::BindId},
        FieldName{"bp", Field::BindPoint},
        FieldName{"flow_in", Field::FlowIn},
        FieldName{"flow_out", Field::FlowOut},
        FieldName{"s", Field::InstantScope},
        FieldName{"cname", Field::ColourName},
    };
    static_assert(std::ranges::all_of(names, [](const FieldName& entry) { return entry.word != 0; }), "names of up to 8 letters");
    const std::uint64_t word = wordOf(key);
    for (const FieldName& entry : names)
        if (entry.word == word)
            return entry.field;
    return Field::Other;
}

namespace {

std::string_view content(const JsonToken& token)
{
    return token.kind == JsonKind::Text ? token.raw.substr(1, token.raw.size() - 2) : token.raw;
}

/// Decimal numbers as they are, so that what is near in the file stays near; other texts as a hash, because ids beyond 2^53 are exact.
std::uint64_t idOf(const JsonToken& token)
{
    constexpr std::uint64_t isText = std::uint64_t(1) << 63;
    if (token.kind != JsonKind::Text && token.kind != JsonKind::Number)
        return 0;
    const std::string_view text = content(token);
    const auto number = text.size() <= 18 ? integerFromText(text) : std::nullopt;
    if (number)
        return *number > 0 ? std::uint64_t(*number) : 0;
    return text.empty() ? 0 : hash64(text) | isText;
}

bool isTrue(const JsonToken& token)
{
    const std::string_view text = content(token);
    return text == "true" || text == "1";
}

/// Nothing for null; for what cannot be read too, which \a bad is then.
std::optional<std::int64_t> nanoseconds(const JsonToken& token, bool& isOutOfRange, std::string& bad)
{
    isOutOfRange = false;
    bad.clear();
    if (token.isNull())
        return std::nullopt;
    const auto ns = nanosecondsOfMicroseconds(content(token), isOutOfRange);
    if (!ns)
        bad = content(token).substr(0, 60);
    return ns;
}

} // namespace

std::optional<std::int64_t> nanosecondsOfMicroseconds(std::string_view text, bool& isOutOfRange)
{
    // What nearly all producers write: up to 16 digits, such as a date has, and at most three behind the point.
    constexpr std::size_t longestPlain = 16;
    constexpr std::int64_t largestPlain = std::numeric_limits<std::int64_t>::max() / 1000 - 1;
    std::int64_t value = 0;
    std::size_t at = 0;
    for (; at < text.size() && at < longestPlain && text[at] >= '0' && text[at] <= '9'; ++at)
        value = value * 10 + (text[at] - '0');
    const bool isPlain = at > 0 && value <= largestPlain;
    if (isPlain && at == text.size())
        return value * 1000;
    if (isPlain && text[at] == '.') {
        std::int64_t unit = 1000;
        value *= 1000;
        for (++at; at < text.size() && unit > 1 && text[at] >= '0' && text[at] <= '9'; ++at)
            value += (text[at] - '0') * (unit /= 10);
        if (at == text.size())
            return value;
    }
    const auto number = scaledInteger(text, 3);
    if (!number)
        return std::nullopt;
    isOutOfRange |= number->isOutOfRange;
    return std::max(number->value, std::numeric_limits<std::int64_t>::min() + 1);
}

void ChromeEvent::clear()
{
    phase = instantScope = 0;
    isEmpty = true;
    hasName = bindsEnclosing = flowsIn = flowsOut = isTimeOutOfRange = isLengthOutOfRange = false;
    time.reset();
    duration.reset();
    name = category = StringId{};
    for (std::string* text : {&badTime, &badLength, &pid, &tid, &id, &localId, &globalId, &scope, &bindId, &extras})
        text->clear();
    clearArguments();
}

void ChromeEvent::clearArguments()
{
    correlation = externalId = pythonId = pythonParentId = 0;
    label.clear();
    arguments.clear();
}

ChromeEventReader::ChromeEventReader(StringPool& strings, PackedWriter& writer, Diagnostics& diagnostics, const RecordPlace& place)
    : m_strings(strings), m_writer(writer), m_diagnostics(diagnostics), m_place(place), m_values(writer, diagnostics, place)
{
}

bool ChromeEventReader::read(json::object object, ChromeEvent& event)
{
    event.clear();
    m_seen = 0;
    return forEachMember(object, [&](json::field& field) {
        event.isEmpty = false;
        return readMember(rawKey(field), field.value(), event);
    });
}

StringId ChromeEventReader::interned(const JsonToken& token)
{
    return m_strings.intern(tokenText(token, m_scratch));
}

bool ChromeEventReader::readMember(std::string_view key, json::value& value, ChromeEvent& event)
{
    const JsonToken token = tokenOf(value);
    if (token.kind == JsonKind::Invalid)
        return false;
    const auto text = [&](std::string& to) { to = token.isScalar() ? tokenText(token, m_scratch) : std::string_view(); };
    const Field known = fieldOf(key);
    noteRepeated(known, key);
    switch (known) {
    case Field::Phase: event.phase = content(token).size() == 1 ? content(token).front() : token.isNull() ? '\0' : '?'; break;
    case Field::Time:
        event.time.reset();
        if (const auto ns = nanoseconds(token, event.isTimeOutOfRange, event.badTime))
            event.time = timestampFromNs(*ns);
        break;
    case Field::Length:
        event.duration.reset();
        if (const auto ns = nanoseconds(token, event.isLengthOutOfRange, event.badLength))
            event.duration = Duration{*ns};
        break;
    case Field::Name:
        event.hasName = token.isScalar() && !token.isNull();
        event.name = event.hasName ? interned(token) : StringId{};
        break;
    case Field::Category: event.category = token.isScalar() ? interned(token) : StringId{}; break;
    case Field::Pid: text(event.pid); break;
    case Field::Tid: text(event.tid); break;
    case Field::Id: text(event.id); break;
    case Field::Scope: text(event.scope); break;
    case Field::BindId: text(event.bindId); break;
    case Field::BindPoint: event.bindsEnclosing = content(token) == "e"; break;
    case Field::FlowIn: event.flowsIn = isTrue(token); break;
    case Field::FlowOut: event.flowsOut = isTrue(token); break;
    case Field::InstantScope: event.instantScope = content(token).empty() ? '\0' : content(token).front(); break;
    case Field::ColourName: break;
    case Field::Id2: return readId2(value, event);
    case Field::Arguments: return readArguments(value, event);
    case Field::Other:
        m_key.assign("chrome.").append(key);
        m_writer.setOutput(&event.extras);
        m_writer.key(unescaped(m_key, m_scratch));
        return m_values.plainValue(value);
    }
    return true;
}

void ChromeEventReader::noteRepeated(Field field, std::string_view key)
{
    const std::uint32_t bit = 1U << unsigned(field);
    if (field != Field::Other && (m_seen & bit) != 0)
        m_diagnostics.report(DiagnosticCode::DuplicateKey,
            [&] { return fmt::format("{}: \"{}\" occurs more than once in an event; the last one counts", m_place.text(), key); });
    m_seen |= bit;
}

bool ChromeEventReader::readId2(json::value& value, ChromeEvent& event)
{
    event.localId.clear();
    event.globalId.clear();
    json::object object;
    if (tokenOf(value).kind != JsonKind::Object)
        return true;
    return value.get_object().get(object) == simdjson::SUCCESS && forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        const JsonToken token = tokenOf(field.value());
        if (key == "local" || key == "global")
            (key == "local" ? event.localId : event.globalId) = token.isScalar() ? tokenText(token, m_scratch) : std::string_view();
        return token.kind != JsonKind::Invalid;
    });
}

bool ChromeEventReader::readArguments(json::value& value, ChromeEvent& event)
{
    event.clearArguments();
    m_writer.setOutput(&event.arguments);
    json::object object;
    if (const JsonToken token = tokenOf(value); token.kind != JsonKind::Object) {
        if (token.isNull())
            return true;
        m_writer.key("args");
        return m_values.plainValue(value);
    }
    return value.get_object().get(object) == simdjson::SUCCESS && forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        const JsonToken token = tokenOf(field.value());
        readArgument(key, token, event);
        m_writer.key(keyId(key));
        if (!token.isScalar())
            return m_values.plainValue(field.value());
        m_values.plainScalar(token);
        return true;
    });
}

/// The same few names come again and again.
StringId ChromeEventReader::keyId(std::string_view escaped)
{
    if (escaped.empty())
        return m_strings.intern(escaped);
    const std::size_t mix = escaped.size() * 31 + std::size_t(escaped.front()) + std::size_t(escaped.back()) * 7
        + std::size_t(escaped[escaped.size() / 2]) * 13;
    KnownKey& known = m_keys[mix % m_keys.size()];
    if (known.escaped != escaped) {
        known.escaped = escaped;
        known.id = m_strings.intern(unescaped(escaped, m_scratch));
    }
    return known.id;
}

void ChromeEventReader::readArgument(std::string_view key, const JsonToken& token, ChromeEvent& event)
{
    if (key.empty())
        return;
    switch (key.front()) {
    case 'c':
        if (key == "correlation")
            event.correlation = idOf(token);
        break;
    case 'E':
        if (key == "External id")
            event.externalId = idOf(token);
        break;
    case 'P':
        if (key == "Python id")
            event.pythonId = idOf(token);
        else if (key == "Python parent id")
            event.pythonParentId = idOf(token);
        break;
    case 'n':
    case 'l':
        if ((key == "name" || key == "labels") && token.isScalar())
            event.label = tokenText(token, m_scratch);
        break;
    default: break;
    }
}

} // namespace chokepoint
