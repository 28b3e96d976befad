// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Waterfall page: one trace with header, minimap, waterfall and detail panel, wired to ViewState.
#pragma once

#include "views/jobs/jobrunner.h"
#include "views/state/viewstate.h"
#include "views/waterfall/tracescene.h"

#include <QWidget>

#include <memory>
#include <optional>

class QLabel;
class QStackedLayout;
class QTimer;

namespace chokepoint {

class Minimap;
class SpanDetailPanel;
class TraceHeader;
class WaterfallView;

class WaterfallPage : public QWidget {
    Q_OBJECT
public:
    /// \a state and \a jobs outlive the page.
    WaterfallPage(ViewState& state, JobRunner& jobs, QWidget* parent = nullptr);

    [[nodiscard]] WaterfallView* waterfall() const { return m_view; }

private:
    using ScenePtr = std::shared_ptr<const TraceScene>;

    void layOut();
    void connectState();
    void connectParts();
    void load();
    void showScene(ScenePtr scene, TraceRef trace);
    void showMessage(const QString& text);
    void followSpan();
    void followStage();
    void showPosition();
    void stepTrace(int by);
    void search(const QString& text);
    void selectStage(StageId stage);

    ViewState& m_state;
    JobRunner& m_jobs;
    std::optional<TraceRef> m_shown;
    QStackedLayout* m_pages;
    QWidget* m_content;
    QLabel* m_message;
    TraceHeader* m_header;
    Minimap* m_minimap;
    WaterfallView* m_view;
    SpanDetailPanel* m_details;
    QTimer* m_slow; // a load that takes long says so
};

} // namespace chokepoint
