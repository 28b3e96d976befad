// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The list of everything that reading the loaded traces met.
#pragma once

#include "views/session/problems.h"

#include <QDialog>

class QLabel;

namespace chokepoint {

class ProblemsDialog : public QDialog {
    Q_OBJECT
public:
    ProblemsDialog(const ViewState& state, const Session& session, QWidget* parent = nullptr);

private:
    void showProblems();
    void copyAll();

    const ViewState& m_state;
    const Session& m_session;
    ProblemsModel* m_model;
    QLabel* m_none;
};

} // namespace chokepoint
