// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The pair that every page speaks of: before, after, a button that swaps them, and whether they can be compared.
#pragma once

#include "views/session/session.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace chokepoint {

class ComparisonBar : public QWidget {
    Q_OBJECT
public:
    ComparisonBar(ViewState& state, Session& session, QWidget* parent = nullptr);

signals:
    void openRequested(chokepoint::Side side);
    void swapRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void showState();
    void showBadge();
    [[nodiscard]] QIcon sideIcon(Side side) const;

    ViewState& m_state;
    Session& m_session;
    std::array<QToolButton*, 2> m_sides{};
    QToolButton* m_swap;
    QLabel* m_badge;
};

} // namespace chokepoint
