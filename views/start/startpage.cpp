// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// StartPage: wells on the left, recent comparisons on the right.
#include "views/start/startpage.h"

#include "views/session/problems.h"
#include "views/start/dropwell.h"
#include "views/start/recentdelegate.h"
#include "views/start/recentmodel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

namespace chokepoint {

StartPage::StartPage(ViewState& state, Session& session, RecentModel& recent, QWidget* parent)
    : QWidget(parent), m_state(state), m_session(session), m_recent(recent)
{
    setObjectName(QStringLiteral("startPage"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(24, 20, 24, 20);
    layout->setSpacing(28);
    layout->addWidget(buildWells(), 3);
    layout->addWidget(buildRecent(), 2);
    connect(&m_session, &Session::sideChanged, this, &StartPage::showState);
    connect(&m_session, &Session::comparingChanged, this, &StartPage::showState);
    connect(&m_state, &ViewState::comparisonChanged, this, &StartPage::showState);
    connect(&m_recent, &QAbstractItemModel::modelReset, this, &StartPage::showState);
    connect(&m_recent, &QAbstractItemModel::rowsRemoved, this, &StartPage::showState);
    showState();
}

QWidget* StartPage::buildWells()
{
    auto* title = new QLabel(tr("Find where the bottleneck moved"));
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.7);
    large.setBold(true);
    title->setFont(large);
    auto* text =
        new QLabel(tr("Open the traces of two profiling runs. Chokepoint compares them request by request and tells whether the change is "
                      "real, what paid for it, and what holds requests up now. Everything stays on this machine."));
    text->setWordWrap(true);

    auto* wells = new QHBoxLayout;
    wells->setSpacing(12);
    for (const Side side : {Side::Before, Side::After}) {
        auto* well = new DropWell(side);
        m_wells[std::size_t(side)] = well;
        wells->addWidget(well, 1);
        connect(well, &DropWell::dropped, this, [this, side](const QStringList& paths) { m_session.open(side, paths); });
        connect(well, &DropWell::openRequested, this, [this, side] { emit openRequested(side); });
        connect(well, &DropWell::cancelRequested, this, [this, side] { m_session.cancel(side); });
        connect(well, &DropWell::closeRequested, this, [this, side] { m_session.close(side); });
        connect(well, &DropWell::warningsRequested, this, &StartPage::problemsRequested);
    }

    auto* sample = new QPushButton(tr("Try the sample data"));
    sample->setObjectName(QStringLiteral("trySample"));
    auto* workspace = new QPushButton(tr("Open workspace…"));
    workspace->setObjectName(QStringLiteral("openWorkspace"));
    m_compare = new QPushButton(tr("Show the comparison"));
    m_compare->setObjectName(QStringLiteral("showComparison"));
    m_compare->setDefault(true);
    connect(sample, &QPushButton::clicked, this, &StartPage::sampleRequested);
    connect(workspace, &QPushButton::clicked, this, &StartPage::openWorkspaceRequested);
    connect(m_compare, &QPushButton::clicked, this, [this] { m_state.goTo(Page::Compare); });
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_compare);
    buttons->addWidget(sample);
    buttons->addWidget(workspace);
    buttons->addStretch(1);

    auto* formats = new QLabel(
        tr("Reads OpenTelemetry files (OTLP as JSON, JSON lines or protobuf), exports of Jaeger, Zipkin, Tempo, Phoenix, Langfuse, "
           "LangSmith, MLflow, Datadog and others, Chrome and PyTorch traces, plain, compressed or in archives, and workspaces saved "
           "here. The format is told by the content, not by the name."));
    formats->setWordWrap(true);
    formats->setForegroundRole(QPalette::PlaceholderText);

    auto* column = new QWidget;
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    layout->addWidget(title);
    layout->addWidget(text);
    layout->addSpacing(6);
    layout->addLayout(wells, 2);
    layout->addLayout(buttons);
    layout->addSpacing(10);
    layout->addWidget(formats);
    layout->addStretch(1);
    return column;
}

QWidget* StartPage::buildRecent()
{
    auto* heading = new QLabel(tr("Recent comparisons"));
    QFont bold = font();
    bold.setPointSizeF(bold.pointSizeF() * 1.15);
    bold.setBold(true);
    heading->setFont(bold);
    m_list = new QListView;
    m_list->setObjectName(QStringLiteral("recentList"));
    m_list->setAccessibleName(tr("Recent comparisons"));
    m_list->setModel(&m_recent);
    m_list->setItemDelegate(new RecentDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(m_list, &QListView::activated, this, [this](const QModelIndex& index) { emit recentRequested(index.row()); });
    connect(m_list, &QListView::customContextMenuRequested, this, &StartPage::showRecentMenu);
    m_noRecent = new QLabel(tr("Comparisons appear here with their verdict, so that last week's conclusion is one glance away."));
    m_noRecent->setWordWrap(true);
    m_noRecent->setForegroundRole(QPalette::PlaceholderText);

    auto* column = new QWidget;
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->setSpacing(10);
    layout->addWidget(heading);
    layout->addWidget(m_noRecent);
    layout->addWidget(m_list, 1);
    layout->addStretch(0);
    return column;
}

void StartPage::showState()
{
    const std::vector<Problem> problems = collectProblems(m_session, m_state);
    for (const Side side : {Side::Before, Side::After}) {
        std::uint64_t warnings = 0;
        for (const Problem& problem : problems)
            warnings += problem.side == side ? problem.count : 0;
        const ViewState::DatasetPtr& dataset = m_state.dataset(side);
        m_wells[std::size_t(side)]->setStatus(
            m_session.status(side), dataset ? dataset->columns.traceCount() : 0, dataset ? dataset->columns.spanCount() : 0, warnings);
    }
    m_compare->setVisible(m_state.comparison() != nullptr);
    m_list->setVisible(m_recent.rowCount() > 0);
    m_noRecent->setVisible(m_recent.rowCount() == 0);
}

void StartPage::showRecentMenu(const QPoint& position)
{
    const QModelIndex index = m_list->indexAt(position);
    QMenu menu(this);
    if (index.isValid()) {
        menu.addAction(tr("&Open"), this, [this, index] { emit recentRequested(index.row()); });
        menu.addAction(tr("&Forget"), this, [this, index] { m_recent.remove(index.row()); });
    }
    menu.addAction(tr("Forget &all"), this, [this] { m_recent.clear(); });
    menu.exec(m_list->viewport()->mapToGlobal(position));
}

} // namespace chokepoint
