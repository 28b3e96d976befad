// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The stages of one trace's path as buttons: legend of the colours, shares, and a way to select a stage everywhere.
#pragma once

#include "views/waterfall/tracescene.h"

#include <QWidget>

#include <memory>
#include <vector>

class QHBoxLayout;
class QToolButton;

namespace chokepoint {

class StageChips : public QWidget {
    Q_OBJECT
public:
    explicit StageChips(QWidget* parent = nullptr);

    void setScene(std::shared_ptr<const TraceScene> scene);
    /// noStage: none is selected.
    void setSelected(StageId stage);

signals:
    void stageActivated(chokepoint::StageId stage);

protected:
    void changeEvent(QEvent* event) override;

private:
    void addChip(const StageTime& time);
    void showIcons();

    std::shared_ptr<const TraceScene> m_scene;
    QHBoxLayout* m_line;
    std::vector<std::pair<StageId, QToolButton*>> m_chips;
};

} // namespace chokepoint
