// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// BusyStrip: two single-shot timers decide how much is shown.
#include "views/chrome/busystrip.h"

#include "views/format/progresstext.h"
#include "views/format/text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>

namespace chokepoint {

using namespace std::chrono_literals;

namespace {

constexpr int lineSteps = 1000;

} // namespace

BusyStrip::BusyStrip(QWidget* parent)
    : QWidget(parent), m_line(new QProgressBar), m_step(new QLabel), m_cancel(new QPushButton(tr("Cancel")))
{
    setObjectName(QStringLiteral("busyStrip"));
    m_line->setRange(0, 0);
    m_line->setTextVisible(false);
    m_line->setFixedHeight(4);
    m_line->setAccessibleName(tr("Working"));
    m_step->setTextFormat(Qt::PlainText);

    auto* row = new QHBoxLayout;
    row->addWidget(m_step, 1);
    row->addWidget(m_cancel);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_line);
    layout->addLayout(row);

    m_showLine.setSingleShot(true);
    m_showLine.setInterval(150ms);
    m_showCancel.setSingleShot(true);
    m_showCancel.setInterval(1s);
    connect(&m_showLine, &QTimer::timeout, this, &QWidget::show);
    connect(&m_showCancel, &QTimer::timeout, this, [this] {
        m_step->show();
        m_cancel->show();
    });
    connect(m_cancel, &QPushButton::clicked, this, &BusyStrip::cancelled);
    hide();
}

void BusyStrip::setBusy(bool busy)
{
    if (m_busy == busy)
        return;
    m_busy = busy;
    hide();
    m_step->hide();
    m_cancel->hide();
    m_showLine.stop();
    m_showCancel.stop();
    if (busy) {
        m_showLine.start();
        m_showCancel.start();
    }
}

void BusyStrip::setProgress(const Progress& progress, qint64 elapsed)
{
    m_line->setRange(0, progress.total > 0 ? lineSteps : 0);
    if (progress.total > 0)
        m_line->setValue(int(std::min(progress.done, progress.total) * lineSteps / progress.total));
    const QString figures = progressText(progress, elapsed);
    const QString step = toText(progress.step);
    m_step->setText(figures.isEmpty() ? step : tr("%1: %2", "step, how far it is").arg(step, figures));
}

} // namespace chokepoint
