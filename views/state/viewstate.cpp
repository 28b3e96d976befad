// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// ViewState: every change goes through become(), which signals only what differs.
#include "views/state/viewstate.h"

#include <utility>

namespace chokepoint {

namespace {

constexpr std::size_t historyLimit = 100; // steps; far beyond what anybody walks back

} // namespace

ViewState::ViewState(QObject* parent) : QObject(parent) { }

ViewState::~ViewState() = default;

void ViewState::setDataset(Side side, DatasetPtr dataset)
{
    if (m_datasets[std::size_t(side)] == dataset)
        return;
    m_datasets[std::size_t(side)] = std::move(dataset);
    m_past.clear(); // places of the old data lead nowhere
    m_future.clear();
    Location next = m_now;
    if (next.trace && next.trace->side == side) {
        next.trace.reset();
        next.span.reset();
    }
    become(std::move(next));
    emit historyChanged();
    emit datasetChanged(side);
    setComparison(nullptr);
}

void ViewState::setComparison(ComparisonPtr comparison)
{
    if (m_comparison == comparison)
        return;
    m_comparison = std::move(comparison);
    emit comparisonChanged();
}

void ViewState::swapSides()
{
    std::swap(m_datasets[0], m_datasets[1]);
    m_past.clear();
    m_future.clear();
    const auto other = [](Side side) { return side == Side::Before ? Side::After : Side::Before; };
    Location next = m_now;
    if (next.trace)
        next.trace->side = other(next.trace->side);
    if (next.filter.side)
        next.filter.side = other(*next.filter.side);
    become(std::move(next));
    emit historyChanged();
    emit datasetChanged(Side::Before);
    emit datasetChanged(Side::After);
    setComparison(nullptr);
}

void ViewState::selectStage(const QString& stage)
{
    Location next = m_now;
    next.stage = stage;
    become(std::move(next));
}

void ViewState::hoverStage(const QString& stage)
{
    if (m_hoveredStage == stage)
        return;
    m_hoveredStage = stage;
    emit hoveredStageChanged();
}

void ViewState::selectTrace(std::optional<TraceRef> trace)
{
    Location next = m_now;
    if (next.trace == trace)
        return;
    next.trace = trace;
    next.span.reset();
    become(std::move(next));
}

void ViewState::selectSpan(std::optional<std::size_t> span)
{
    Location next = m_now;
    next.span = span;
    become(std::move(next));
}

void ViewState::setFilter(const TraceScope& filter)
{
    Location next = m_now;
    next.filter = filter;
    become(std::move(next));
}

void ViewState::setTraceOrder(TraceOrder order)
{
    m_traceOrder = std::move(order);
    emit traceOrderChanged();
}

void ViewState::goTo(Page page)
{
    Location next = m_now;
    next.page = page;
    visit(std::move(next));
}

void ViewState::showTraces(const TraceScope& filter)
{
    Location next = m_now;
    next.page = Page::Traces;
    next.filter = filter;
    visit(std::move(next));
}

void ViewState::openTrace(TraceRef trace, std::optional<std::size_t> span)
{
    Location next = m_now;
    next.page = Page::Waterfall;
    if (next.trace != trace || span)
        next.span = span;
    next.trace = trace;
    visit(std::move(next));
}

void ViewState::goBack()
{
    if (m_past.empty())
        return;
    Location next = std::move(m_past.back());
    m_past.pop_back();
    m_future.push_back(m_now);
    become(std::move(next));
    emit historyChanged();
}

void ViewState::goForward()
{
    if (m_future.empty())
        return;
    Location next = std::move(m_future.back());
    m_future.pop_back();
    m_past.push_back(m_now);
    become(std::move(next));
    emit historyChanged();
}

void ViewState::visit(Location next)
{
    if (next == m_now)
        return;
    if (m_past.size() == historyLimit)
        m_past.erase(m_past.begin());
    m_past.push_back(m_now);
    m_future.clear();
    become(std::move(next));
    emit historyChanged();
}

void ViewState::become(Location next)
{
    const Location old = std::exchange(m_now, std::move(next));
    if (old.filter != m_now.filter)
        emit filterChanged();
    if (old.stage != m_now.stage)
        emit stageChanged();
    if (old.trace != m_now.trace)
        emit traceChanged();
    if (old.span != m_now.span)
        emit spanChanged();
    if (old.page != m_now.page)
        emit pageChanged();
}

} // namespace chokepoint
