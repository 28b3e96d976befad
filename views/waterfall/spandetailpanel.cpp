// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Detail panel.
#include "views/waterfall/spandetailpanel.h"

#include "core/base/starttext.h"
#include "views/format/text.h"
#include "views/theme/theme.h"
#include "views/waterfall/detailtable.h"
#include "views/waterfall/stagechip.h"
#include "views/waterfall/waterfallpainter.h"

#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace chokepoint {

namespace {

QLabel* plainLabel(QWidget* parent, const QString& name)
{
    auto* label = new QLabel(parent);
    label->setObjectName(name);
    label->setTextFormat(Qt::PlainText); // text of traces is never markup
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setWordWrap(true);
    label->setFont(tabularFont(label->font()));
    return label;
}

QString tabTitle(const QString& title, std::size_t count)
{
    return QStringLiteral("%1 %2").arg(title, countText(count));
}

} // namespace

SpanDetailPanel::SpanDetailPanel(QWidget* parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("spanDetailPanel"));
    setAccessibleName(tr("Details of the selected span"));
    auto* empty = new QLabel(tr("Select a span to see its times, attributes, events and links.\n\n"
                                "N and P step along the critical path, E to the next error."),
        this);
    empty->setObjectName(QStringLiteral("spanDetailEmpty"));
    empty->setAlignment(Qt::AlignCenter);
    empty->setWordWrap(true);
    empty->setMargin(24);

    auto* filled = new QWidget(this);
    m_name = plainLabel(filled, QStringLiteral("spanName"));
    QFont bold = m_name->font();
    bold.setBold(true);
    bold.setPointSizeF(bold.pointSizeF() * 1.15);
    m_name->setFont(bold);
    m_stage = new QToolButton(filled);
    m_stage->setObjectName(QStringLiteral("spanStage"));
    m_stage->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_stage->setToolTip(tr("Select this stage everywhere"));
    connect(m_stage, &QToolButton::clicked, this, [this] { emit stageActivated(m_scene->stage[m_span]); });
    m_rule = plainLabel(filled, QStringLiteral("spanRule"));

    m_attributes = new DetailTable(QStringLiteral("attributes"), filled);
    m_events = new DetailTable(QStringLiteral("events"), filled);
    m_links = new DetailTable(QStringLiteral("links"), filled);
    m_origin = new DetailTable(QStringLiteral("resource"), filled);
    m_tabs = new QTabWidget(filled);
    m_tabs->setObjectName(QStringLiteral("spanTabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->setUsesScrollButtons(false);
    for (auto* table : {m_attributes, m_events, m_links, m_origin})
        m_tabs->addTab(table, QString());

    auto* column = new QVBoxLayout(filled);
    column->setContentsMargins(12, 10, 12, 8);
    column->addWidget(m_name);
    column->addLayout(factsLayout());
    column->addSpacing(4);
    column->addWidget(m_tabs, 1);
    m_pages = new QStackedLayout(this);
    m_pages->addWidget(empty);
    m_pages->addWidget(filled);
}

QFormLayout* SpanDetailPanel::factsLayout()
{
    auto* facts = new QFormLayout;
    facts->setContentsMargins(0, 0, 0, 0);
    facts->setVerticalSpacing(3);
    auto* stageLine = new QHBoxLayout;
    stageLine->setSpacing(8);
    stageLine->addWidget(m_stage);
    stageLine->addWidget(m_rule, 1);
    facts->addRow(tr("Stage"), stageLine);
    addFact(facts, tr("Duration"), m_duration, QStringLiteral("spanDuration"));
    addFact(facts, tr("On path"), m_onPath, QStringLiteral("spanOnPath"));
    addFact(facts, tr("Self time"), m_self, QStringLiteral("spanSelf"));
    addFact(facts, tr("Start"), m_start, QStringLiteral("spanStart"));
    addFact(facts, tr("Status"), m_status, QStringLiteral("spanStatus"));
    addFact(facts, tr("Service"), m_service, QStringLiteral("spanService"));
    addFact(facts, tr("Kind"), m_kind, QStringLiteral("spanKind"));
    addFact(facts, tr("Span id"), m_id, QStringLiteral("spanId"));
    return facts;
}

void SpanDetailPanel::addFact(QFormLayout* facts, const QString& title, QLabel*& value, const QString& name)
{
    value = plainLabel(this, name);
    value->setAccessibleName(title);
    facts->addRow(title, value);
}

void SpanDetailPanel::setSpan(std::shared_ptr<const TraceScene> scene, std::optional<std::uint32_t> span)
{
    m_scene = std::move(scene);
    m_pages->setCurrentIndex(m_scene && span ? 1 : 0);
    if (!m_scene || !span)
        return;
    m_span = *span;
    const SpanPayload payload = m_scene->trace->payload(m_span);
    showFacts(payload);
    showStage();
    showTables(payload);
}

void SpanDetailPanel::showFacts(const SpanPayload& payload)
{
    const TraceView& view = m_scene->view;
    const SpanFlags flags = view.flags[m_span];
    const QString name = oneLine(m_scene->trace->name(m_span), 400);
    m_name->setText(name.isEmpty() ? tr("(no name)") : name);
    m_duration->setText(m_scene->isUnfinished(m_span) ? tr("unfinished: no end time was recorded") : durationText(view.duration(m_span)));
    m_self->setText(durationText(m_scene->selfTime[m_span]));
    const Duration onPath = m_scene->onPath(m_span);
    const Duration whole = m_scene->path.length;
    m_onPath->setText(onPath == Duration{0} || whole == Duration{0}
            ? tr("not on the critical path")
            : tr("%1, %2 of end-to-end").arg(durationText(onPath), shareText(double(toNs(onPath)) / double(toNs(whole)))));
    m_start->setText(startFact());
    const QString status = QString::fromLatin1(spanStatusName(flags.status()));
    const QString message = oneLine(payload.statusMessage, 600);
    m_status->setText(
        (flags.isError() ? QStringLiteral("⚠ ") : QString()) + (message.isEmpty() ? status : status + QStringLiteral(": ") + message));
    m_service->setText(oneLine(m_scene->trace->service(m_span)));
    m_kind->setText(QString::fromLatin1(spanKindName(flags.kind())));
    m_id->setText(oneLine(m_scene->trace->spanIdName(m_span)));
}

QString SpanDetailPanel::startFact() const
{
    const Timestamp start = m_scene->view.start[m_span];
    if (!isKnown(start))
        return tr("unknown");
    const QString inTrace = tr("%1 after the trace began").arg(durationText(saturatingDifference(start, m_scene->extent.begin)));
    const QString when = startText(start, m_scene->dataBegin);
    return inTrace + QLatin1Char('\n') + (isDate(start) ? when : tr("%1 after the first span (no dates recorded)").arg(when));
}

void SpanDetailPanel::showStage()
{
    const StageId stage = m_scene->stage[m_span];
    const std::string_view id = m_scene->stageName(m_span);
    m_stage->setText(stage == StageTable::noStage ? toText(id) : toText(m_scene->stages->label(stage)));
    m_stage->setIcon(stageIcon(id, palette()));
    const std::size_t rule = m_scene->rule.empty() ? m_scene->ruleNames.size() : m_scene->rule[m_span];
    m_rule->setText(rule < m_scene->ruleNames.size() ? tr("by rule %1").arg(toText(m_scene->ruleNames[rule])) : QString());
}

void SpanDetailPanel::showTables(const SpanPayload& payload)
{
    const TraceView& view = m_scene->view;
    std::vector<DetailRow> attributes = attributeRows(payload.attributes);
    const auto addCount = [&attributes](const QString& key, std::uint32_t count) {
        if (count > 0)
            attributes.push_back({key, std::to_string(count), QString(), {}});
    };
    addCount(tr("dropped attributes"), payload.droppedAttributes);
    addCount(tr("dropped events"), payload.droppedEvents);
    addCount(tr("dropped links"), payload.droppedLinks);
    if (!payload.traceState.empty())
        attributes.push_back({tr("trace state"), payload.traceState, QString(), {}});
    m_tabs->setTabText(0, tabTitle(tr("Attributes"), payload.attributes.size()));
    m_tabs->setTabText(1, tabTitle(tr("Events"), payload.events.size()));
    m_tabs->setTabText(2, tabTitle(tr("Links"), payload.links.size()));
    m_tabs->setTabText(3, tr("Resource"));
    m_attributes->setRows(std::move(attributes));
    m_events->setRows(eventRows(payload, view.start[m_span]));
    m_links->setRows(linkRows(payload));
    const Dictionary& dictionary = m_scene->trace->dictionary();
    m_origin->setRows(originRows(dictionary.resource(view.resource[m_span]), dictionary.scope(view.scope[m_span])));
}

void SpanDetailPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_scene && m_pages->currentIndex() == 1)
        showStage();
}

} // namespace chokepoint
