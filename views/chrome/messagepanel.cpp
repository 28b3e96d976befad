// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// MessagePanel: a centred column of limited width.
#include "views/chrome/messagepanel.h"

#include "views/theme/palette.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace chokepoint {

MessagePanel::MessagePanel(QWidget* parent) : QWidget(parent), m_title(new QLabel), m_text(new QLabel), m_buttons(new QHBoxLayout)
{
    setObjectName(QStringLiteral("messagePanel"));
    for (QLabel* label : {m_title, m_text}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignHCenter);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_title->setObjectName(QStringLiteral("messageTitle"));
    m_text->setObjectName(QStringLiteral("messageText"));
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.4);
    large.setBold(true);
    m_title->setFont(large);

    auto* column = new QWidget;
    column->setMaximumWidth(fontMetrics().averageCharWidth() * 80);
    column->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    auto* inner = new QVBoxLayout(column);
    inner->setSpacing(10);
    inner->addWidget(m_title);
    inner->addWidget(m_text);
    m_buttons->setAlignment(Qt::AlignHCenter);
    inner->addLayout(m_buttons);

    auto* row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(column, 8);
    row->addStretch(1);
    auto* outer = new QVBoxLayout(this);
    outer->addStretch(2);
    outer->addLayout(row);
    outer->addStretch(3);
    applyColours();
}

void MessagePanel::setMessage(const QString& title, const QString& text, bool isError)
{
    m_isError = isError;
    m_title->setText(isError ? QStringLiteral("✕ ") + title : title);
    m_text->setText(text);
    applyColours();
}

QAbstractButton* MessagePanel::addButton(const QString& text)
{
    auto* button = new QPushButton(text);
    m_buttons->addWidget(button);
    return button;
}

void MessagePanel::applyColours()
{
    const ChartPalette& colours = chartPalette(palette());
    QPalette own = palette();
    own.setColor(QPalette::WindowText, m_isError ? colours.error() : colours.text());
    m_title->setPalette(own);
    own.setColor(QPalette::WindowText, colours.mutedText());
    m_text->setPalette(own);
}

void MessagePanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyColours();
}

} // namespace chokepoint
