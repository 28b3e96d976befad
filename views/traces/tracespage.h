// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Traces page: filter, pills, distribution and list of the traces of both sides, wired to ViewState.
#pragma once

#include "views/jobs/jobrunner.h"
#include "views/state/viewstate.h"
#include "views/traces/tracequery.h"

#include <QWidget>

#include <functional>
#include <memory>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedLayout;
class QTableView;
class QToolButton;

namespace chokepoint {

class HistogramView;
class TraceListModel;

class TracesPage : public QWidget {
    Q_OBJECT
public:
    /// \a state and \a jobs outlive the page.
    TracesPage(ViewState& state, JobRunner& jobs, QWidget* parent = nullptr);

    [[nodiscard]] TraceListModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using RowsPtr = std::shared_ptr<const TraceRows>;
    static constexpr double tailRank = 0.95; // of the slowest 5 %

    void buildFilter(QHBoxLayout* line);
    void buildPills(QHBoxLayout* line);
    void buildTable();
    void sizeColumns();
    void layOut();
    void connectState();
    [[nodiscard]] QToolButton* addPill(QHBoxLayout* line, const QString& name, void (TracesPage::*toggle)(bool));
    void editScope(const std::function<void(TraceScope&)>& edit);
    void toggleErrors(bool on);
    void toggleTail(bool on);
    void toggleIncomplete(bool on);
    void toggleBefore(bool on);
    void toggleAfter(bool on);
    void toggleStage(bool on);
    void clearRange(bool on);

    void loadRows();
    void query();
    void showResult(const TraceQueryResult& result);
    void showFault(const Error& error);
    void showPills();
    void showHistogram(const std::vector<std::uint32_t>& rows);
    void showEmpty(const TraceQueryResult& result);
    void followScope();
    void followStage();
    void followTrace();
    [[nodiscard]] const QString& rankedStage() const;
    void publishOrder();
    void openRow(const QModelIndex& index);
    void copyRows();

    ViewState& m_state;
    JobRunner& m_jobs;
    RowsPtr m_rows;
    TraceListModel* m_model;
    QLineEdit* m_filter;
    QLabel* m_count;
    QLabel* m_fault;
    QToolButton* m_errors = nullptr;
    QToolButton* m_tail = nullptr;
    QToolButton* m_incomplete = nullptr;
    QToolButton* m_before = nullptr;
    QToolButton* m_after = nullptr;
    QToolButton* m_stage = nullptr;
    QToolButton* m_range = nullptr;
    QToolButton* m_logarithmic;
    HistogramView* m_histogram;
    QTableView* m_table;
    QLabel* m_message;
    QPushButton* m_clear;
    QStackedLayout* m_pages;
};

} // namespace chokepoint
