// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// RecentModel: newest first, bounded.
#include "views/start/recentmodel.h"

#include <QFileInfo>

#include <algorithm>

namespace chokepoint {

namespace {

bool isMissing(const RecentComparison& entry)
{
    const auto missing = [](const QString& path) { return !QFileInfo::exists(path); };
    return std::ranges::any_of(entry.before, missing) || std::ranges::any_of(entry.after, missing);
}

} // namespace

void RecentModel::add(const RecentComparison& comparison)
{
    beginResetModel();
    std::erase_if(m_entries, [&](const RecentComparison& entry) { return entry.samePair(comparison); });
    m_entries.insert(m_entries.begin(), comparison);
    if (m_entries.size() > limit)
        m_entries.resize(limit);
    endResetModel();
    emit changed();
}

void RecentModel::remove(int row)
{
    if (row < 0 || row >= rowCount())
        return;
    beginRemoveRows({}, row, row);
    m_entries.erase(m_entries.begin() + row);
    endRemoveRows();
    emit changed();
}

void RecentModel::clear()
{
    beginResetModel();
    m_entries.clear();
    endResetModel();
    emit changed();
}

QVariantList RecentModel::toVariants() const
{
    QVariantList variants;
    for (const RecentComparison& entry : m_entries)
        variants.append(QVariantMap{{QStringLiteral("before"), entry.before}, {QStringLiteral("after"), entry.after},
            {QStringLiteral("beforeLabel"), entry.beforeLabel}, {QStringLiteral("afterLabel"), entry.afterLabel},
            {QStringLiteral("sentence"), entry.sentence}, {QStringLiteral("tone"), int(entry.tone)},
            {QStringLiteral("when"), entry.when.toString(Qt::ISODate)}});
    return variants;
}

void RecentModel::setVariants(const QVariantList& variants)
{
    beginResetModel();
    m_entries.clear();
    for (const QVariant& variant : variants) {
        const QVariantMap map = variant.toMap();
        RecentComparison entry;
        entry.before = map.value(QStringLiteral("before")).toStringList();
        entry.after = map.value(QStringLiteral("after")).toStringList();
        entry.beforeLabel = map.value(QStringLiteral("beforeLabel")).toString();
        entry.afterLabel = map.value(QStringLiteral("afterLabel")).toString();
        entry.sentence = map.value(QStringLiteral("sentence")).toString();
        entry.tone = Direction(std::clamp(map.value(QStringLiteral("tone")).toInt(), int(Direction::Better), int(Direction::Neutral)));
        entry.when = QDateTime::fromString(map.value(QStringLiteral("when")).toString(), Qt::ISODate);
        if (!entry.before.isEmpty() && m_entries.size() < limit)
            m_entries.push_back(std::move(entry));
    }
    endResetModel();
}

int RecentModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_entries.size());
}

QVariant RecentModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const RecentComparison& entry = m_entries[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole: return tr("%1 → %2", "label before, label after").arg(entry.beforeLabel, entry.afterLabel);
    case Qt::ToolTipRole:
        return QStringLiteral("<qt>%1</qt>")
            .arg((entry.before + entry.after).join(QLatin1Char('\n')).toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>")));
    case Qt::AccessibleTextRole: return data(index, Qt::DisplayRole).toString() + QStringLiteral(": ") + entry.sentence;
    case SentenceRole: return entry.sentence;
    case ToneRole: return int(entry.tone);
    case WhenRole: return entry.when;
    case MissingRole: return isMissing(entry);
    default: return {};
    }
}

} // namespace chokepoint
