// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// MainWindow: menus with their shortcuts, the key sheet and About. Menus hold only what works.
#include "app/mainwindow.h"

#include "views/charts/charttable.h"
#include "views/theme/icons.h"

#include <QActionGroup>
#include <QApplication>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>

#include <array>

namespace chokepoint {

QAction* MainWindow::addCommand(
    QMenu& menu, const QString& text, const QKeySequence& shortcut, const QString& name, const std::function<void()>& run)
{
    QAction* action = menu.addAction(text);
    action->setObjectName(name);
    action->setShortcut(shortcut);
    connect(action, &QAction::triggered, this, run);
    return action;
}

void MainWindow::buildMenus()
{
    buildFileMenu();
    buildEditMenu();
    buildViewMenu();
    buildGoMenu();
    buildHelpMenu();
}

void MainWindow::buildFileMenu()
{
    QMenu& menu = *menuBar()->addMenu(tr("&File"));
    addCommand(
        menu, tr("Open traces &before…"), QKeySequence::Open, QStringLiteral("fileOpenBefore"), [this] { chooseFiles(Side::Before); });
    addCommand(menu, tr("Open traces &after…"), QKeySequence(QStringLiteral("Ctrl+Shift+O")), QStringLiteral("fileOpenAfter"),
        [this] { chooseFiles(Side::After); });
    addCommand(menu, tr("Open &workspace…"), {}, QStringLiteral("fileOpenWorkspace"), [this] { chooseWorkspace(); });
    addCommand(menu, tr("Open the sa&mple data"), {}, QStringLiteral("fileOpenSample"), [this] { openSample(); });
    menu.addSeparator();
    m_save = addCommand(menu, tr("&Save workspace as…"), QKeySequence(QStringLiteral("Ctrl+Shift+S")), QStringLiteral("fileSaveAs"),
        [this] { saveWorkspace(); });
    m_export = addCommand(menu, tr("&Export comparison…"), QKeySequence(QStringLiteral("Ctrl+E")), QStringLiteral("fileExport"),
        [this] { exportComparison(); });
    m_closeBoth = addCommand(menu, tr("&Close traces"), QKeySequence::Close, QStringLiteral("fileClose"), [this] {
        m_session.close(Side::Before);
        m_session.close(Side::After);
        m_state.goTo(Page::Start);
    });
    menu.addSeparator();
    QAction* quit = addCommand(menu, tr("&Quit"), QKeySequence(QStringLiteral("Ctrl+Q")), QStringLiteral("fileQuit"), [this] { close(); });
    quit->setMenuRole(QAction::QuitRole);
}

void MainWindow::buildEditMenu()
{
    QMenu& menu = *menuBar()->addMenu(tr("&Edit"));
    m_swap = addCommand(menu, tr("S&wap before and after"), QKeySequence(QStringLiteral("Ctrl+Shift+X")), QStringLiteral("editSwap"),
        [this] { m_session.swapSides(); });
    m_clearSelection = addCommand(menu, tr("Clear stage &selection"), QKeySequence(QStringLiteral("Ctrl+Shift+A")),
        QStringLiteral("editClearSelection"), [this] { m_state.selectStage(QString()); });
    m_clearFilter = addCommand(menu, tr("Clear &filters"), QKeySequence(QStringLiteral("Ctrl+Shift+F")), QStringLiteral("editClearFilter"),
        [this] { m_state.setFilter({}); });
}

void MainWindow::buildViewMenu()
{
    QMenu& menu = *menuBar()->addMenu(tr("&View"));
    QMenu& themes = *menu.addMenu(tr("&Theme"));
    auto* group = new QActionGroup(this);
    struct Entry {
        ThemeChoice choice;
        QString text;
    };
    for (const Entry& entry : {Entry{ThemeChoice::System, tr("As the &system")}, Entry{ThemeChoice::Light, tr("&Light")},
             Entry{ThemeChoice::Dark, tr("&Dark")}}) {
        QAction* action = themes.addAction(entry.text);
        action->setObjectName(QStringLiteral("theme-%1").arg(QLatin1String(themeName(entry.choice))));
        action->setCheckable(true);
        action->setChecked(entry.choice == m_settings.theme());
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, choice = entry.choice] { setTheme(choice); });
    }
    m_problems = addCommand(
        menu, tr("&Problems…"), QKeySequence(QStringLiteral("Ctrl+Shift+P")), QStringLiteral("viewProblems"), [this] { showProblems(); });
    menu.addSeparator();
    QAction* full = addCommand(menu, tr("&Full screen"), QKeySequence(Qt::Key_F11), QStringLiteral("viewFullScreen"),
        [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    full->setCheckable(true);
}

void MainWindow::buildGoMenu()
{
    QMenu& menu = *menuBar()->addMenu(tr("&Go"));
    m_back = addCommand(menu, tr("&Back"), QKeySequence::Back, QStringLiteral("goBack"), [this] { m_state.goBack(); });
    m_forward = addCommand(menu, tr("&Forward"), QKeySequence::Forward, QStringLiteral("goForward"), [this] { m_state.goForward(); });
    menu.addSeparator();
    for (const PageEntry& entry : m_pages)
        menu.addAction(entry.action);
}

void MainWindow::buildHelpMenu()
{
    QMenu& menu = *menuBar()->addMenu(tr("&Help"));
    addCommand(menu, tr("&Keyboard shortcuts"), QKeySequence::HelpContents, QStringLiteral("helpKeys"), [this] { showShortcuts(); });
    menu.addSeparator();
    QAction* about = addCommand(menu, tr("&About Chokepoint"), {}, QStringLiteral("helpAbout"), [this] { showAbout(); });
    about->setMenuRole(QAction::AboutRole);
    QAction* aboutQt = addCommand(menu, tr("About &Qt"), {}, QStringLiteral("helpAboutQt"), [] { QApplication::aboutQt(); });
    aboutQt->setMenuRole(QAction::AboutQtRole);
}

void MainWindow::setTheme(ThemeChoice choice)
{
    m_settings.setTheme(choice);
    applyTheme(*qApp, choice);
}

void MainWindow::showShortcuts()
{
    ChartTable keys;
    keys.headers = {tr("Command"), tr("Keys")};
    for (const QAction* action : findChildren<QAction*>())
        if (!action->shortcut().isEmpty() && action->shortcutContext() == Qt::WindowShortcut) // not those of one widget
            keys.rows.append({action->text().remove(QLatin1Char('&')).remove(QStringLiteral("…")),
                action->shortcut().toString(QKeySequence::NativeText)});
    const std::array pageKeys{
        std::pair{tr("Before/After: next and previous stage of a chart"), tr("Arrow keys")},
        std::pair{tr("Before/After: the traces through the stage"), tr("Enter")},
        std::pair{tr("Before/After: the figures of a chart as a table"), tr("T")},
        std::pair{tr("Before/After: clear the selection"), tr("Esc")},
        std::pair{tr("Traces: open the trace"), tr("Enter")},
        std::pair{tr("Traces: go to the filter"), tr("/")},
        std::pair{tr("Traces: copy the chosen rows as a table"), tr("Ctrl+C")},
        std::pair{tr("Waterfall: zoom in, zoom out"), tr("W, S")},
        std::pair{tr("Waterfall: earlier, later"), tr("A, D")},
        std::pair{tr("Waterfall: next and previous span"), tr("Down, Up")},
        std::pair{tr("Waterfall: open a span or go to its child, close it or go to its parent"), tr("Right, Left")},
        std::pair{tr("Waterfall: next and previous span of the critical path"), tr("N, P")},
        std::pair{tr("Waterfall: next and previous error"), tr("E, Shift+E")},
        std::pair{tr("Waterfall: next and previous sibling"), tr("., ,")},
        std::pair{tr("Waterfall: one level more, one level less"), tr("], [")},
        std::pair{tr("Waterfall: the span in view with the most self time"), tr("L")},
        std::pair{tr("Waterfall: only the critical path"), tr("K")},
        std::pair{tr("Waterfall: fit the span, fit the trace"), tr("F, Shift+F")},
        std::pair{tr("Waterfall: search"), tr("/")},
        std::pair{tr("Waterfall: clear the measured range, else the search, else the stage"), tr("Esc")},
    };
    for (const auto& [command, key] : pageKeys)
        keys.rows.append({command, key});
    showChartTable(this, tr("Keyboard shortcuts"), keys);
}

void MainWindow::showAbout()
{
    QMessageBox box(this);
    box.setWindowTitle(tr("About Chokepoint"));
    box.setIconPixmap(applicationIcon().pixmap(64, 64));
    box.setText(tr("<b>Chokepoint %1</b>").arg(QStringLiteral(CHOKEPOINT_VERSION)));
    box.setInformativeText(
        tr("Finds where the bottleneck moved in AI pipelines, from the traces of two profiling runs.<br><br>"
           "Nothing leaves this machine.<br><br>"
           "Free software under the GNU General Public License, version 3 or later. Copyright 2026 The Chokepoint authors."));
    box.exec();
}

} // namespace chokepoint
