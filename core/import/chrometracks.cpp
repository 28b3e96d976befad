// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/chrometracks.h"

#include "core/import/decodenumber.h"

namespace chokepoint {

namespace {

AttributeValue numberOrText(const std::string& text)
{
    if (const auto number = integerFromText(text))
        return {*number};
    return {text};
}

} // namespace

TrackId ChromeTracks::track(std::string_view pid, std::string_view tid)
{
    if (!m_threads.empty() && thread(m_last).tid == tid && processOf(m_last).pid == pid)
        return m_last;
    m_key.assign(pid);
    m_key.push_back('\0');
    m_key.append(tid);
    const std::size_t track = toIndex(m_keys.intern(m_key)) - 1; // the pool's first text is the empty one
    if (track == m_threads.size()) {
        const auto [process, isNewProcess] = m_processByPid.try_emplace(std::string(pid), std::uint32_t(m_processes.size()));
        if (isNewProcess)
            m_processes.push_back({std::string(pid), {}, {}});
        m_threads.push_back({process->second, std::string(tid), {}});
    }
    return m_last = TrackId(track);
}

std::vector<ResourceId> ChromeTracks::resources(Dictionary& dictionary, const AttributeList& more) const
{
    std::vector<ResourceId> ids;
    for (const ChromeProcess& process : m_processes) {
        Resource resource;
        resource.attributes.push_back({"service.name", {process.name.empty() ? "pid " + process.pid : process.name}});
        if (!process.pid.empty())
            resource.attributes.push_back({"process.pid", numberOrText(process.pid)});
        if (!process.labels.empty())
            resource.attributes.push_back({"process.labels", {process.labels}});
        resource.attributes.insert(resource.attributes.end(), more.begin(), more.end());
        ids.push_back(dictionary.internResource(resource));
    }
    return ids;
}

std::string ChromeTracks::threadAttributes(TrackId track, PackedWriter& writer) const
{
    const ChromeThread& known = thread(track);
    std::string packed;
    writer.setOutput(&packed);
    if (!known.tid.empty()) {
        writer.key("thread.id");
        writer.value(numberOrText(known.tid));
    }
    if (!known.name.empty()) {
        writer.key("thread.name");
        writer.text(known.name);
    }
    return packed;
}

} // namespace chokepoint
