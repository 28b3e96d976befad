// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The status bar's contents: what is selected, which filters hold (each can be taken off), and how many warnings there are.
#pragma once

#include "views/session/session.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace chokepoint {

class StatusSummary : public QWidget {
    Q_OBJECT
public:
    StatusSummary(ViewState& state, Session& session, QWidget* parent = nullptr);

signals:
    void problemsRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void showSelection();
    void showPills();
    void showProblems();
    void addPill(const QString& text, const TraceScope& without);
    [[nodiscard]] QString stageSummary() const;
    [[nodiscard]] QString traceSummary() const;

    ViewState& m_state;
    Session& m_session;
    QLabel* m_selection;
    QHBoxLayout* m_pills;
    QToolButton* m_problems;
};

} // namespace chokepoint
