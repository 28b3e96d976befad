// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Latest wins, stale results are dropped, and nothing is left running.
#include "views/jobs/jobrunner.h"

#include <QSignalSpy>
#include <QtTest>

#include <atomic>
#include <latch>
#include <semaphore>

using namespace chokepoint;

class TestJobRunner : public QObject {
    Q_OBJECT
private slots:
    void theResultArrivesOnThisThread()
    {
        JobRunner jobs;
        QThread* worker = nullptr;
        QThread* receiver = nullptr;
        int result = 0;
        jobs.run(
            "a", this,
            [&](const JobControl&) {
                worker = QThread::currentThread();
                return 42;
            },
            [&](int value) {
                receiver = QThread::currentThread();
                result = value;
            });
        QVERIFY(jobs.isRunning("a"));
        QTRY_COMPARE(result, 42);
        QVERIFY(!jobs.isRunning("a"));
        QCOMPARE(receiver, QThread::currentThread());
        QVERIFY(worker != receiver);
    }

    void theNewestJobOfASlotWins()
    {
        JobRunner jobs;
        std::atomic<bool> firstSawStop = false;
        QList<int> results;
        const auto deliver = [&](int value) { results.append(value); };
        jobs.run(
            "a", this,
            [&](const JobControl& job) {
                while (!job.stopRequested())
                    std::this_thread::yield();
                firstSawStop = true;
                return 1;
            },
            deliver);
        jobs.run(
            "a", this, [](const JobControl&) { return 2; }, deliver);
        QTRY_COMPARE(results, QList<int>{2});
        QTRY_VERIFY(firstSawStop.load());
        QCoreApplication::processEvents();
        QCOMPARE(results, QList<int>{2});
    }

    void aFinishedButReplacedResultIsDropped()
    {
        JobRunner jobs;
        std::latch done(1);
        QList<int> results;
        const auto deliver = [&](int value) { results.append(value); };
        jobs.run(
            "a", this,
            [&](const JobControl&) {
                done.count_down();
                return 1;
            },
            deliver);
        done.wait(); // its result may be on the way already
        jobs.run(
            "a", this, [](const JobControl&) { return 2; }, deliver);
        QTRY_COMPARE(results, QList<int>{2});
    }

    void slotsDoNotDisturbEachOther()
    {
        JobRunner jobs;
        int sum = 0;
        const auto add = [&](int value) { sum += value; };
        jobs.run(
            "a", this, [](const JobControl&) { return 1; }, add);
        jobs.run(
            "b", this, [](const JobControl&) { return 10; }, add);
        QTRY_COMPARE(sum, 11);
    }

    void cancelStopsAndDrops()
    {
        JobRunner jobs;
        QSignalSpy finished(&jobs, &JobRunner::finished);
        bool delivered = false;
        std::atomic<bool> stopped = false;
        jobs.run(
            "a", this,
            [&](const JobControl& job) {
                while (!job.stopRequested())
                    std::this_thread::yield();
                stopped = true;
                return 0;
            },
            [&](int) { delivered = true; });
        jobs.cancel("a");
        QCOMPARE(finished.size(), 1);
        QTRY_VERIFY(stopped.load());
        QCoreApplication::processEvents();
        QVERIFY(!delivered);
        jobs.cancel("a"); // nothing there
        QCOMPARE(finished.size(), 1);
    }

    void aDeadContextGetsNothing()
    {
        JobRunner jobs;
        auto context = std::make_unique<QObject>();
        std::binary_semaphore go(0);
        bool delivered = false;
        jobs.run(
            "a", context.get(),
            [&](const JobControl&) {
                go.acquire();
                return 0;
            },
            [&](int) { delivered = true; });
        context.reset();
        go.release();
        QTRY_VERIFY(!jobs.isRunning("a"));
        QVERIFY(!delivered);
    }

    void progressIsDeliveredOfTheRunningJobOnly()
    {
        JobRunner jobs;
        QSignalSpy progress(&jobs, &JobRunner::progressed);
        std::binary_semaphore go(0);
        bool done = false;
        jobs.run(
            "a", this,
            [&](const JobControl& job) {
                job.report({.step = "reading", .done = 1, .total = 2, .spans = 3, .faults = 0});
                go.acquire();
                return 0;
            },
            [&](int) { done = true; });
        QTRY_COMPARE(progress.size(), 1);
        QCOMPARE(progress[0][0].toString(), QString("a"));
        QCOMPARE(progress[0][1].value<Progress>().spans, std::uint64_t(3));
        go.release();
        QTRY_VERIFY(done);
    }

    void theDestructorStopsAndWaits()
    {
        std::atomic<bool> ended = false;
        {
            JobRunner jobs;
            jobs.run(
                "a", this,
                [&](const JobControl& job) {
                    while (!job.stopRequested())
                        std::this_thread::yield();
                    ended = true;
                    return 0;
                },
                [](int) {});
        }
        QVERIFY(ended.load());
    }
};

QTEST_GUILESS_MAIN(TestJobRunner)
#include "tst_jobrunner.moc"
