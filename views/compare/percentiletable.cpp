// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A table view without chrome, and the delegate that draws dot and interval.
#include "views/compare/percentiletable.h"

#include "views/charts/charttable.h"
#include "views/theme/theme.h"

#include <QEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace chokepoint {

namespace {

constexpr int columnAir = 8; // px, so that neighbouring figures do not read as one

class ChangeDelegate : public QStyledItemDelegate {
public:
    explicit ChangeDelegate(const PercentileModel& model, QObject* parent) : QStyledItemDelegate(parent), m_model(model) { }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        if (index.column() == PercentileModel::IntervalColumn)
            paintMark(*painter, option, index.row());
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        const ChartPalette& colours = chartPalette(option->palette);
        const auto direction = Direction(index.data(PercentileModel::DirectionRole).toInt());
        const int column = index.column();
        if (column == PercentileModel::DeltaColumn || column == PercentileModel::ChangeColumn) {
            option->palette.setColor(QPalette::Text, colours.direction(direction));
            if (column == PercentileModel::ChangeColumn && !option->text.isEmpty())
                option->text += QLatin1Char(' ') + QString::fromUtf8(directionGlyph(direction));
        } else if (index.data(PercentileModel::WeakRole).toBool()) {
            option->palette.setColor(QPalette::Text, colours.mutedText());
        }
        if (column == PercentileModel::AfterColumn || column == PercentileModel::StatisticColumn)
            option->font.setBold(true);
    }

private:
    void paintMark(QPainter& painter, const QStyleOptionViewItem& option, int row) const
    {
        const ChangeMark mark = m_model.mark(row);
        if (!mark.change)
            return;
        const ChartPalette& colours = chartPalette(option.palette);
        const QRectF cell = QRectF(option.rect).adjusted(10, 3, -10, -3);
        const double range = m_model.markRange() * 1.08;
        const auto xOf = [&](double change) { return cell.center().x() + cell.width() / 2 * std::clamp(change / range, -1.0, 1.0); };
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(colours.grid(), 1));
        painter.drawLine(QPointF(cell.center().x(), option.rect.top()), QPointF(cell.center().x(), option.rect.bottom() + 1));
        const QColor colour = colours.direction(mark.direction);
        if (mark.low && mark.high) {
            painter.setPen(QPen(colour, 2.5, Qt::SolidLine, Qt::RoundCap));
            painter.drawLine(QPointF(xOf(*mark.low), cell.center().y()), QPointF(xOf(*mark.high), cell.center().y()));
        }
        painter.setPen(QPen(colours.background(), 1.5));
        painter.setBrush(colour);
        painter.drawEllipse(QPointF(xOf(*mark.change), cell.center().y()), 4.5, 4.5);
        painter.restore();
    }

    const PercentileModel& m_model;
};

/// Titles without a frame: the panel around the table is frame enough.
class FlatHeader : public QHeaderView {
public:
    using QHeaderView::QHeaderView;

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override
    {
        const ChartPalette& colours = chartPalette(palette());
        painter->fillRect(rect, colours.background());
        painter->setPen(colours.mutedText());
        const int alignment = model()->headerData(section, orientation(), Qt::TextAlignmentRole).toInt();
        const QString title = model()->headerData(section, orientation(), Qt::DisplayRole).toString();
        painter->drawText(rect.adjusted(4, 0, -4, 0), (alignment & Qt::AlignHorizontal_Mask) | Qt::AlignVCenter, title);
    }
};

} // namespace

PercentileTable::PercentileTable(ViewState& state, QWidget* parent)
    : QFrame(parent), m_state(state), m_model(new PercentileModel(this)), m_view(new QTableView), m_note(new QLabel)
{
    setObjectName(QStringLiteral("percentilePanel"));
    m_view->setObjectName(QStringLiteral("percentileTable"));
    m_view->setAccessibleName(tr("End-to-end figures before and after"));
    m_view->setHorizontalHeader(new FlatHeader(Qt::Horizontal, m_view));
    m_view->setModel(m_model);
    m_view->setItemDelegate(new ChangeDelegate(*m_model, m_view));
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setShowGrid(false);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setTabKeyNavigation(false);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setFont(tabularFont(font()));
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_view->horizontalHeader()->setSectionsClickable(false);
    m_view->horizontalHeader()->setHighlightSections(false);
    m_view->horizontalHeader()->setMinimumSectionSize(20);
    m_view->installEventFilter(this);
    m_view->viewport()->installEventFilter(this);
    connect(m_view, &QTableView::doubleClicked, this, &PercentileTable::showTraces);

    m_note->setObjectName(QStringLiteral("percentileNote"));
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(2);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_note);
    setMinimumWidth(320);
    applyColours();
}

void PercentileTable::setFigures(const CompareFigures& figures)
{
    m_model->setFigures(figures);
    for (const int column :
        {PercentileModel::AfterColumn, PercentileModel::DeltaColumn, PercentileModel::ChangeColumn, PercentileModel::IntervalColumn})
        m_view->setColumnHidden(column, figures.single);
    QString note;
    if (figures.comparison)
        for (const E2eRow& row : figures.comparison->e2e)
            if (!row.shortfall.empty())
                note = tr("Grey: %1 %2", "statistic, shortfall")
                           .arg(QString::fromLatin1(statisticName(row.statistic)).toUpper(), QString::fromStdString(row.shortfall));
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
    setMinimumHeight(fontMetrics().height() * 8 + 44 + (note.isEmpty() ? 0 : fontMetrics().height() + 4));
    fitColumns();
}

void PercentileTable::setStale(bool stale)
{
    m_view->setEnabled(!stale);
}

void PercentileTable::fitColumns()
{
    m_view->resizeColumnsToContents();
    int used = 0;
    for (int column = 0; column < PercentileModel::IntervalColumn; ++column) {
        if (m_view->isColumnHidden(column))
            continue;
        m_view->setColumnWidth(column, m_view->columnWidth(column) + columnAir);
        used += m_view->columnWidth(column);
    }
    const int room = m_view->viewport()->width() - used;
    if (!m_view->isColumnHidden(PercentileModel::IntervalColumn)) {
        m_view->setColumnWidth(PercentileModel::IntervalColumn, std::max(60, room));
        return;
    }
    m_view->setColumnWidth(PercentileModel::BeforeColumn, m_view->columnWidth(PercentileModel::BeforeColumn) + std::max(0, room));
}

void PercentileTable::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyColours();
}

void PercentileTable::applyColours()
{
    QPalette own = palette();
    own.setColor(QPalette::WindowText, chartPalette(own).mutedText());
    m_note->setPalette(own);
    QPalette table = palette();
    table.setColor(QPalette::Base, chartPalette(table).background()); // of the panel around it
    m_view->setPalette(table);
    update();
}

bool PercentileTable::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_view && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_view->currentIndex().isValid()) {
            showTraces(m_view->currentIndex());
            return true;
        }
    }
    if (watched == m_view->viewport() && event->type() == QEvent::Resize)
        fitColumns();
    return QFrame::eventFilter(watched, event);
}

void PercentileTable::showTraces(const QModelIndex& index)
{
    m_state.showTraces(m_model->filterFor(index));
}

void PercentileTable::paintEvent(QPaintEvent*)
{
    const ChartPalette& colours = chartPalette(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colours.grid());
    painter.setBrush(colours.background());
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

} // namespace chokepoint
