// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Stage buttons above the waterfall.
#include "views/waterfall/stagechips.h"

#include "views/format/text.h"
#include "views/theme/theme.h"
#include "views/waterfall/stagechip.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QToolButton>

namespace chokepoint {

namespace {

constexpr std::size_t mostChips = 8; // smaller stages are in the list of the detail panel and on the bars

} // namespace

StageChips::StageChips(QWidget* parent) : QWidget(parent), m_line(new QHBoxLayout(this))
{
    setObjectName(QStringLiteral("stageChips"));
    m_line->setContentsMargins(0, 0, 0, 0);
    m_line->setSpacing(4);
    m_line->addStretch(1);
}

void StageChips::setScene(std::shared_ptr<const TraceScene> scene)
{
    if (m_scene == scene)
        return;
    m_scene = std::move(scene);
    for (const auto& [stage, chip] : m_chips)
        delete chip;
    m_chips.clear();
    if (!m_scene)
        return;
    for (const StageTime& time : stageTimes(*m_scene)) {
        if (m_chips.size() < mostChips)
            addChip(time);
    }
    showIcons();
}

void StageChips::addChip(const StageTime& time)
{
    auto* chip = new QToolButton(this);
    const QString label = toText(m_scene->stages->label(time.stage));
    const QString share = shareText(double(toNs(time.time)) / double(toNs(m_scene->path.length)));
    chip->setObjectName(QStringLiteral("stageChip_") + toText(m_scene->stages->name(time.stage)));
    chip->setText(QStringLiteral("%1 %2").arg(label, share));
    chip->setToolTip(tr("%1: %2 on the critical path, %3 of end-to-end. Click to select the stage everywhere.")
                         .arg(label, durationText(time.time), share));
    chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    chip->setFont(tabularFont(font()));
    chip->setCheckable(true);
    chip->setAutoRaise(true);
    connect(chip, &QToolButton::clicked, this, [this, stage = time.stage] { emit stageActivated(stage); });
    m_line->insertWidget(int(m_chips.size()), chip);
    m_chips.emplace_back(time.stage, chip);
}

void StageChips::setSelected(StageId stage)
{
    for (const auto& [chipStage, chip] : m_chips)
        chip->setChecked(chipStage == stage);
}

void StageChips::showIcons()
{
    for (const auto& [stage, chip] : m_chips)
        chip->setIcon(stageIcon(m_scene->stages->name(stage), palette()));
}

void StageChips::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showIcons();
}

} // namespace chokepoint
