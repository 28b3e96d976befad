// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Work off the UI thread: the newest job of a slot wins, stale results are dropped, every job can be stopped.
#pragma once

#include "core/base/jobcontrol.h"

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QThreadPool>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace chokepoint {

/// Lives on the UI thread. Its destructor asks all jobs to stop and waits for them.
class JobRunner : public QObject {
    Q_OBJECT
public:
    explicit JobRunner(QObject* parent = nullptr);
    ~JobRunner() override;

    /// Runs \a work(const JobControl&) on a worker and then \a done(result) on this object's thread, unless a newer job of
    /// \a slot was started, the slot was cancelled, or \a context was destroyed in the meantime. An earlier job of the slot
    /// is asked to stop.
    template <typename Work, typename Done> void run(const QString& slot, QObject* context, Work work, Done done)
    {
        using Value = std::invoke_result_t<Work&, const JobControl&>;
        start(slot, context, [work = std::move(work), done = std::move(done)](const JobControl& job) mutable -> std::function<void()> {
            auto value = std::make_shared<Value>(work(job));
            return [value, done]() mutable { done(std::move(*value)); };
        });
    }

    /// Asks the slot's job to stop and drops its result. Emits finished when there was one.
    void cancel(const QString& slot);
    [[nodiscard]] bool isRunning(const QString& slot) const { return m_jobs.contains(slot); }
    [[nodiscard]] qsizetype runningCount() const { return m_jobs.size(); }

signals:
    void started(const QString& slot);
    /// On the UI thread; only the latest of a burst is delivered.
    void progressed(const QString& slot, const chokepoint::Progress& progress);
    /// After done was called, or the job was cancelled. Not for a job that a newer one replaced.
    void finished(const QString& slot);

private:
    using Task = std::function<std::function<void()>(const JobControl&)>;
    struct Job {
        std::uint64_t generation = 0;
        std::stop_source stop;
    };
    void start(const QString& slot, QObject* context, Task task);
    void deliver(const QString& slot, std::uint64_t generation, const QPointer<QObject>& context, const std::function<void()>& finish);
    [[nodiscard]] bool isCurrent(const QString& slot, std::uint64_t generation) const;

    QThreadPool m_pool;
    QHash<QString, Job> m_jobs;
    std::uint64_t m_generation = 0;
};

} // namespace chokepoint
