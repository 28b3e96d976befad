// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Waterfall page: loads the selected trace off the UI thread, passes the rest between its parts and ViewState.
#include "views/waterfall/waterfallpage.h"

#include "views/format/text.h"
#include "views/waterfall/minimap.h"
#include "views/waterfall/spandetailpanel.h"
#include "views/waterfall/spansearch.h"
#include "views/waterfall/traceheader.h"
#include "views/waterfall/waterfallview.h"

#include <QEvent>
#include <QLabel>
#include <QSplitter>
#include <QStackedLayout>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace chokepoint {

namespace {

const QString loadSlot = QStringLiteral("waterfall.load");
const QString searchSlot = QStringLiteral("waterfall.search");
constexpr int slowAfterMs = 150;

} // namespace

WaterfallPage::WaterfallPage(ViewState& state, JobRunner& jobs, QWidget* parent)
    : QWidget(parent), m_state(state), m_jobs(jobs), m_pages(new QStackedLayout(this)), m_content(new QWidget(this)),
      m_message(new QLabel(this)), m_header(new TraceHeader(m_content)), m_minimap(new Minimap(m_content)),
      m_view(new WaterfallView(m_content)), m_details(new SpanDetailPanel(m_content)), m_slow(new QTimer(this))
{
    setObjectName(QStringLiteral("waterfallPage"));
    setFocusProxy(m_view);
    layOut();
    connectState();
    connectParts();
    load();
}

void WaterfallPage::layOut()
{
    m_message->setObjectName(QStringLiteral("waterfallMessage"));
    m_message->setTextFormat(Qt::PlainText);
    m_message->setAlignment(Qt::AlignCenter);
    m_message->setWordWrap(true);
    m_message->setMargin(32);
    m_slow->setSingleShot(true);
    m_slow->setInterval(slowAfterMs);

    auto* left = new QWidget(m_content);
    auto* leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(0, 0, 0, 0);
    leftColumn->setSpacing(0);
    leftColumn->addWidget(m_minimap);
    leftColumn->addWidget(m_view, 1);
    auto* split = new QSplitter(Qt::Horizontal, m_content);
    split->setObjectName(QStringLiteral("waterfallSplitter"));
    split->addWidget(left);
    split->addWidget(m_details);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 0);
    split->setSizes({900, 360});
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(split, 1);
    m_pages->addWidget(m_message);
    m_pages->addWidget(m_content);
    setTabOrder(m_header, m_view);
    setTabOrder(m_view, m_details);
}

void WaterfallPage::connectState()
{
    connect(&m_state, &ViewState::traceChanged, this, &WaterfallPage::load);
    connect(&m_state, &ViewState::datasetChanged, this, [this](Side side) {
        if (m_shown && m_shown->side == side)
            m_shown.reset(); // the same index is another trace now
        load();
    });
    connect(&m_state, &ViewState::spanChanged, this, &WaterfallPage::followSpan);
    connect(&m_state, &ViewState::stageChanged, this, &WaterfallPage::followStage);
    connect(&m_state, &ViewState::hoveredStageChanged, this, &WaterfallPage::followStage);
    connect(&m_state, &ViewState::traceOrderChanged, this, &WaterfallPage::showPosition);
    connect(&m_state, &ViewState::pageChanged, this, [this] {
        if (m_state.page() == Page::Waterfall)
            m_view->setFocus(); // its keys work at once
    });
    connect(m_slow, &QTimer::timeout, this, [this] { showMessage(tr("Loading the trace…")); });
}

void WaterfallPage::connectParts()
{
    connect(m_view, &WaterfallView::currentSpanChanged, this, [this] {
        const auto span = m_view->currentSpan();
        m_details->setSpan(m_view->scene(), span);
        if (m_shown && m_shown == m_state.trace())
            m_state.selectSpan(span ? std::optional<std::size_t>(*span) : std::nullopt);
    });
    connect(m_view, &WaterfallView::timeViewChanged, this, [this] {
        m_minimap->setMargins(m_view->treeWidth(), m_view->width() - m_view->viewport()->width());
        m_minimap->setTimeView(m_view->timeView());
    });
    connect(m_minimap, &Minimap::timeViewRequested, m_view, &WaterfallView::showTime);
    connect(m_minimap, &Minimap::fitRequested, m_view, &WaterfallView::fitTime);
    connect(m_view, &WaterfallView::pathOnlyChanged, m_header, &TraceHeader::setPathOnly);
    connect(m_view, &WaterfallView::searchRequested, m_header, &TraceHeader::focusSearch);
    connect(m_view, &WaterfallView::stageActivated, this, &WaterfallPage::selectStage);
    connect(m_view, &WaterfallView::escapePressed, this, [this] {
        if (!m_header->searchText().isEmpty())
            m_header->clearSearch();
        else if (!m_state.stage().isEmpty())
            m_state.selectStage(QString());
    });
    connect(m_details, &SpanDetailPanel::stageActivated, this, &WaterfallPage::selectStage);
    connect(m_header, &TraceHeader::stageActivated, this, &WaterfallPage::selectStage);
    connect(m_header, &TraceHeader::pathOnlyRequested, m_view, &WaterfallView::setPathOnly);
    connect(m_header, &TraceHeader::fitRequested, m_view, &WaterfallView::fitTime);
    connect(m_header, &TraceHeader::traceStepRequested, this, &WaterfallPage::stepTrace);
    connect(m_header, &TraceHeader::searchChanged, this, &WaterfallPage::search);
    connect(
        m_header, &TraceHeader::matchStepRequested, this, [this](int by) { m_view->stepToMatch(by < 0 ? Step::Previous : Step::Next); });
}

void WaterfallPage::load()
{
    const std::optional<TraceRef>& trace = m_state.trace();
    const ViewState::DatasetPtr dataset = trace ? m_state.dataset(trace->side) : nullptr;
    if (!dataset || trace->index >= dataset->columns.traceCount()) {
        m_jobs.cancel(loadSlot);
        m_slow->stop();
        m_shown.reset();
        m_view->setScene(nullptr);
        showMessage(m_state.dataset(Side::Before) || m_state.dataset(Side::After)
                ? tr("No trace is open.\nChoose one on the Traces page: double-click it or press Enter.")
                : tr("Nothing is loaded.\nOpen trace files on the Start page."));
        return;
    }
    if (m_shown == trace)
        return;
    m_slow->start();
    const TraceRef wanted = *trace;
    m_jobs.run(
        loadSlot, this, [dataset, wanted](const JobControl&) { return loadTraceScene(*dataset, wanted.index); },
        [this, wanted](Result<ScenePtr> scene) {
            m_slow->stop();
            if (scene)
                showScene(std::move(*scene), wanted);
            else
                showMessage(tr("This trace cannot be shown.\n%1").arg(toText(scene.error().message())));
        });
}

void WaterfallPage::showScene(ScenePtr scene, TraceRef trace)
{
    m_shown = trace;
    const std::optional<std::size_t> span = m_state.span(); // setScene clears the selection
    m_header->setScene(scene, trace.side);
    m_header->clearSearch();
    {
        const QSignalBlocker keepSpan(m_view);
        m_view->setScene(scene);
    }
    m_minimap->setScene(scene, m_view->bounds());
    m_minimap->setMargins(m_view->treeWidth(), m_view->width() - m_view->viewport()->width());
    m_details->setSpan(scene, std::nullopt);
    m_pages->setCurrentWidget(m_content);
    followStage();
    showPosition();
    if (span)
        m_view->setCurrentSpan(std::uint32_t(*span));
}

void WaterfallPage::showMessage(const QString& text)
{
    m_message->setText(text);
    m_pages->setCurrentWidget(m_message);
}

void WaterfallPage::followSpan()
{
    if (!m_shown || m_shown != m_state.trace())
        return;
    const std::optional<std::size_t>& span = m_state.span();
    m_view->setCurrentSpan(span ? std::optional(std::uint32_t(*span)) : std::nullopt);
}

void WaterfallPage::followStage()
{
    if (!m_view->scene())
        return;
    const StageTable& table = *m_view->scene()->stages;
    const auto find = [&table](const QString& stage) { return stage.isEmpty() ? StageTable::noStage : table.find(stage.toStdString()); };
    m_header->setSelectedStage(find(m_state.stage()));
    m_view->setEmphasizedStage(find(m_state.hoveredStage().isEmpty() ? m_state.stage() : m_state.hoveredStage()));
}

void WaterfallPage::selectStage(StageId stage)
{
    const StageTable& table = *m_view->scene()->stages;
    const QString name = stage == StageTable::noStage ? toText(unmappedStage) : toText(table.name(table.topLevel(stage)));
    m_state.selectStage(m_state.stage() == name ? QString() : name);
    followStage(); // a button that was clicked has changed by itself
}

void WaterfallPage::showPosition()
{
    const TraceOrder& order = m_state.traceOrder();
    if (!order || !m_shown) {
        m_header->setPosition(0, 0);
        return;
    }
    const auto it = std::find(order->begin(), order->end(), *m_shown);
    m_header->setPosition(std::size_t(it - order->begin()), it == order->end() ? 0 : order->size());
}

void WaterfallPage::stepTrace(int by)
{
    const TraceOrder& order = m_state.traceOrder();
    if (!order || !m_shown)
        return;
    const auto it = std::find(order->begin(), order->end(), *m_shown);
    const std::ptrdiff_t next = it - order->begin() + by;
    if (it != order->end() && next >= 0 && next < std::ptrdiff_t(order->size()))
        m_state.openTrace((*order)[std::size_t(next)]);
}

void WaterfallPage::search(const QString& text)
{
    const ScenePtr scene = m_view->scene();
    if (text.isEmpty() || !scene) {
        m_jobs.cancel(searchSlot);
        m_view->setMatches(nullptr);
        m_header->setMatchCount(-1);
        return;
    }
    m_jobs.run(
        searchSlot, this, [scene, needle = text.toStdString()](const JobControl& job) { return matchingSpans(*scene->trace, needle, job); },
        [this, scene](std::vector<std::uint32_t> found) {
            if (scene != m_view->scene())
                return;
            m_header->setMatchCount(std::int64_t(found.size()));
            m_view->setMatches(std::make_shared<const std::vector<std::uint32_t>>(std::move(found)));
        });
}

} // namespace chokepoint
