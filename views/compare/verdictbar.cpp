// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// VerdictBar: the sentence comes from the analysis word by word; only the facts below are put together here.
#include "views/compare/verdictbar.h"

#include "views/format/text.h"

#include <QEvent>
#include <QGraphicsOpacityEffect>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QRegularExpression>

#include <algorithm>

namespace chokepoint {

namespace {

QString labelOfStage(const Comparison& comparison, const std::string& stage)
{
    const auto it = std::ranges::find(comparison.stages, stage, &StageRow::stage);
    return toText(it == comparison.stages.end() ? stage : it->label);
}

QString bottleneckFact(const Comparison& comparison)
{
    const BottleneckVerdict& verdict = comparison.bottleneck;
    if (verdict.before.empty() || verdict.after.empty())
        return {};
    const QString before = labelOfStage(comparison, verdict.before);
    const QString after = labelOfStage(comparison, verdict.after);
    if (verdict.moved)
        return VerdictBar::tr("Bottleneck moved: %1 → %2 (in %3 of resamples)").arg(before, after, shareText(verdict.confidence));
    if (verdict.mayHaveMoved)
        return VerdictBar::tr("Bottleneck may have moved: %1 → %2").arg(before, after);
    return VerdictBar::tr("Bottleneck unchanged: %1").arg(after);
}

QString factsOf(const CompareFigures& figures)
{
    const Comparison& comparison = *figures.comparison;
    QStringList facts;
    if (figures.single) {
        facts.append(VerdictBar::tr("%1 complete requests").arg(countText(comparison.tracesBefore)));
    } else {
        facts.append(bottleneckFact(comparison));
        facts.append(VerdictBar::tr("n = %1 before, %2 after").arg(countText(comparison.tracesBefore), countText(comparison.tracesAfter)));
    }
    if (const std::uint64_t left = comparison.excludedBefore + comparison.excludedAfter; left > 0)
        facts.append(VerdictBar::tr("%1 incomplete traces left out").arg(countText(left)));
    if (!comparison.comparable)
        facts.append(VerdictBar::tr("Not comparable"));
    facts.removeAll(QString());
    QString text = facts.join(QStringLiteral("  ·  "));
    for (const std::string& reason : comparison.reasons)
        text += QLatin1Char('\n') + toText(reason);
    return text;
}

/// A figure and its unit stay on one line.
QString unbroken(QString text)
{
    static const QRegularExpression gap(QStringLiteral("(?<=[0-9]) (?=(?:%|ns|µs|ms|s|min|h)(?![0-9A-Za-z]))"));
    return text.replace(gap, QString(QChar::Nbsp));
}

QString sentenceOf(const CompareFigures& figures)
{
    const Comparison& comparison = *figures.comparison;
    if (!figures.single)
        return toText(comparison.sentence);
    const QString label = figures.beforeLabel;
    if (comparison.stages.empty())
        return VerdictBar::tr("%1 has no complete request").arg(label);
    const StageRow& top = comparison.stages.front();
    return VerdictBar::tr("%1 takes %2 on average; %3 is the bottleneck with %4 of the time")
        .arg(label, durationText(comparison.e2e.front().before), toText(top.label), shareText(top.beforeShare));
}

} // namespace

Direction toneOf(VerdictKind verdict)
{
    switch (verdict) {
    case VerdictKind::Faster: return Direction::Better;
    case VerdictKind::Slower: return Direction::Worse;
    case VerdictKind::NoReliableChange:
    case VerdictKind::Mixed:
    case VerdictKind::NotEnoughData:
    case VerdictKind::Identical: break;
    }
    return Direction::Neutral;
}

VerdictBar::VerdictBar(QWidget* parent) : QFrame(parent), m_glyph(new QLabel), m_sentence(new QLabel), m_facts(new QLabel)
{
    setObjectName(QStringLiteral("verdictBar"));
    for (QLabel* label : {m_sentence, m_facts}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        label->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    }
    m_sentence->setObjectName(QStringLiteral("verdictSentence"));
    m_facts->setObjectName(QStringLiteral("verdictFacts"));
    m_glyph->setAlignment(Qt::AlignHCenter | Qt::AlignTop);

    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(18, 10, 14, 10);
    layout->setHorizontalSpacing(10);
    layout->setVerticalSpacing(3);
    layout->addWidget(m_glyph, 0, 0, Qt::AlignTop);
    layout->addWidget(m_sentence, 0, 1);
    layout->addWidget(m_facts, 1, 1);
    layout->setColumnStretch(1, 1);
    applyTone();
}

void VerdictBar::setFigures(const CompareFigures& figures)
{
    setVisible(figures.comparison != nullptr);
    if (!figures.comparison)
        return;
    m_tone = figures.single ? Direction::Neutral : toneOf(figures.comparison->verdict);
    m_sentence->setText(unbroken(sentenceOf(figures)));
    m_facts->setText(factsOf(figures));
    m_glyph->setText(figures.single                             ? QStringLiteral("●")
            : figures.comparison->verdict == VerdictKind::Mixed ? QStringLiteral("◆")
                                                                : QString::fromUtf8(directionGlyph(m_tone)));
    setAccessibleName(tr("Verdict"));
    setAccessibleDescription(m_sentence->text());
    applyTone();
}

void VerdictBar::setStale(bool stale)
{
    if (!stale) {
        setGraphicsEffect(nullptr);
        return;
    }
    auto* effect = new QGraphicsOpacityEffect(this);
    effect->setOpacity(0.4);
    setGraphicsEffect(effect);
}

void VerdictBar::applyTone()
{
    const ChartPalette& colours = chartPalette(palette());
    QFont large = font();
    if (large.pointSizeF() > 0)
        large.setPointSizeF(large.pointSizeF() * 1.35);
    large.setBold(true);
    m_sentence->setFont(large);
    m_glyph->setFont(large);
    QPalette own = palette();
    own.setColor(QPalette::WindowText, m_tone == Direction::Neutral ? colours.mutedText() : colours.direction(m_tone));
    m_glyph->setPalette(own);
    own.setColor(QPalette::WindowText, colours.mutedText());
    m_facts->setPalette(own);
    update();
}

void VerdictBar::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        applyTone();
}

void VerdictBar::paintEvent(QPaintEvent*)
{
    const ChartPalette& colours = chartPalette(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colours.grid());
    painter.setBrush(colours.background());
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.drawRoundedRect(frame, 6, 6);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_tone == Direction::Neutral ? colours.mutedText() : colours.direction(m_tone));
    painter.drawRoundedRect(QRectF(frame.left(), frame.top(), 5, frame.height()), 2.5, 2.5);
}

} // namespace chokepoint
