// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One side of the comparison on the start page: a place to drop files, and the card of what is being read there.
#pragma once

#include "views/session/session.h"

#include <QFrame>

class QLabel;
class QProgressBar;
class QPushButton;

namespace chokepoint {

class DropWell : public QFrame {
    Q_OBJECT
public:
    explicit DropWell(Side side, QWidget* parent = nullptr);
    /// \a traces and \a spans count what is loaded.
    void setStatus(const SideStatus& status, std::uint64_t traces, std::uint64_t spans, std::uint64_t warnings);

signals:
    void dropped(const QStringList& paths);
    void openRequested();
    void cancelRequested();
    void closeRequested();
    void warningsRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void applyColours();
    void showReading(const SideStatus& status);
    void showReady(const SideStatus& status, std::uint64_t traces, std::uint64_t spans, std::uint64_t warnings);

    Side m_side;
    SideStatus::Phase m_phase = SideStatus::Phase::Empty;
    bool m_dragged = false;
    QLabel* m_heading;
    QLabel* m_name;
    QLabel* m_text;
    QProgressBar* m_progress;
    QPushButton* m_open;
    QPushButton* m_cancel;
    QPushButton* m_close;
    QPushButton* m_warnings;
};

} // namespace chokepoint
