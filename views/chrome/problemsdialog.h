// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What reading the loaded traces met, and what makes their figures less certain: a list each.
#pragma once

#include "views/session/problems.h"

#include <QDialog>

class QLabel;
class QTableView;
class QTabWidget;

namespace chokepoint {

class ProblemsDialog : public QDialog {
    Q_OBJECT
public:
    ProblemsDialog(const ViewState& state, const Session& session, QWidget* parent = nullptr);

private:
    /// One tab: a sentence, and the table below it.
    struct List {
        ProblemsModel* model = nullptr;
        QLabel* sentence = nullptr;
        QTableView* table = nullptr;
    };

    [[nodiscard]] List addList(const QString& name, const QString& accessibleName);
    void fill(const List& list, std::vector<Problem> problems, const QString& sentence);
    void showProblems();
    void copyList();

    const ViewState& m_state;
    const Session& m_session;
    QTabWidget* m_tabs;
    List m_faults;
    List m_doubts;
};

} // namespace chokepoint
