// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Before/After: is it faster, is that real, what paid for it, and what is the bottleneck now.
#pragma once

#include "views/compare/comparefigures.h"
#include "views/session/session.h"

#include <QWidget>

class QAbstractButton;
class QGridLayout;
class QStackedWidget;

namespace chokepoint {

class BusyStrip;
class DeltaWaterfall;
class DistributionPlot;
class MessagePanel;
class PercentileTable;
class RankSlope;
class ShareBars;
class VerdictBar;

class ComparePage : public QWidget {
    Q_OBJECT
public:
    ComparePage(ViewState& state, Session& session, JobRunner& jobs, QWidget* parent = nullptr);

signals:
    /// The user wants to choose files for a side.
    void openRequested(chokepoint::Side side);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildContent();
    void arrange();
    void showState();
    void showProgress();
    void showFigures(const CompareFigures& figures);
    void loadSamples(const CompareFigures& figures);
    void setStale(bool stale);
    void showMessage(const QString& title, const QString& text, bool isError, const QString& button);

    ViewState& m_state;
    Session& m_session;
    JobRunner& m_jobs;
    QStackedWidget* m_stack;
    MessagePanel* m_message;
    QAbstractButton* m_messageButton;
    BusyStrip* m_busy;
    QWidget* m_content;
    QGridLayout* m_grid;
    VerdictBar* m_verdict;
    PercentileTable* m_percentiles;
    ShareBars* m_shares;
    DeltaWaterfall* m_delta;
    RankSlope* m_slope;
    DistributionPlot* m_distribution;
    QAbstractButton* m_addOther;
    std::shared_ptr<const Comparison> m_shown;
    int m_columns = 0;
    bool m_single = false;
};

} // namespace chokepoint
