// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// DropWell: which of its widgets are visible follows from the phase of the side.
#include "views/start/dropwell.h"

#include "views/charts/sidemarker.h"
#include "views/format/progresstext.h"
#include "views/format/text.h"
#include "views/start/droppedpaths.h"

#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr int progressSteps = 1000;

/// Format and compression of what was read, each once.
QString formatsOf(const SideStatus& status)
{
    QStringList formats;
    const auto add = [&](const std::string& format, const std::string& compression) {
        QString text = toText(format);
        if (!compression.empty() && compression != "none")
            text += QStringLiteral(", ") + toText(compression);
        if (!text.isEmpty() && !formats.contains(text))
            formats.append(text);
    };
    for (const ImportOutcome& outcome : status.outcomes)
        if (!outcome.error)
            add(outcome.report.format, outcome.report.compression);
    if (status.outcomes.empty())
        for (const StoredInput& input : status.inputs)
            add(input.format, input.compression);
    return formats.join(QStringLiteral("; "));
}

} // namespace

DropWell::DropWell(Side side, QWidget* parent)
    : QFrame(parent), m_side(side), m_heading(new QLabel), m_name(new QLabel), m_text(new QLabel), m_progress(new QProgressBar),
      m_open(new QPushButton), m_cancel(new QPushButton(tr("Cancel"))), m_close(new QPushButton(tr("Remove"))), m_warnings(new QPushButton)
{
    setObjectName(side == Side::Before ? QStringLiteral("dropWellBefore") : QStringLiteral("dropWellAfter"));
    m_open->setObjectName(side == Side::Before ? QStringLiteral("openBefore") : QStringLiteral("openAfter"));
    setAcceptDrops(true);
    setAccessibleName(side == Side::Before ? tr("Traces before the change") : tr("Traces after the change"));
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.25);
    large.setBold(true);
    m_heading->setFont(large);
    m_heading->setText(side == Side::Before ? tr("A  Before") : tr("B  After"));
    QFont bold = font();
    bold.setBold(true);
    m_name->setFont(bold);
    for (QLabel* label : {m_heading, m_name, m_text}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
    }
    m_text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(8);
    m_warnings->setFlat(true);

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_open);
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_close);
    buttons->addWidget(m_warnings);
    buttons->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 16);
    layout->setSpacing(8);
    layout->addWidget(m_heading);
    layout->addWidget(m_name);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_progress);
    layout->addLayout(buttons);
    setMinimumSize(240, fontMetrics().height() * 11);
    setMaximumHeight(fontMetrics().height() * 16);

    connect(m_open, &QPushButton::clicked, this, &DropWell::openRequested);
    connect(m_cancel, &QPushButton::clicked, this, &DropWell::cancelRequested);
    connect(m_close, &QPushButton::clicked, this, &DropWell::closeRequested);
    connect(m_warnings, &QPushButton::clicked, this, &DropWell::warningsRequested);
    setStatus({}, 0, 0, 0);
}

void DropWell::setStatus(const SideStatus& status, std::uint64_t traces, std::uint64_t spans, std::uint64_t warnings)
{
    using Phase = SideStatus::Phase;
    m_phase = status.phase;
    m_name->setText(status.label);
    m_name->setVisible(m_phase != Phase::Empty);
    m_progress->setVisible(m_phase == Phase::Reading);
    m_cancel->setVisible(m_phase == Phase::Reading);
    m_open->setVisible(m_phase != Phase::Reading);
    m_close->setVisible(m_phase == Phase::Ready || m_phase == Phase::Failed);
    m_warnings->setVisible(m_phase == Phase::Ready && warnings > 0);
    m_open->setText(m_phase == Phase::Empty ? tr("Open…") : m_phase == Phase::Failed ? tr("Choose another…") : tr("Replace…"));
    switch (m_phase) {
    case Phase::Empty:
        m_text->setText(m_side == Side::Before ? tr("Drop the traces of the run before the change here: files or a folder.")
                                               : tr("Drop the traces of the run after the change here: files or a folder."));
        break;
    case Phase::Reading: showReading(status); break;
    case Phase::Ready: showReady(status, traces, spans, warnings); break;
    case Phase::Failed: m_text->setText(QStringLiteral("✕ ") + toText(status.error->message())); break;
    }
    applyColours();
}

void DropWell::showReading(const SideStatus& status)
{
    const Progress& progress = status.progress;
    m_progress->setRange(0, progress.total > 0 ? progressSteps : 0);
    if (progress.total > 0)
        m_progress->setValue(int(progress.done * progressSteps / progress.total));
    const QString step = progress.step.empty() ? tr("Reading") : toText(progress.step);
    const QString figures = progressText(progress, status.clock.isValid() ? status.clock.elapsed() : 0);
    m_text->setText(figures.isEmpty() ? step : step + QLatin1Char('\n') + figures);
}

void DropWell::showReady(const SideStatus& status, std::uint64_t traces, std::uint64_t spans, std::uint64_t warnings)
{
    QStringList lines{tr("%1 traces, %2 spans").arg(countText(traces), countText(spans))};
    if (const QString formats = formatsOf(status); !formats.isEmpty())
        lines.append(formats);
    std::uint64_t refused = 0;
    for (const ImportOutcome& outcome : status.outcomes)
        refused += outcome.error ? 1 : 0;
    if (refused > 0)
        lines.append(refused == 1 ? tr("1 file could not be read") : tr("%1 files could not be read").arg(countText(refused)));
    m_text->setText(lines.join(QLatin1Char('\n')));
    m_warnings->setText(problemsText(warnings));
}

void DropWell::applyColours()
{
    const ChartPalette& colours = chartPalette(palette());
    QPalette own = palette();
    own.setColor(QPalette::WindowText, colours.side(m_side));
    m_heading->setPalette(own);
    own.setColor(QPalette::WindowText, m_phase == SideStatus::Phase::Failed ? colours.error() : colours.mutedText());
    m_text->setPalette(own);
    update();
}

void DropWell::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyColours();
}

void DropWell::paintEvent(QPaintEvent*)
{
    const ChartPalette& colours = chartPalette(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool empty = m_phase == SideStatus::Phase::Empty;
    QPen pen(m_dragged ? colours.focus() : empty ? colours.mutedText() : colours.grid(), m_dragged ? 2.5 : 1.2);
    if (empty && !m_dragged)
        pen.setStyle(Qt::DashLine);
    painter.setPen(pen);
    painter.setBrush(colours.background());
    painter.drawRoundedRect(QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5), 8, 8);
}

void DropWell::dragEnterEvent(QDragEnterEvent* event)
{
    if (droppedPaths(*event->mimeData()).isEmpty())
        return;
    event->acceptProposedAction();
    m_dragged = true;
    update();
}

void DropWell::dragLeaveEvent(QDragLeaveEvent*)
{
    m_dragged = false;
    update();
}

void DropWell::dropEvent(QDropEvent* event)
{
    m_dragged = false;
    update();
    const QStringList paths = droppedPaths(*event->mimeData());
    if (paths.isEmpty())
        return;
    event->acceptProposedAction();
    emit dropped(paths);
}

} // namespace chokepoint
