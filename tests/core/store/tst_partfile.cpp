// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Workspaces that are written aside: what a crash leaves behind goes with the next one, what is in use stays.
#include "core/store/store.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace chokepoint;

class tst_PartFile : public QObject {
    Q_OBJECT

private slots:
    void leftOversOfACrash()
    {
        const QTemporaryDir directory;
        const auto touch = [&](const char* name) {
            QFile file(directory.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
        };
        touch(".run.chokepoint.0123456789abcdef.part");
        touch(".run.chokepoint.fedcba9876543210.part");
        touch(".run.chokepoint.0123456789abcdeg.part"); // not a name of ours
        touch(".other.chokepoint.0123456789abcdef.part"); // of another workspace
        {
            const Result<Store> store = Store::create(directory.filePath("run.chokepoint").toStdString());
            QVERIFY(store);
        }
        QCOMPARE(QDir(directory.path()).entryList(QDir::Files | QDir::Hidden, QDir::Name),
            QStringList({".other.chokepoint.0123456789abcdef.part", ".run.chokepoint.0123456789abcdeg.part"}));
    }

    void twoAtOnce()
    {
        const QTemporaryDir directory;
        const std::string path = directory.filePath("run.chokepoint").toStdString();
        Result<Store> first = Store::create(path);
        Result<Store> second = Store::create(path);
        QVERIFY(first && second);
        QVERIFY(first->publish());
        const Result<void> late = second->publish();
        QVERIFY(!late);
        QCOMPARE(late.error().code, ErrorCode::CannotWrite);
        QCOMPARE(late.error().place.file, path);
        QVERIFY(Store::isWorkspace(path));
    }

    void noPlaceToWrite()
    {
        const Result<Store> store = Store::create("/nowhere/at/all/run.chokepoint");
        QVERIFY(!store);
        QCOMPARE(store.error().code, ErrorCode::CannotWrite);
        QCOMPARE(store.error().place.file, std::string("/nowhere/at/all/run.chokepoint"));
    }
};

QTEST_GUILESS_MAIN(tst_PartFile)
#include "tst_partfile.moc"
