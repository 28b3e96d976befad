// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The line above the waterfall: which trace this is, its figures, its rank, and what to know about its path.
#pragma once

#include "views/theme/palette.h"
#include "views/waterfall/tracescene.h"

#include <QWidget>

#include <memory>

class QLabel;
class QLineEdit;
class QToolButton;

namespace chokepoint {

class StageChips;

class TraceHeader : public QWidget {
    Q_OBJECT
public:
    explicit TraceHeader(QWidget* parent = nullptr);

    void setScene(std::shared_ptr<const TraceScene> scene, Side side);
    /// Position of the trace in the list, from 0; \a count 0 hides the steps.
    void setPosition(std::size_t index, std::size_t count);
    void setPathOnly(bool on);
    void setSelectedStage(StageId stage);
    /// Number of spans that match the search, or -1 when there is none.
    void setMatchCount(std::int64_t count);
    void focusSearch();
    void clearSearch();
    [[nodiscard]] QString searchText() const;

signals:
    void traceStepRequested(int by);
    void pathOnlyRequested(bool on);
    void fitRequested();
    void searchChanged(const QString& text);
    void matchStepRequested(int by);
    void stageActivated(chokepoint::StageId stage);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] QToolButton* addButton(const QString& name, const QString& text, const QString& toolTip);
    [[nodiscard]] QString figures(Side side) const;
    [[nodiscard]] QString notes() const;
    void copyId() const;
    void applyColours();

    std::shared_ptr<const TraceScene> m_scene;
    Side m_shownSide = Side::Before;
    QLabel* m_side;
    QLabel* m_id;
    QLabel* m_figures;
    QLabel* m_position;
    QLabel* m_notes;
    QLabel* m_matches;
    QLineEdit* m_search;
    StageChips* m_stages;
    QToolButton* m_copy;
    QToolButton* m_previous;
    QToolButton* m_next;
    QToolButton* m_pathOnly;
    QToolButton* m_fit;
    QToolButton* m_previousMatch;
    QToolButton* m_nextMatch;
};

} // namespace chokepoint
