// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The processes and threads of a Chrome trace, whose names may come before or behind their events.
#pragma once

#include "core/import/chromerecords.h"
#include "core/model/dictionary.h"
#include "core/model/packed.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace chokepoint {

struct ChromeThread {
    std::uint32_t process = 0;
    std::string tid;
    std::string name;
};

struct ChromeProcess {
    std::string pid;
    std::string name;
    std::string labels;
};

class ChromeTracks {
public:
    /// The thread \a tid of the process \a pid; numbers and texts are the same.
    TrackId track(std::string_view pid, std::string_view tid);
    void setProcessName(TrackId track, std::string_view name) { process(track).name = name; }
    void setProcessLabels(TrackId track, std::string_view labels) { process(track).labels = labels; }
    void setThreadName(TrackId track, std::string_view name) { m_threads[toIndex(track)].name = name; }

    [[nodiscard]] const ChromeThread& thread(TrackId track) const { return m_threads[toIndex(track)]; }
    [[nodiscard]] std::size_t threadCount() const { return m_threads.size(); }
    [[nodiscard]] const ChromeProcess& processOf(TrackId track) const { return m_processes[thread(track).process]; }

    /// The resource of every process, by index: service.name, process.pid, labels, then \a more of the file.
    [[nodiscard]] std::vector<ResourceId> resources(Dictionary& dictionary, const AttributeList& more) const;
    /// thread.id and thread.name, packed.
    [[nodiscard]] std::string threadAttributes(TrackId track, PackedWriter& writer) const;

private:
    ChromeProcess& process(TrackId track) { return m_processes[m_threads[toIndex(track)].process]; }

    std::vector<ChromeThread> m_threads;
    std::vector<ChromeProcess> m_processes;
    std::unordered_map<std::string, std::uint32_t> m_processByPid;
    StringPool m_keys; // "pid", zero byte, "tid" of each track, in their order
    std::string m_key;
    TrackId m_last{}; // of track(): events of a thread often follow each other
};

} // namespace chokepoint
