// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jaegerprocess.h"

namespace chokepoint {

namespace {

constexpr std::size_t knownAtMost = 16384; // then the cache starts anew; ids stay, the dictionary knows them
constexpr std::string_view noServiceName = "OTLPResourceNoServiceName"; // Jaeger writes it where OTLP had none

} // namespace

JaegerProcesses::JaegerProcesses(Dictionary& dictionary, Diagnostics& diagnostics, const RecordPlace& place)
    : m_dictionary(dictionary), m_diagnostics(diagnostics), m_place(place), m_writer(dictionary.strings),
      m_tags(m_writer, diagnostics, place)
{
}

void JaegerProcesses::clear()
{
    m_processes.clear();
    m_numbers.clear();
}

std::uint32_t JaegerProcesses::numberOf(std::string_view name)
{
    const auto [entry, isNew] = m_numbers.try_emplace(std::string(name), std::uint32_t(m_processes.size()));
    if (isNew)
        m_processes.push_back({entry->first, {}, false});
    return entry->second;
}

std::uint32_t JaegerProcesses::numberOfText(std::string_view text)
{
    // No process name begins like an object.
    const std::uint32_t number = numberOf(text);
    Process& process = m_processes[number];
    m_tags.setBinaryIsHex(true);
    if (!process.isKnown)
        process.resource = resourceOf(text);
    process.isKnown = true;
    m_tags.setBinaryIsHex(false);
    return number;
}

bool JaegerProcesses::readAll(json::value value)
{
    const JsonToken token = tokenOf(value);
    json::object object;
    if (token.kind != JsonKind::Object)
        return token.kind != JsonKind::Invalid;
    return value.get_object().get(object) == simdjson::SUCCESS && forEachMember(object, [&](json::field& field) {
        json::object process;
        std::string_view text;
        const std::string name(unescaped(rawKey(field), m_scratch));
        if (tokenOf(field.value()).kind != JsonKind::Object)
            return true;
        if (field.value().get_object().get(process) != simdjson::SUCCESS || process.raw_json().get(text) != simdjson::SUCCESS)
            return false;
        Process& entry = m_processes[numberOf(name)];
        entry.resource = resourceOf(text);
        entry.isKnown = true;
        return true;
    });
}

bool JaegerProcesses::readAllText(std::string_view text)
{
    json::value value;
    return !text.empty() && m_all.openCopy(text, m_diagnostics) && m_all.root().get_value().get(value) == simdjson::SUCCESS
        && readAll(value);
}

std::vector<ResourceId> JaegerProcesses::resources()
{
    std::vector<ResourceId> resources;
    for (const Process& process : m_processes) {
        if (process.isKnown) {
            resources.push_back(process.resource);
            continue;
        }
        m_diagnostics.report(DiagnosticCode::MissingProcess, [&] {
            return fmt::format(
                "{}: process \"{}\" is not in the trace; its spans belong to \"unknown-service\"", m_place.text(), process.name);
        });
        resources.push_back(m_dictionary.internResource({{{"service.name", {std::string("unknown-service")}}}, 0, {}, {}}));
    }
    return resources;
}

ResourceId JaegerProcesses::resourceOf(std::string_view text)
{
    std::string key(text);
    if (const auto found = m_known.find(key); found != m_known.end())
        return found->second;
    Resource resource;
    if (!m_document.openCopy(text, m_diagnostics) || !readProcess(resource))
        m_diagnostics.report(DiagnosticCode::BadAttributes,
            [&] { return fmt::format("{}: a process cannot be read; its spans were kept without", m_place.text()); });
    const ResourceId id = m_dictionary.internResource(resource);
    if (m_known.size() >= knownAtMost)
        m_known.clear();
    m_known.emplace(std::move(key), id);
    return id;
}

bool JaegerProcesses::readTags(json::value value, bool areFields, AttributeList& attributes)
{
    const auto takeNone = [](std::string_view, const JsonToken&) { return false; };
    m_packed.clear();
    m_writer.setOutput(&m_packed);
    m_writer.beginMap();
    if (!(areFields ? m_tags.readFields(value, takeNone) : m_tags.readList(value, takeNone)))
        return false;
    m_writer.endMap();
    PackedCursor cursor(m_packed);
    AttributeValue decoded = decodeValue(cursor, m_dictionary.strings);
    if (auto* list = std::get_if<AttributeList>(&decoded.value))
        attributes.insert(attributes.end(), std::make_move_iterator(list->begin()), std::make_move_iterator(list->end()));
    return true;
}

bool JaegerProcesses::readProcess(Resource& resource)
{
    json::object object;
    if (m_document.root().get_object().get(object) != simdjson::SUCCESS)
        return false;
    std::string service;
    bool hasService = false;
    const bool isGood = forEachMember(object, [&](json::field& field) {
        const std::string_view key = rawKey(field);
        if (key == "tags" || key == "tag")
            return readTags(field.value(), key == "tag", resource.attributes);
        const JsonToken token = tokenOf(field.value());
        if (key == "serviceName" || key == "service_name") {
            service = tokenText(token, m_scratch);
            hasService = !token.isNull() && service != noServiceName;
        }
        return token.kind != JsonKind::Invalid;
    });
    if (hasService)
        resource.attributes.insert(resource.attributes.begin(), Attribute{"service.name", {service}});
    return isGood;
}

} // namespace chokepoint
