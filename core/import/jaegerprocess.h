// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Jaeger's processes as resources: decoded once, and named by a trace's own short ids.
#pragma once

#include "core/import/jaegertags.h"
#include "core/model/dictionary.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace chokepoint {

/// Spans name processes that may stand behind them, so that each name gets a number first and a resource at the end.
class JaegerProcesses {
public:
    JaegerProcesses(Dictionary& dictionary, Diagnostics& diagnostics, const RecordPlace& place);

    /// A new trace: forgets all numbers.
    void clear();
    /// The number of the process that a trace calls \a name ("" for a span that names none).
    [[nodiscard]] std::uint32_t numberOf(std::string_view name);
    /// The number of a process that is part of its span; \a text is its JSON.
    [[nodiscard]] std::uint32_t numberOfText(std::string_view text);
    /// Reads the trace's "processes". False when the JSON is malformed.
    [[nodiscard]] bool readAll(json::value value);
    /// The same for text that lies outside of the document.
    [[nodiscard]] bool readAllText(std::string_view text);
    /// Resources by number. Names without a process become "unknown-service" (MISSING_PROCESS).
    [[nodiscard]] std::vector<ResourceId> resources();

private:
    struct Process {
        std::string name;
        ResourceId resource{};
        bool isKnown = false;
    };
    [[nodiscard]] ResourceId resourceOf(std::string_view text);
    [[nodiscard]] bool readProcess(Resource& resource);
    [[nodiscard]] bool readTags(json::value value, bool areFields, AttributeList& attributes);

    Dictionary& m_dictionary;
    Diagnostics& m_diagnostics;
    const RecordPlace& m_place;
    PackedWriter m_writer;
    JaegerTags m_tags;
    JsonDocument m_document; // of one process
    JsonDocument m_all; // of all processes of a trace that was walked into
    std::vector<Process> m_processes; // by number
    std::unordered_map<std::string, std::uint32_t> m_numbers; // by name
    std::unordered_map<std::string, ResourceId> m_known; // by JSON text, over all traces
    std::string m_packed;
    std::string m_scratch;
};

} // namespace chokepoint
