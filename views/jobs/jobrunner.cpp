// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// JobRunner: a generation number a job decides on the UI thread whether its result is still wanted.
#include "views/jobs/jobrunner.h"

#include <QMetaObject>

#include <algorithm>
#include <mutex>
#include <optional>

namespace chokepoint {

namespace {

/// Latest progress of a job; a flag keeps at most one delivery in the event queue.
struct ProgressBox {
    std::mutex mutex;
    std::optional<Progress> latest;

    /// True when a delivery must be posted.
    bool put(const Progress& progress)
    {
        const std::scoped_lock lock(mutex);
        const bool idle = !latest;
        latest = progress;
        return idle;
    }
    std::optional<Progress> take()
    {
        const std::scoped_lock lock(mutex);
        return std::exchange(latest, std::nullopt);
    }
};

} // namespace

JobRunner::JobRunner(QObject* parent) : QObject(parent)
{
    // A job that is being stopped must not keep its successor waiting.
    m_pool.setMaxThreadCount(std::max(4, m_pool.maxThreadCount()));
}

JobRunner::~JobRunner()
{
    for (Job& job : m_jobs)
        job.stop.request_stop();
    m_pool.waitForDone();
}

void JobRunner::start(const QString& slot, QObject* context, Task task)
{
    if (const auto it = m_jobs.find(slot); it != m_jobs.end())
        it->stop.request_stop();
    Job job{++m_generation, std::stop_source{}};
    m_jobs.insert(slot, job);

    const auto box = std::make_shared<ProgressBox>();
    const std::uint64_t generation = job.generation;
    const auto onProgress = [this, slot, generation, box](const Progress& progress) {
        if (!box->put(progress))
            return;
        QMetaObject::invokeMethod(
            this,
            [this, slot, generation, box] {
                const std::optional<Progress> latest = box->take();
                if (latest && isCurrent(slot, generation))
                    emit progressed(slot, *latest);
            },
            Qt::QueuedConnection);
    };
    m_pool.start([this, slot, generation, context = QPointer<QObject>(context), task = std::move(task),
                     control = JobControl(job.stop.get_token(), onProgress)] {
        std::function<void()> finish = task(control);
        QMetaObject::invokeMethod(
            this, [this, slot, generation, context, finish = std::move(finish)] { deliver(slot, generation, context, finish); },
            Qt::QueuedConnection);
    });
    emit started(slot);
}

void JobRunner::deliver(
    const QString& slot, std::uint64_t generation, const QPointer<QObject>& context, const std::function<void()>& finish)
{
    if (!isCurrent(slot, generation))
        return;
    m_jobs.remove(slot);
    if (context)
        finish();
    if (!isRunning(slot)) // done may have started the next one
        emit finished(slot);
}

void JobRunner::cancel(const QString& slot)
{
    const auto it = m_jobs.find(slot);
    if (it == m_jobs.end())
        return;
    it->stop.request_stop();
    m_jobs.erase(it);
    emit finished(slot);
}

bool JobRunner::isCurrent(const QString& slot, std::uint64_t generation) const
{
    const auto it = m_jobs.constFind(slot);
    return it != m_jobs.cend() && it->generation == generation;
}

} // namespace chokepoint
