// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers between runs. Nothing else is written outside the workspaces that the user saves.
#pragma once

#include "views/theme/theme.h"

#include <QByteArray>
#include <QSettings>
#include <QVariantList>

namespace chokepoint {

class Settings {
public:
    /// The user's own settings, by the application's and the organisation's name.
    Settings() = default;
    /// Those of \a file, in INI format.
    explicit Settings(const QString& file);

    [[nodiscard]] ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);
    [[nodiscard]] QByteArray windowGeometry() const;
    void setWindowGeometry(const QByteArray& geometry);
    /// As RecentModel keeps them.
    [[nodiscard]] QVariantList recentComparisons() const;
    void setRecentComparisons(const QVariantList& comparisons);
    [[nodiscard]] QString lastFolder() const;
    void setLastFolder(const QString& folder);

private:
    QSettings m_settings;
};

} // namespace chokepoint
