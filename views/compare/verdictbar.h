// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The one sentence that every screen serves, with its tone and the facts it rests on.
#pragma once

#include "views/compare/comparefigures.h"

#include <QFrame>

class QLabel;

namespace chokepoint {

/// Better, worse or neutral for a verdict as a whole.
[[nodiscard]] Direction toneOf(VerdictKind verdict);

class VerdictBar : public QFrame {
    Q_OBJECT
public:
    explicit VerdictBar(QWidget* parent = nullptr);
    void setFigures(const CompareFigures& figures);
    void setStale(bool stale);

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void applyTone();

    QLabel* m_glyph;
    QLabel* m_sentence;
    QLabel* m_facts;
    Direction m_tone = Direction::Neutral;
};

} // namespace chokepoint
