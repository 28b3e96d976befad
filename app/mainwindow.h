// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window: wires pages, menus and session together; holds no algorithm.
#pragma once

#include "app/settings.h"
#include "views/jobs/jobrunner.h"
#include "views/session/session.h"
#include "views/start/recentmodel.h"
#include "views/state/viewstate.h"

#include <QMainWindow>

#include <vector>

class QActionGroup;
class QStackedWidget;

namespace chokepoint {

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(Settings& settings, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens what the command line names: a workspace or one side, or both sides.
    void openFiles(const QStringList& files);
    void openSample();

    [[nodiscard]] ViewState& state() { return m_state; }
    [[nodiscard]] Session& session() { return m_session; }
    [[nodiscard]] JobRunner& jobs() { return m_jobs; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    struct PageEntry {
        Page page;
        QWidget* widget;
        QAction* action;
    };

    void buildPages();
    void addPage(Page page, QWidget* widget, const QString& text, const QString& icon);
    void buildRail();
    void buildMenus();
    void buildFileMenu();
    void buildEditMenu();
    void buildViewMenu();
    void buildGoMenu();
    void buildHelpMenu();
    void connectState();
    QAction* addCommand(
        QMenu& menu, const QString& text, const QKeySequence& shortcut, const QString& name, const std::function<void()>& run);

    void showPage();
    void updateCommands();
    void refreshIcons();
    void rememberComparison();

    void chooseFiles(Side side);
    void chooseWorkspace();
    void chooseDeployments(const QString& path, const std::vector<Deployment>& deployments);
    void saveWorkspace();
    void exportComparison();
    void openRecent(int row);
    void warn(const QString& title, const QString& text);
    void showProblems();
    void showShortcuts();
    void showAbout();
    void setTheme(ThemeChoice choice);

    Settings& m_settings;
    ViewState m_state;
    RecentModel m_recent;
    JobRunner m_jobs; // after the state, so that no job outlives what its result goes to
    Session m_session;
    QStackedWidget* m_stack;
    std::vector<PageEntry> m_pages;
    QActionGroup* m_pageActions;
    QAction* m_save = nullptr;
    QAction* m_export = nullptr;
    QAction* m_closeBoth = nullptr;
    QAction* m_swap = nullptr;
    QAction* m_clearSelection = nullptr;
    QAction* m_clearFilter = nullptr;
    QAction* m_problems = nullptr;
    QAction* m_back = nullptr;
    QAction* m_forward = nullptr;
};

} // namespace chokepoint
