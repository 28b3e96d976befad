// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: what can be opened, and what was concluded last time.
#pragma once

#include "views/session/session.h"

#include <QWidget>

class QLabel;
class QListView;
class QPushButton;

namespace chokepoint {

class DropWell;
class RecentModel;

class StartPage : public QWidget {
    Q_OBJECT
public:
    StartPage(ViewState& state, Session& session, RecentModel& recent, QWidget* parent = nullptr);

signals:
    void openRequested(chokepoint::Side side);
    void openWorkspaceRequested();
    void sampleRequested();
    void problemsRequested();
    /// Row of the recent model.
    void recentRequested(int row);

private:
    QWidget* buildWells();
    QWidget* buildRecent();
    void showState();
    void showRecentMenu(const QPoint& position);

    ViewState& m_state;
    Session& m_session;
    RecentModel& m_recent;
    std::array<DropWell*, 2> m_wells{};
    QPushButton* m_compare = nullptr;
    QListView* m_list = nullptr;
    QLabel* m_noRecent = nullptr;
};

} // namespace chokepoint
