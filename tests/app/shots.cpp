// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// chokepoint-shots: writes pictures of every page, with sample data, empty and with errors, for people to look at.
//
//   chokepoint-shots [--theme light|dark] [--size WxH] DIRECTORY        (scale: QT_SCALE_FACTOR)
#include "app/mainwindow.h"

#include <QAction>
#include <QApplication>
#include <QCommandLineParser>
#include <QDialog>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include <cstdio>
#include <functional>

using namespace chokepoint;

namespace {

constexpr qint64 patience = 120000; // ms; a picture that takes longer is a fault

bool waitFor(const std::function<bool()>& done)
{
    QElapsedTimer clock;
    clock.start();
    while (!done()) {
        if (clock.elapsed() > patience)
            return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 50);
    }
    return true;
}

class Shooter {
public:
    Shooter(MainWindow& window, QString directory) : m_window(window), m_directory(std::move(directory)) { }

    void shoot(const QString& name) { shoot(m_window, name); }
    void shoot(QWidget& widget, const QString& name)
    {
        waitFor([this] { return m_window.jobs().runningCount() == 0; });
        for (int i = 0; i < 20; ++i) // queued layouts and replots
            QCoreApplication::processEvents();
        const QString path = QDir(m_directory).filePath(name + QStringLiteral(".png"));
        if (!widget.grab().save(path)) {
            std::fprintf(stderr, "cannot write %s\n", qPrintable(path));
            m_failed = true;
        }
    }
    [[nodiscard]] bool failed() const { return m_failed; }

private:
    MainWindow& m_window;
    QString m_directory;
    bool m_failed = false;
};

/// The list of problems with the tab that it opens with, and shuts it.
void shootProblems(MainWindow& window, Shooter& shooter, const QString& name)
{
    window.findChild<QAction*>(QStringLiteral("viewProblems"))->trigger();
    auto* dialog = window.findChild<QDialog*>(QStringLiteral("problemsDialog"));
    shooter.shoot(*dialog, name);
    delete dialog;
}

void writeFile(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (file.open(QIODevice::WriteOnly))
        file.write(bytes);
}

bool shootPair(MainWindow& window, Shooter& shooter)
{
    window.openSample();
    if (!waitFor([&] { return window.state().comparison() != nullptr; })) {
        std::fprintf(stderr, "the sample pair was not compared\n");
        return false;
    }
    ViewState& state = window.state();
    state.goTo(Page::Compare);
    shooter.shoot(QStringLiteral("compare"));
    shootProblems(window, shooter, QStringLiteral("problems-doubts"));
    state.selectStage(QStringLiteral("retrieve"));
    shooter.shoot(QStringLiteral("compare-selected"));
    state.selectStage(QString());
    TraceScope tail;
    tail.band = {0.95, 1};
    state.showTraces(tail);
    shooter.shoot(QStringLiteral("traces-tail"));
    state.setFilter({});
    shooter.shoot(QStringLiteral("traces"));
    state.openTrace({Side::After, 0});
    shooter.shoot(QStringLiteral("waterfall"));
    state.goTo(Page::Start);
    shooter.shoot(QStringLiteral("start-loaded"));
    return true;
}

void shootSingle(MainWindow& window, Shooter& shooter)
{
    window.session().close(Side::After);
    waitFor([&] { return window.session().profile() != nullptr; });
    window.state().goTo(Page::Compare);
    shooter.shoot(QStringLiteral("compare-single"));
    window.session().close(Side::Before);
}

void shootErrors(MainWindow& window, Shooter& shooter)
{
    const QTemporaryDir folder;
    const QString notTraces = folder.filePath(QStringLiteral("notes.json"));
    writeFile(notTraces, "{\"hello\": \"world\"}\n");
    const QString empty = folder.filePath(QStringLiteral("empty.jsonl"));
    writeFile(empty, "");
    window.state().goTo(Page::Start);
    window.session().openPair({notTraces}, {empty});
    waitFor([&] { return !window.session().isReading(); });
    shooter.shoot(QStringLiteral("start-error"));
    shootProblems(window, shooter, QStringLiteral("problems"));
    window.state().goTo(Page::Compare);
    shooter.shoot(QStringLiteral("compare-error"));
}

} // namespace

int main(int argc, char** argv)
{
    QApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("chokepoint-shots"));
    QCommandLineParser parser;
    parser.addOption({QStringLiteral("theme"), QStringLiteral("light or dark"), QStringLiteral("name"), QStringLiteral("light")});
    parser.addOption({QStringLiteral("size"), QStringLiteral("window size"), QStringLiteral("WxH"), QStringLiteral("1280x800")});
    parser.addPositionalArgument(QStringLiteral("directory"), QStringLiteral("where the pictures go"));
    parser.addHelpOption();
    parser.process(application);
    const auto theme = themeFromName(parser.value(QStringLiteral("theme")).toStdString());
    const QStringList size = parser.value(QStringLiteral("size")).split(QLatin1Char('x'));
    if (!theme || size.size() != 2 || parser.positionalArguments().size() != 1 || !QDir().mkpath(parser.positionalArguments().first()))
        parser.showHelp(2);

    const QTemporaryDir scratch;
    Settings settings(scratch.filePath(QStringLiteral("settings.ini")));
    applyTheme(application, *theme);
    MainWindow window(settings);
    window.resize(size[0].toInt(), size[1].toInt());
    window.show();
    Shooter shooter(window, parser.positionalArguments().first());
    shooter.shoot(QStringLiteral("start-empty"));
    for (const auto& [page, name] : {std::pair{Page::Traces, "traces-empty"}, std::pair{Page::Waterfall, "waterfall-empty"},
             std::pair{Page::Compare, "compare-empty"}}) {
        window.state().goTo(page);
        shooter.shoot(QString::fromLatin1(name));
    }
    window.state().goTo(Page::Start);
    if (!shootPair(window, shooter))
        return 1;
    shootSingle(window, shooter);
    shootErrors(window, shooter);
    return shooter.failed() ? 1 : 0;
}
