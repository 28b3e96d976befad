// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// MainWindow: pages, rail, navigation and files; menus are in mainwindowmenus.cpp.
#include "app/mainwindow.h"

#include "app/deploymentdialog.h"
#include "core/pipeline/samples.h"
#include "views/chrome/comparisonbar.h"
#include "views/chrome/problemsdialog.h"
#include "views/chrome/statussummary.h"
#include "views/compare/comparepage.h"
#include "views/compare/verdictbar.h"
#include "views/format/text.h"
#include "views/start/droppedpaths.h"
#include "views/start/startpage.h"
#include "views/theme/icons.h"
#include "views/traces/tracespage.h"
#include "views/waterfall/waterfallpage.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLayout>
#include <QMessageBox>
#include <QMouseEvent>
#include <QPainter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QVBoxLayout>

#include <algorithm>

namespace chokepoint {

namespace {

const QSize firstSize(1280, 800);

/// Flat, with a line to the page. Not by a style sheet: that would keep the colours of the theme it was set in.
class Rail : public QToolBar {
public:
    using QToolBar::QToolBar;

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.fillRect(rect(), palette().window());
        painter.fillRect(QRect(rect().right(), 0, 1, height()), palette().mid());
    }
};

} // namespace

MainWindow::MainWindow(Settings& settings, QWidget* parent)
    : QMainWindow(parent), m_settings(settings), m_session(m_state, m_jobs), m_stack(new QStackedWidget),
      m_pageActions(new QActionGroup(this))
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(tr("Chokepoint"));
    setWindowIcon(applicationIcon());
    setAcceptDrops(true);
    m_recent.setVariants(m_settings.recentComparisons());
    buildPages();
    buildRail();
    buildMenus();
    connectState();
    resize(firstSize);
    restoreGeometry(m_settings.windowGeometry());
    showPage();
    updateCommands();
}

MainWindow::~MainWindow()
{
    delete takeCentralWidget(); // the pages refer to the members below
}

void MainWindow::buildPages()
{
    m_stack->setObjectName(QStringLiteral("pages"));
    auto* start = new StartPage(m_state, m_session, m_recent);
    auto* compare = new ComparePage(m_state, m_session, m_jobs);
    addPage(Page::Start, start, tr("Start"), QStringLiteral("start"));
    addPage(Page::Traces, new TracesPage(m_state, m_jobs), tr("Traces"), QStringLiteral("traces"));
    addPage(Page::Waterfall, new WaterfallPage(m_state, m_jobs), tr("Waterfall"), QStringLiteral("waterfall"));
    addPage(Page::Compare, compare, tr("Before/After"), QStringLiteral("compare"));

    auto* bar = new ComparisonBar(m_state, m_session);
    auto* central = new QWidget;
    auto* layout = new QVBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_stack, 1);
    setCentralWidget(central);
    auto* summary = new StatusSummary(m_state, m_session);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(summary, 1);

    connect(start, &StartPage::openRequested, this, &MainWindow::chooseFiles);
    connect(start, &StartPage::openWorkspaceRequested, this, &MainWindow::chooseWorkspace);
    connect(start, &StartPage::sampleRequested, this, &MainWindow::openSample);
    connect(start, &StartPage::problemsRequested, this, &MainWindow::showProblems);
    connect(start, &StartPage::recentRequested, this, &MainWindow::openRecent);
    connect(compare, &ComparePage::openRequested, this, &MainWindow::chooseFiles);
    connect(bar, &ComparisonBar::openRequested, this, &MainWindow::chooseFiles);
    connect(bar, &ComparisonBar::swapRequested, &m_session, &Session::swapSides);
    connect(summary, &StatusSummary::problemsRequested, this, &MainWindow::showProblems);
}

void MainWindow::addPage(Page page, QWidget* widget, const QString& text, const QString& icon)
{
    m_stack->addWidget(widget);
    auto* action = new QAction(text, m_pageActions);
    action->setObjectName(QStringLiteral("page%1").arg(m_pages.size() + 1));
    action->setCheckable(true);
    action->setData(icon);
    action->setShortcut(QKeySequence(QStringLiteral("Alt+%1").arg(m_pages.size() + 1)));
    action->setToolTip(tr("%1 (%2)").arg(text, action->shortcut().toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, [this, page] { m_state.goTo(page); });
    m_pages.push_back({page, widget, action});
}

void MainWindow::buildRail()
{
    auto* rail = new Rail(tr("Pages"));
    rail->setObjectName(QStringLiteral("rail"));
    rail->setMovable(false);
    rail->layout()->setContentsMargins(4, 4, 4, 4);
    rail->setFloatable(false);
    rail->setContextMenuPolicy(Qt::PreventContextMenu);
    rail->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    rail->setIconSize(QSize(24, 24));
    for (const PageEntry& entry : m_pages)
        rail->addAction(entry.action);
    addToolBar(Qt::LeftToolBarArea, rail);
    for (const PageEntry& entry : m_pages)
        if (QWidget* button = rail->widgetForAction(entry.action)) {
            button->setMinimumWidth(fontMetrics().horizontalAdvance(tr("Before/After")) + 18);
            button->setFocusPolicy(Qt::TabFocus);
        }
    refreshIcons();
}

void MainWindow::refreshIcons()
{
    for (const PageEntry& entry : m_pages)
        entry.action->setIcon(themedIcon(entry.action->data().toString(), palette()));
}

void MainWindow::connectState()
{
    connect(&m_state, &ViewState::pageChanged, this, &MainWindow::showPage);
    for (const auto signal :
        {&ViewState::historyChanged, &ViewState::stageChanged, &ViewState::filterChanged, &ViewState::comparisonChanged})
        connect(&m_state, signal, this, &MainWindow::updateCommands);
    connect(&m_session, &Session::sideChanged, this, &MainWindow::updateCommands);
    connect(&m_session, &Session::compared, this, [this] {
        rememberComparison();
        if (m_state.page() == Page::Start)
            m_state.goTo(Page::Compare);
    });
    connect(&m_session, &Session::deploymentsFound, this, &MainWindow::chooseDeployments);
    connect(&m_session, &Session::saved, this,
        [this](const QString& path) { statusBar()->showMessage(tr("Saved %1").arg(QFileInfo(path).fileName()), 5000); });
    connect(&m_session, &Session::saveFailed, this, [this](const QString& message) { warn(tr("Not saved"), message); });
    connect(&m_recent, &RecentModel::changed, this, [this] { m_settings.setRecentComparisons(m_recent.toVariants()); });
}

void MainWindow::showPage()
{
    for (const PageEntry& entry : m_pages)
        if (entry.page == m_state.page()) {
            m_stack->setCurrentWidget(entry.widget);
            entry.action->setChecked(true);
        }
}

void MainWindow::updateCommands()
{
    const bool any = m_state.dataset(Side::Before) || m_state.dataset(Side::After);
    m_back->setEnabled(m_state.canGoBack());
    m_forward->setEnabled(m_state.canGoForward());
    m_save->setEnabled(m_session.canSaveWorkspace() && !m_session.isReading());
    m_export->setEnabled(m_state.comparison() != nullptr);
    m_closeBoth->setEnabled(any || m_session.isReading());
    m_swap->setEnabled(any && !m_session.isReading());
    m_clearSelection->setEnabled(!m_state.stage().isEmpty());
    m_clearFilter->setEnabled(!m_state.filter().isEmpty());
    const QString before = m_session.status(Side::Before).label;
    const QString after = m_session.status(Side::After).label;
    setWindowTitle(before.isEmpty() || after.isEmpty()
            ? before.isEmpty() && after.isEmpty() ? tr("Chokepoint") : tr("%1 – Chokepoint").arg(before + after)
            : tr("%1 → %2 – Chokepoint").arg(before, after));
}

void MainWindow::rememberComparison()
{
    const SideStatus& before = m_session.status(Side::Before);
    const SideStatus& after = m_session.status(Side::After);
    if (before.partOfWorkspace != after.partOfWorkspace)
        return; // half a workspace cannot be opened again by its path
    RecentComparison entry;
    entry.before = before.paths;
    entry.after = before.partOfWorkspace ? QStringList() : after.paths;
    entry.beforeLabel = before.label;
    entry.afterLabel = after.label;
    entry.sentence = toText(m_state.comparison()->sentence);
    entry.tone = toneOf(m_state.comparison()->verdict);
    entry.when = QDateTime::currentDateTimeUtc();
    m_recent.add(entry);
}

// ---- files ----------------------------------------------------------------------------------------------------------

void MainWindow::openFiles(const QStringList& files)
{
    if (files.isEmpty())
        return;
    if (files.size() == 1) {
        m_session.open(Side::Before, files);
        m_state.goTo(Page::Compare);
        return;
    }
    m_session.openPair({files[0]}, {files[1]});
}

void MainWindow::openSample()
{
    const Result<SamplePair> sample = findSamples(QCoreApplication::applicationFilePath().toStdString());
    if (!sample) {
        warn(tr("Sample data"), toText(sample.error().message()));
        return;
    }
    m_session.openPair({toText(sample->before)}, {toText(sample->after)});
}

void MainWindow::chooseFiles(Side side)
{
    const QString title = side == Side::Before ? tr("Open the traces before the change") : tr("Open the traces after the change");
    const QStringList files = QFileDialog::getOpenFileNames(this, title, m_settings.lastFolder(),
        tr("Traces (*.json *.jsonl *.ndjson *.pb *.proto *.binpb *.gz *.zst *.chokepoint);;All files (*)"));
    if (files.isEmpty())
        return;
    m_settings.setLastFolder(QFileInfo(files.first()).absolutePath());
    m_session.open(side, files);
}

void MainWindow::chooseWorkspace()
{
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Open workspace"), m_settings.lastFolder(), tr("Chokepoint workspace (*.chokepoint);;All files (*)"));
    if (file.isEmpty())
        return;
    m_settings.setLastFolder(QFileInfo(file).absolutePath());
    m_session.close(Side::After);
    m_session.open(Side::Before, {file});
}

void MainWindow::chooseDeployments(const QString& path, const std::vector<Deployment>& deployments)
{
    DeploymentDialog dialog(QFileInfo(path).fileName(), deployments, this);
    if (dialog.exec() == QDialog::Accepted)
        m_session.openDeployments(deployments[dialog.before()], deployments[dialog.after()]);
}

void MainWindow::saveWorkspace()
{
    QString path =
        QFileDialog::getSaveFileName(this, tr("Save workspace as"), m_settings.lastFolder(), tr("Chokepoint workspace (*.chokepoint)"));
    if (path.isEmpty())
        return;
    if (QFileInfo(path).suffix().isEmpty())
        path += QStringLiteral(".chokepoint");
    m_settings.setLastFolder(QFileInfo(path).absolutePath());
    m_session.saveWorkspace(path);
}

void MainWindow::exportComparison()
{
    QString filter;
    QString path = QFileDialog::getSaveFileName(
        this, tr("Export comparison"), m_settings.lastFolder(), tr("JSON (*.json);;Markdown (*.md);;Text (*.txt)"), &filter);
    if (path.isEmpty())
        return;
    if (QFileInfo(path).suffix().isEmpty())
        path += filter.contains(QLatin1String("txt")) ? QStringLiteral(".txt")
            : filter.contains(QLatin1String("md"))    ? QStringLiteral(".md")
                                                      : QStringLiteral(".json");
    m_settings.setLastFolder(QFileInfo(path).absolutePath());
    m_session.exportComparison(path);
}

void MainWindow::openRecent(int row)
{
    const RecentComparison entry = m_recent.entries()[std::size_t(row)];
    if (entry.after.isEmpty()) {
        m_session.close(Side::After);
        m_session.open(Side::Before, entry.before);
    } else {
        m_session.openPair(entry.before, entry.after);
    }
}

void MainWindow::warn(const QString& title, const QString& text)
{
    auto* box = new QMessageBox(QMessageBox::Warning, title, text, QMessageBox::Ok, this);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void MainWindow::showProblems()
{
    auto* dialog = findChild<ProblemsDialog*>(QStringLiteral("problemsDialog"));
    if (!dialog)
        dialog = new ProblemsDialog(m_state, m_session, this);
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

// ---- events ---------------------------------------------------------------------------------------------------------

void MainWindow::closeEvent(QCloseEvent* event)
{
    m_settings.setWindowGeometry(saveGeometry());
    event->accept();
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refreshIcons();
}

void MainWindow::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::BackButton)
        m_state.goBack();
    else if (event->button() == Qt::ForwardButton)
        m_state.goForward();
    else
        QMainWindow::mousePressEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (droppedPaths(*event->mimeData()).isEmpty())
        return;
    event->acceptProposedAction();
    statusBar()->showMessage(tr("Left half: before. Right half: after."), 4000);
}

void MainWindow::dropEvent(QDropEvent* event)
{
    const QStringList paths = droppedPaths(*event->mimeData());
    if (paths.isEmpty())
        return;
    event->acceptProposedAction();
    m_session.open(event->position().x() < width() / 2.0 ? Side::Before : Side::After, paths);
}

} // namespace chokepoint
