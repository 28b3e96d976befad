// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// DistributionPlot: two staircases of QCustomPlot inside the common panel, thinned to the pixels at hand.
#include "views/compare/distributionplot.h"

#include "views/charts/sidemarker.h"
#include "views/compare/comparelayouts.h"
#include "views/format/text.h"

#include <qcustomplot.h>

#include <QMenu>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace chokepoint {

namespace {

struct Mark {
    double p;
    const char* label;
};
constexpr std::array marks{Mark{0.50, "P50"}, Mark{0.95, "P95"}, Mark{0.99, "P99"}};

Duration fromMs(double ms)
{
    return Duration{std::llround(ms * 1e6)};
}

/// Ticks at round figures of each decade, more of them when there are few decades, and equal steps within a part of a decade; in the
/// words of durationText().
class LogDurationTicker : public QCPAxisTicker {
    static constexpr qsizetype fewest = 4;

protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return durationText(fromMs(tick)); }
    int getSubTickCount(double) override { return 0; }
    QVector<double> createTickVector(double, const QCPRange& range) override
    {
        QVector<double> ticks;
        static constexpr std::array few{1.0, 2.0, 5.0};
        static constexpr std::array many{1.0, 1.5, 2.0, 3.0, 5.0, 7.0};
        const bool narrow = range.upper < range.lower * 100;
        const std::span<const double> steps = narrow ? std::span<const double>(many) : std::span<const double>(few);
        for (double decade = std::pow(10, std::floor(std::log10(std::max(range.lower, 1e-6)))); decade <= range.upper; decade *= 10)
            for (const double step : steps)
                if (decade * step >= range.lower && decade * step <= range.upper)
                    ticks.append(decade * step);
        return ticks.size() < fewest ? QCPAxisTicker::createTickVector(getTickStep(range), range) : ticks;
    }
};

class DurationTicker : public QCPAxisTicker {
protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return durationText(fromMs(tick)); }
};

} // namespace

DistributionPlot::DistributionPlot(ViewState& state, QWidget* parent) : ChartWidget(state, parent), m_plot(new QCustomPlot(this))
{
    setObjectName(QStringLiteral("distributionPlot"));
    m_plot->setObjectName(QStringLiteral("distributionCanvas"));
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setAttribute(Qt::WA_TransparentForMouseEvents, false);
    m_plot->installEventFilter(this);
    m_plot->axisRect()->setAutoMargins(QCP::msAll);
    m_plot->axisRect()->setMinimumMargins(QMargins(4, 6, 14, 4));
    setHeading(tr("Distribution of the end-to-end time"), tr("Share of requests that took at most so long"));
    connect(m_plot, &QCustomPlot::mouseDoubleClick, this, [this](QMouseEvent* event) {
        TraceScope scope;
        scope.band = {std::clamp(m_plot->yAxis->pixelToCoord(event->position().y()), 0.0, 0.99), 1};
        this->state().showTraces(scope);
    });
}

DistributionPlot::~DistributionPlot() = default;

QSize DistributionPlot::minimumSizeHint() const
{
    return {320, int(7 * lineHeight()) + 70};
}

void DistributionPlot::setFigures(const CompareFigures& figures, E2eSamples samples)
{
    m_figures = figures;
    m_samples = std::move(samples);
    refresh();
}

void DistributionPlot::setLogarithmic(bool on)
{
    m_logarithmic = on;
    refresh();
}

Side DistributionPlot::sideOf(bool before) const
{
    if (m_figures.single)
        return m_figures.singleSide;
    return before ? Side::Before : Side::After;
}

void DistributionPlot::layoutPlot()
{
    m_plot->setGeometry(plotRect().adjusted(-6, -2, 6, 8).toRect());
    m_plot->setVisible(m_plot->width() > 40 && m_plot->height() > 40); // QCustomPlot cannot draw on nothing
    if (!m_plot->isHidden())
        rebuild();
}

void DistributionPlot::rebuild()
{
    m_plot->clearItems();
    m_plot->clearPlottables();
    styleAxes();
    addCurve(sideOf(true), m_samples.before);
    addCurve(sideOf(false), m_samples.after);
    addMarks();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void DistributionPlot::styleAxes()
{
    const ChartPalette& colours = chartPalette(palette());
    m_plot->setBackground(QBrush(colours.background()));
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setBasePen(QPen(colours.grid()));
        axis->setTickPen(QPen(colours.grid()));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(colours.mutedText());
        axis->setTickLabelFont(smallFont());
        axis->grid()->setPen(QPen(colours.grid(), 0));
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
    m_plot->yAxis->setRange(0, 1.06);
    const auto shares = QSharedPointer<QCPAxisTickerText>::create();
    shares->addTick(0, QStringLiteral("0"));
    for (const Mark& mark : marks)
        if (mark.p < 0.99 || m_plot->height() > 400) // P99 would collide with P95 on a low plot
            shares->addTick(mark.p, QString::fromLatin1(mark.label));
    m_plot->yAxis->setTicker(shares);

    double low = 1e300;
    double high = 0;
    for (const std::vector<Duration>* side : {&m_samples.before, &m_samples.after})
        if (!side->empty()) {
            low = std::min(low, double(toNs(side->front())) / 1e6);
            high = std::max(high, double(toNs(side->back())) / 1e6);
        }
    if (high <= 0)
        low = 1, high = 10;
    if (m_logarithmic && low > 0) {
        m_plot->xAxis->setScaleType(QCPAxis::stLogarithmic);
        m_plot->xAxis->setTicker(QSharedPointer<LogDurationTicker>::create());
        m_plot->xAxis->setRange(low / 1.08, high * 1.08);
    } else {
        m_plot->xAxis->setScaleType(QCPAxis::stLinear);
        m_plot->xAxis->setTicker(QSharedPointer<DurationTicker>::create());
        m_plot->xAxis->setRange(0, high * 1.03);
    }
}

void DistributionPlot::addCurve(Side side, const std::vector<Duration>& sorted)
{
    if (sorted.empty())
        return;
    const ChartPalette& colours = chartPalette(palette());
    QCPGraph* graph = m_plot->addGraph();
    graph->setLineStyle(QCPGraph::lsStepLeft);
    graph->setPen(QPen(colours.side(side), 2, side == Side::Before ? Qt::DashLine : Qt::SolidLine));
    graph->setAdaptiveSampling(true);
    QVector<double> keys;
    QVector<double> shares;
    for (const QPointF& point : ecdfSteps(sorted, std::max(200, m_plot->width()))) {
        keys.append(point.x());
        shares.append(point.y());
    }
    graph->setData(keys, shares, true);
}

void DistributionPlot::addMarks()
{
    if (!m_figures.comparison)
        return;
    const ChartPalette& colours = chartPalette(palette());
    for (const E2eRow& row : m_figures.comparison->e2e) {
        const auto* mark = std::ranges::find_if(marks,
            [&](const Mark& m) { return std::string_view(statisticName(row.statistic)).substr(1) == std::string_view(m.label).substr(1); });
        if (mark == marks.end())
            continue;
        for (const bool before : {true, false}) {
            const Duration value = before ? row.before : row.after;
            if (!isKnown(value))
                continue;
            QCPGraph* dot = m_plot->addGraph();
            dot->setLineStyle(QCPGraph::lsNone);
            const QColor colour = colours.side(sideOf(before));
            dot->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(colour, 2), before ? colours.background() : colour, 8));
            dot->addData(double(toNs(value)) / 1e6, mark->p);
        }
    }
}

void DistributionPlot::extendMenu(QMenu& menu)
{
    QAction* logarithmic = menu.addAction(tr("&Logarithmic time axis"));
    logarithmic->setCheckable(true);
    logarithmic->setChecked(m_logarithmic);
    connect(logarithmic, &QAction::toggled, this, &DistributionPlot::setLogarithmic);
    menu.addSeparator();
}

bool DistributionPlot::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_plot && event->type() == QEvent::ContextMenu) {
        auto* menu = static_cast<QContextMenuEvent*>(event);
        QContextMenuEvent own(menu->reason(), mapFromGlobal(menu->globalPos()), menu->globalPos());
        contextMenuEvent(&own);
        return true;
    }
    return ChartWidget::eventFilter(watched, event);
}

void DistributionPlot::paintPlot(QPainter& painter, const ChartPalette& palette)
{
    // The curves are QCustomPlot's; here is the legend, right of the title.
    painter.setFont(smallFont());
    const QFontMetricsF metrics(smallFont());
    double right = width() - 14;
    const double y = 10 + metrics.height() / 2;
    const auto entry = [&](Side side, const QString& label) {
        const QString text = metrics.elidedText(label, Qt::ElideMiddle, 180);
        right -= metrics.horizontalAdvance(text);
        painter.setPen(palette.text());
        painter.drawText(QPointF(right, y + metrics.ascent() / 2 - 1), text);
        right -= 34;
        painter.setPen(QPen(palette.side(side), 2, side == Side::Before ? Qt::DashLine : Qt::SolidLine));
        painter.drawLine(QPointF(right, y), QPointF(right + 28, y));
        paintSideMarker(painter, {right + 14, y}, 9, side, palette);
        right -= 18;
    };
    if (!m_samples.after.empty())
        entry(sideOf(false), m_figures.afterLabel);
    if (!m_samples.before.empty())
        entry(sideOf(true), m_figures.beforeLabel);
}

ChartTable DistributionPlot::table() const
{
    ChartTable result;
    result.headers = {tr("Share of requests"), tr("Before"), tr("After")};
    const auto value = [](const std::vector<Duration>& sorted, double p) {
        return sorted.empty() ? tr("unknown") : durationText(quantile(sorted, p));
    };
    for (const double p : {0.0, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99, 1.0})
        result.rows.append({shareText(p), value(m_samples.before, p), value(m_samples.after, p)});
    return result;
}

} // namespace chokepoint
