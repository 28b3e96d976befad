// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// chokepoint: with a sub-command the command line, otherwise the window with the files that were named.
#include "app/cli/commandline.h"
#include "app/mainwindow.h"

#include <QApplication>

namespace {

/// The window takes file names; anything that looks like an option is the command line's, which knows how to refuse it.
bool wantsCommandLine(int argc, char** argv)
{
    return argc > 1 && (chokepoint::isCommand(argv[1]) || argv[1][0] == '-');
}

} // namespace

int main(int argc, char** argv)
{
    if (wantsCommandLine(argc, argv))
        return chokepoint::runCommandLine(argc, argv);

    QApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("chokepoint"));
    QApplication::setOrganizationName(QStringLiteral("chokepoint"));
    QApplication::setApplicationVersion(QStringLiteral(CHOKEPOINT_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("org.chokepoint.Chokepoint"));

    chokepoint::Settings settings;
    chokepoint::applyTheme(application, settings.theme());
    chokepoint::MainWindow window(settings);
    window.show();
    window.openFiles(QApplication::arguments().mid(1));
    return QApplication::exec();
}
