// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the shares of the stages of one trace as a 100 % strip in their colours, and the side of a trace in its colour.
#pragma once

#include <QStyledItemDelegate>

namespace chokepoint {

class TraceListModel;
class ViewState;

class ShareStripDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    ShareStripDelegate(const TraceListModel& model, const ViewState& state, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QString displayText(const QVariant& value, const QLocale& locale) const override;

private:
    const TraceListModel& m_model;
    const ViewState& m_state;
};

/// Draws the mark of a side in the side's colour.
class SideDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

} // namespace chokepoint
