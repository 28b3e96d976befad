// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Header of the waterfall page.
#include "views/waterfall/traceheader.h"

#include "views/format/text.h"
#include "views/theme/theme.h"
#include "views/waterfall/stagechips.h"
#include "views/waterfall/waterfallpainter.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace chokepoint {

namespace {

QLabel* plainLabel(QWidget* parent, const char* name)
{
    auto* label = new QLabel(parent);
    label->setObjectName(QString::fromLatin1(name));
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

constexpr std::size_t fewestForPercentile = 20;
constexpr double inferredWarning = 0.2; // share of the path that rests on guesses

} // namespace

TraceHeader::TraceHeader(QWidget* parent)
    : QWidget(parent), m_side(plainLabel(this, "traceSide")), m_id(plainLabel(this, "traceId")),
      m_figures(plainLabel(this, "traceFigures")), m_position(plainLabel(this, "tracePosition")), m_notes(plainLabel(this, "traceNotes")),
      m_matches(plainLabel(this, "matchCount")), m_search(new QLineEdit(this)), m_stages(new StageChips(this))
{
    setObjectName(QStringLiteral("traceHeader"));
    QFont bold = m_id->font();
    bold.setBold(true);
    m_id->setFont(bold);
    m_side->setFont(bold);
    m_figures->setFont(tabularFont(font()));
    m_notes->setWordWrap(true);
    m_copy = addButton(QStringLiteral("copyTraceId"), tr("Copy"), tr("Copy the trace id"));
    m_previous = addButton(QStringLiteral("previousTrace"), QStringLiteral("‹"), tr("Previous trace of the list"));
    m_next = addButton(QStringLiteral("nextTrace"), QStringLiteral("›"), tr("Next trace of the list"));
    m_pathOnly = addButton(QStringLiteral("pathOnly"), tr("Only critical path"), tr("Dim what is not on the critical path (K)"));
    m_pathOnly->setCheckable(true);
    m_pathOnly->setAutoRaise(false);
    m_fit = addButton(QStringLiteral("fitTrace"), tr("Fit"), tr("Show the whole trace (Shift+F)"));
    m_fit->setAutoRaise(false);
    m_previousMatch = addButton(QStringLiteral("previousMatch"), QStringLiteral("↑"), tr("Previous match (Shift+Enter)"));
    m_nextMatch = addButton(QStringLiteral("nextMatch"), QStringLiteral("↓"), tr("Next match (Enter)"));
    m_search->setObjectName(QStringLiteral("spanSearch"));
    m_search->setPlaceholderText(tr("Search spans ( / )"));
    m_search->setToolTip(tr("Text in names, services, ids and attribute values; case does not matter"));
    m_search->setAccessibleName(tr("Search spans of this trace"));
    m_search->setClearButtonEnabled(true);
    m_search->setMinimumWidth(160);
    m_search->setMaximumWidth(260);
    m_search->installEventFilter(this);
    connect(m_copy, &QToolButton::clicked, this, &TraceHeader::copyId);
    connect(m_previous, &QToolButton::clicked, this, [this] { emit traceStepRequested(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { emit traceStepRequested(1); });
    connect(m_pathOnly, &QToolButton::clicked, this, &TraceHeader::pathOnlyRequested);
    connect(m_fit, &QToolButton::clicked, this, &TraceHeader::fitRequested);
    connect(m_stages, &StageChips::stageActivated, this, &TraceHeader::stageActivated);
    connect(m_search, &QLineEdit::textChanged, this, &TraceHeader::searchChanged);
    connect(m_previousMatch, &QToolButton::clicked, this, [this] { emit matchStepRequested(-1); });
    connect(m_nextMatch, &QToolButton::clicked, this, [this] { emit matchStepRequested(1); });

    auto* first = new QHBoxLayout;
    for (QWidget* widget : std::initializer_list<QWidget*>{m_previous, m_next, m_side, m_id, m_copy, m_position})
        first->addWidget(widget);
    first->addStretch(1);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_matches, m_search, m_previousMatch, m_nextMatch, m_pathOnly, m_fit})
        first->addWidget(widget);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 6);
    column->setSpacing(4);
    column->addLayout(first);
    column->addWidget(m_figures);
    column->addWidget(m_stages);
    column->addWidget(m_notes);
    setMatchCount(-1);
    setPosition(0, 0);
    m_notes->hide();
}

QToolButton* TraceHeader::addButton(const QString& name, const QString& text, const QString& toolTip)
{
    auto* button = new QToolButton(this);
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(toolTip);
    button->setAccessibleName(toolTip);
    button->setAutoRaise(true);
    return button;
}

void TraceHeader::setScene(std::shared_ptr<const TraceScene> scene, Side side)
{
    m_scene = std::move(scene);
    m_stages->setScene(m_scene);
    if (!m_scene)
        return;
    m_side->setText(side == Side::Before ? QStringLiteral("A ○") : QStringLiteral("B ●"));
    m_shownSide = side;
    m_id->setText(oneLine(m_scene->trace->idName(), 64));
    m_figures->setText(figures(side));
    const QString text = notes();
    m_notes->setText(text);
    m_notes->setVisible(!text.isEmpty());
    applyColours();
}

void TraceHeader::applyColours()
{
    const ChartPalette& colours = chartPalette(palette());
    QPalette own = palette();
    own.setColor(QPalette::WindowText, colours.side(m_shownSide));
    m_side->setPalette(own);
    own.setColor(QPalette::WindowText, colours.warning());
    m_notes->setPalette(own);
}

QString TraceHeader::figures(Side side) const
{
    QStringList parts;
    if (!m_scene->deployment.empty())
        parts << oneLine(m_scene->deployment, 60);
    parts << (m_scene->path.root < 0 ? tr("no root span") : tr("%1 end to end").arg(durationText(m_scene->path.length)));
    parts << (m_scene->size() == 1 ? tr("1 span") : tr("%1 spans").arg(countText(m_scene->size())));
    parts << (m_scene->errors.size() == 1 ? tr("1 error") : tr("%1 errors").arg(countText(m_scene->errors.size())));
    const TraceRank& rank = m_scene->rank;
    if (rank.known && rank.population > 1) {
        const QString letter = side == Side::Before ? QStringLiteral("A") : QStringLiteral("B");
        const QString place = tr("longer than %1 of %2 complete traces").arg(countText(rank.shorter), countText(rank.population));
        // A percentile of few traces would be made up.
        parts << (rank.population < fewestForPercentile ? place
                                                        : tr("P%1 of %2: %3").arg(100 * rank.shorter / rank.population).arg(letter, place));
    }
    return parts.join(QStringLiteral("   ·   "));
}

/// The path's own warnings, and how much of it rests on guesses.
QString TraceHeader::notes() const
{
    QStringList parts;
    const CriticalPath& path = m_scene->path;
    if (path.root < 0)
        parts << tr("This trace has no root span, so it has no critical path.");
    else if (!path.complete)
        parts << tr("Incomplete: a root or an end time is missing. Statistics leave this trace out.");
    const double inferred = path.length > Duration{0} ? double(toNs(path.inferred)) / double(toNs(path.length)) : 0;
    if (inferred > inferredWarning)
        parts << tr("%1 of the path rests on inferred order, not on recorded parents.").arg(shareText(inferred));
    QStringList codes;
    for (const PathNote& note : path.notes)
        codes << QStringLiteral("%1 × %2").arg(toText(note.code), countText(note.count));
    if (!codes.isEmpty())
        parts << tr("Notes of the path: %1").arg(codes.join(QStringLiteral(", ")));
    return parts.isEmpty() ? QString() : QStringLiteral("⚠ ") + parts.join(QLatin1Char(' '));
}

void TraceHeader::setPosition(std::size_t index, std::size_t count)
{
    m_position->setText(count > 0 ? tr("%1 of %2 listed").arg(countText(index + 1), countText(count)) : QString());
    m_previous->setEnabled(count > 0 && index > 0);
    m_next->setEnabled(count > 0 && index + 1 < count);
}

void TraceHeader::setPathOnly(bool on)
{
    m_pathOnly->setChecked(on);
}

void TraceHeader::setSelectedStage(StageId stage)
{
    m_stages->setSelected(stage);
}

void TraceHeader::setMatchCount(std::int64_t count)
{
    m_matches->setText(count < 0 ? QString()
            : count == 0         ? tr("no match")
            : count == 1         ? tr("1 match")
                                 : tr("%1 matches").arg(countText(std::uint64_t(count))));
    m_previousMatch->setEnabled(count > 0);
    m_nextMatch->setEnabled(count > 0);
}

void TraceHeader::focusSearch()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void TraceHeader::clearSearch()
{
    m_search->clear();
}

QString TraceHeader::searchText() const
{
    return m_search->text();
}

void TraceHeader::copyId() const
{
    if (m_scene)
        QApplication::clipboard()->setText(toText(m_scene->trace->idName()));
}

void TraceHeader::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyColours();
}

bool TraceHeader::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_search || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
        emit matchStepRequested(key->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
        return true;
    }
    if (key->key() == Qt::Key_Escape && !m_search->text().isEmpty()) {
        m_search->clear();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace chokepoint
