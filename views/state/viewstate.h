// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is loaded, selected and filtered. Views talk to this object, never to each other.
#pragma once

#include "core/analysis/comparison.h"
#include "core/pipeline/dataset.h"
#include "views/theme/palette.h"

#include <QObject>
#include <QString>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace chokepoint {

enum class Page : std::uint8_t { Start, Traces, Waterfall, Compare };

/// One trace: the side it was loaded on and its index in that side's columns.
struct TraceRef {
    Side side = Side::Before;
    std::size_t index = 0;
    friend bool operator==(const TraceRef&, const TraceRef&) = default;
};

/// Percentile ranks of the end-to-end time within the trace's own side, both from 0 to 1, low included, high excluded
/// unless it is 1. The whole range does not restrict.
struct Band {
    double low = 0;
    double high = 1;
    [[nodiscard]] bool isWhole() const { return low <= 0 && high >= 1; }
    friend bool operator==(const Band&, const Band&) = default;
};

/// Which traces a figure led to; the filter expression of the list (core/analysis/tracefilter.h) restricts further. Parts that
/// are empty do not restrict.
struct TraceScope {
    QString stage; // traces with this stage (id) on the path, largest share first
    Band band;
    std::optional<Side> side;
    QString text; // filter expression of the list, as typed
    bool errorsOnly = false; // traces with an error span
    bool incompleteOnly = false; // traces that statistics leave out: no root, or something unfinished
    std::optional<Duration> from; // end-to-end times that are at least this long,
    std::optional<Duration> below; // and shorter than this
    [[nodiscard]] bool isEmpty() const { return *this == TraceScope{}; }
    friend bool operator==(const TraceScope&, const TraceScope&) = default;
};

/// The traces of the list in the order that it shows them.
using TraceOrder = std::shared_ptr<const std::vector<TraceRef>>;

class ViewState : public QObject {
    Q_OBJECT
public:
    using DatasetPtr = std::shared_ptr<const Dataset>;
    using ComparisonPtr = std::shared_ptr<const Comparison>;

    explicit ViewState(QObject* parent = nullptr);
    ~ViewState() override;

    // ---- loaded -----------------------------------------------------------------------------------------------------
    [[nodiscard]] const DatasetPtr& dataset(Side side) const { return m_datasets[std::size_t(side)]; }
    [[nodiscard]] bool hasPair() const { return m_datasets[0] && m_datasets[1]; }
    /// Null until both sides are loaded and compared.
    [[nodiscard]] const ComparisonPtr& comparison() const { return m_comparison; }
    /// Replaces one side (null unloads it). Selections and history that point into it are dropped, and so is the comparison.
    void setDataset(Side side, DatasetPtr dataset);
    void setComparison(ComparisonPtr comparison);
    /// Before becomes after. The comparison is dropped; whoever owns the analysis makes a new one.
    void swapSides();

    // ---- selection --------------------------------------------------------------------------------------------------
    /// Stage id such as "generate"; "" for none.
    [[nodiscard]] const QString& stage() const { return m_now.stage; }
    void selectStage(const QString& stage);
    [[nodiscard]] const QString& hoveredStage() const { return m_hoveredStage; }
    void hoverStage(const QString& stage);

    [[nodiscard]] const std::optional<TraceRef>& trace() const { return m_now.trace; }
    /// Selects without leaving the page; nullopt clears.
    void selectTrace(std::optional<TraceRef> trace);
    /// Index in the selected trace.
    [[nodiscard]] const std::optional<std::size_t>& span() const { return m_now.span; }
    void selectSpan(std::optional<std::size_t> span);

    [[nodiscard]] const TraceScope& filter() const { return m_now.filter; }
    void setFilter(const TraceScope& filter);

    /// What "next trace" means; null until the list has been filled. Set by the list alone.
    [[nodiscard]] const TraceOrder& traceOrder() const { return m_traceOrder; }
    void setTraceOrder(TraceOrder order);

    // ---- navigation -------------------------------------------------------------------------------------------------
    [[nodiscard]] Page page() const { return m_now.page; }
    void goTo(Page page);
    /// The traces behind a figure: sets the filter and shows the Traces page, as one step of the history.
    void showTraces(const TraceScope& filter);
    /// Selects the trace (and span) and shows the Waterfall page, as one step of the history.
    void openTrace(TraceRef trace, std::optional<std::size_t> span = std::nullopt);

    [[nodiscard]] bool canGoBack() const { return !m_past.empty(); }
    [[nodiscard]] bool canGoForward() const { return !m_future.empty(); }
    void goBack();
    void goForward();

signals:
    void datasetChanged(chokepoint::Side side);
    void comparisonChanged();
    void stageChanged();
    void hoveredStageChanged();
    void traceChanged(); // before spanChanged when both change
    void spanChanged();
    void filterChanged();
    void traceOrderChanged();
    void pageChanged();
    void historyChanged();

private:
    struct Location {
        Page page = Page::Start;
        QString stage;
        std::optional<TraceRef> trace;
        std::optional<std::size_t> span;
        TraceScope filter;
        friend bool operator==(const Location&, const Location&) = default;
    };
    /// Leaves the present place for \a next and remembers it.
    void visit(Location next);
    /// Becomes \a next and signals what differs.
    void become(Location next);

    std::array<DatasetPtr, 2> m_datasets;
    ComparisonPtr m_comparison;
    QString m_hoveredStage;
    TraceOrder m_traceOrder;
    Location m_now;
    std::vector<Location> m_past; // latest last, at most historyLimit
    std::vector<Location> m_future; // nearest last
};

} // namespace chokepoint
