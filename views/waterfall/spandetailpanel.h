// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Everything about the selected span: what it is, where its time went, attributes, events, links, origin.
#pragma once

#include "views/waterfall/tracescene.h"

#include <QWidget>

#include <memory>
#include <optional>

class QFormLayout;
class QLabel;
class QStackedLayout;
class QTabWidget;
class QToolButton;

namespace chokepoint {

class DetailTable;

class SpanDetailPanel : public QWidget {
    Q_OBJECT
public:
    explicit SpanDetailPanel(QWidget* parent = nullptr);

    /// Decodes the payload of that one span. nullopt shows what to do.
    void setSpan(std::shared_ptr<const TraceScene> scene, std::optional<std::uint32_t> span);

signals:
    void stageActivated(chokepoint::StageId stage);

protected:
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] QFormLayout* factsLayout();
    void addFact(QFormLayout* facts, const QString& title, QLabel*& value, const QString& name);
    void showFacts(const SpanPayload& payload);
    [[nodiscard]] QString startFact() const;
    void showStage();
    void showTables(const SpanPayload& payload);

    std::shared_ptr<const TraceScene> m_scene;
    std::uint32_t m_span = 0;
    QStackedLayout* m_pages;
    QLabel* m_name;
    QToolButton* m_stage;
    QLabel* m_rule;
    QLabel* m_service = nullptr;
    QLabel* m_kind = nullptr;
    QLabel* m_status = nullptr;
    QLabel* m_start = nullptr;
    QLabel* m_duration = nullptr;
    QLabel* m_self = nullptr;
    QLabel* m_onPath = nullptr;
    QLabel* m_id = nullptr;
    QTabWidget* m_tabs;
    DetailTable* m_attributes;
    DetailTable* m_events;
    DetailTable* m_links;
    DetailTable* m_origin;
};

} // namespace chokepoint
