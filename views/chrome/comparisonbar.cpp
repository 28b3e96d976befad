// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// ComparisonBar: two buttons with the marks of the deployments.
#include "views/chrome/comparisonbar.h"

#include "views/charts/sidemarker.h"
#include "views/format/text.h"
#include "views/theme/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPixmap>
#include <QToolButton>

namespace chokepoint {

namespace {

constexpr int labelWidth = 260; // logical pixels at most, elided in the middle

QString badgeToolTip(const Comparison& comparison)
{
    QStringList lines;
    for (const std::string& reason : comparison.reasons)
        lines.append(toText(reason));
    return lines.isEmpty() ? ComparisonBar::tr("Both sides have the same kind of requests") : lines.join(QLatin1Char('\n'));
}

} // namespace

ComparisonBar::ComparisonBar(ViewState& state, Session& session, QWidget* parent)
    : QWidget(parent), m_state(state), m_session(session), m_swap(new QToolButton), m_badge(new QLabel)
{
    setObjectName(QStringLiteral("comparisonBar"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 4, 12, 4);
    layout->setSpacing(6);
    for (const Side side : {Side::Before, Side::After}) {
        auto* button = new QToolButton;
        m_sides[std::size_t(side)] = button;
        button->setObjectName(side == Side::Before ? QStringLiteral("barBefore") : QStringLiteral("barAfter"));
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setAutoRaise(true);
        connect(button, &QToolButton::clicked, this, [this, side] { emit openRequested(side); });
    }
    m_swap->setObjectName(QStringLiteral("barSwap"));
    m_swap->setAutoRaise(true);
    m_swap->setToolTip(tr("Swap before and after (Ctrl+Shift+X)"));
    m_swap->setAccessibleName(tr("Swap before and after"));
    m_badge->setObjectName(QStringLiteral("barBadge"));
    m_badge->setTextFormat(Qt::PlainText);
    layout->addWidget(m_sides[0]);
    layout->addWidget(m_swap);
    layout->addWidget(m_sides[1]);
    layout->addStretch(1);
    layout->addWidget(m_badge);

    connect(m_swap, &QToolButton::clicked, this, &ComparisonBar::swapRequested);
    connect(&m_session, &Session::sideChanged, this, &ComparisonBar::showState);
    connect(&m_session, &Session::comparingChanged, this, &ComparisonBar::showState);
    connect(&m_state, &ViewState::comparisonChanged, this, &ComparisonBar::showState);
    showState();
}

QIcon ComparisonBar::sideIcon(Side side) const
{
    const qreal ratio = devicePixelRatioF();
    QPixmap pixmap(int(16 * ratio), int(16 * ratio));
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintSideMarker(painter, {8, 8}, 11, side, chartPalette(palette()));
    return QIcon(pixmap);
}

void ComparisonBar::showState()
{
    for (const Side side : {Side::Before, Side::After}) {
        QToolButton* button = m_sides[std::size_t(side)];
        const SideStatus& status = m_session.status(side);
        const ViewState::DatasetPtr& dataset = m_state.dataset(side);
        const QString letter = side == Side::Before ? tr("A  before") : tr("B  after");
        QString text = letter + QStringLiteral(":  ");
        if (status.phase == SideStatus::Phase::Empty)
            text += tr("open…");
        else
            text += fontMetrics().elidedText(status.label, Qt::ElideMiddle, labelWidth);
        if (dataset)
            text += QStringLiteral("   ") + tr("n %1").arg(countText(dataset->population.included.size()));
        else if (status.phase == SideStatus::Phase::Reading)
            text += QStringLiteral("   ") + tr("reading…");
        else if (status.phase == SideStatus::Phase::Failed)
            text += QStringLiteral("   ✕");
        button->setText(text);
        button->setIcon(sideIcon(side));
        button->setToolTip(
            status.paths.isEmpty() ? tr("Open traces") : tr("Replace %1").arg(status.paths.join(QStringLiteral(", "))).toHtmlEscaped());
        button->setAccessibleName(text);
    }
    m_swap->setIcon(themedIcon(QStringLiteral("swap"), palette()));
    m_swap->setEnabled(!m_session.isReading() && (m_state.dataset(Side::Before) || m_state.dataset(Side::After)));
    showBadge();
}

void ComparisonBar::showBadge()
{
    const ChartPalette& colours = chartPalette(palette());
    QString text;
    QColor colour = colours.mutedText();
    if (const ViewState::ComparisonPtr& comparison = m_state.comparison()) {
        text = comparison->comparable ? tr("✓ Comparable") : tr("! Not comparable");
        colour = comparison->comparable ? colours.mutedText() : colours.warning();
        m_badge->setToolTip(
            QStringLiteral("<qt>%1</qt>").arg(badgeToolTip(*comparison).toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>"))));
    } else {
        text = m_session.isComparing() ? tr("Comparing…") : QString();
        m_badge->setToolTip(QString());
    }
    QPalette own = palette();
    own.setColor(QPalette::WindowText, colour);
    m_badge->setPalette(own);
    m_badge->setText(text);
}

void ComparisonBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showState();
}

} // namespace chokepoint
