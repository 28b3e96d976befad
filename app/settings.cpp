// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Settings: one key a line, defaults where a key is missing or unreadable.
#include "app/settings.h"

namespace chokepoint {

namespace {

const QString themeKey = QStringLiteral("appearance/theme");
const QString geometryKey = QStringLiteral("window/geometry");
const QString recentKey = QStringLiteral("recent/comparisons");
const QString folderKey = QStringLiteral("files/lastFolder");

} // namespace

Settings::Settings(const QString& file) : m_settings(file, QSettings::IniFormat) { }

ThemeChoice Settings::theme() const
{
    return themeFromName(m_settings.value(themeKey).toString().toStdString()).value_or(ThemeChoice::System);
}
void Settings::setTheme(ThemeChoice choice)
{
    m_settings.setValue(themeKey, QString::fromLatin1(themeName(choice)));
}
QByteArray Settings::windowGeometry() const
{
    return m_settings.value(geometryKey).toByteArray();
}
void Settings::setWindowGeometry(const QByteArray& geometry)
{
    m_settings.setValue(geometryKey, geometry);
}
QVariantList Settings::recentComparisons() const
{
    return m_settings.value(recentKey).toList();
}
void Settings::setRecentComparisons(const QVariantList& comparisons)
{
    m_settings.setValue(recentKey, comparisons);
}
QString Settings::lastFolder() const
{
    return m_settings.value(folderKey).toString();
}
void Settings::setLastFolder(const QString& folder)
{
    m_settings.setValue(folderKey, folder);
}

} // namespace chokepoint
