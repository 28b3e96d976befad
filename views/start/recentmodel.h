// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Comparisons made before: what was opened and what was concluded, readable without opening anything.
#pragma once

#include "views/theme/palette.h"

#include <QAbstractListModel>
#include <QDateTime>
#include <QStringList>
#include <QVariant>

#include <vector>

namespace chokepoint {

struct RecentComparison {
    QStringList before;
    QStringList after; // empty for a workspace that holds both sides
    QString beforeLabel;
    QString afterLabel;
    QString sentence;
    Direction tone = Direction::Neutral;
    QDateTime when; // UTC
    /// Same files in the same roles.
    [[nodiscard]] bool samePair(const RecentComparison& other) const { return before == other.before && after == other.after; }
};

class RecentModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { SentenceRole = Qt::UserRole, ToneRole, WhenRole, MissingRole };
    static constexpr std::size_t limit = 12;

    using QAbstractListModel::QAbstractListModel;

    /// Puts \a comparison first; an entry of the same pair is replaced.
    void add(const RecentComparison& comparison);
    void remove(int row);
    void clear();
    [[nodiscard]] const std::vector<RecentComparison>& entries() const { return m_entries; }
    /// As kept in the settings. Entries that do not read as such are skipped.
    [[nodiscard]] QVariantList toVariants() const;
    void setVariants(const QVariantList& variants);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

signals:
    void changed();

private:
    std::vector<RecentComparison> m_entries;
};

} // namespace chokepoint
