// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Quiet progress: nothing for 150 ms, then a thin line, after a second what is being done and a way to stop it.
#pragma once

#include "core/base/jobcontrol.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace chokepoint {

class BusyStrip : public QWidget {
    Q_OBJECT
public:
    explicit BusyStrip(QWidget* parent = nullptr);
    void setBusy(bool busy);
    [[nodiscard]] bool isBusy() const { return m_busy; }
    /// \a elapsed in ms since it began, 0 when it is not known.
    void setProgress(const Progress& progress, qint64 elapsed);

signals:
    void cancelled();

private:
    QProgressBar* m_line;
    QLabel* m_step;
    QPushButton* m_cancel;
    QTimer m_showLine;
    QTimer m_showCancel;
    bool m_busy = false;
};

} // namespace chokepoint
