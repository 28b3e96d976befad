// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Light, dark or as the system says: sets the application's palette, live.
#pragma once

#include "views/theme/palette.h"

#include <QFont>

#include <optional>

class QApplication;

namespace chokepoint {

enum class ThemeChoice : std::uint8_t { System, Light, Dark };

/// "system", "light", "dark": as stored in the settings.
[[nodiscard]] const char* themeName(ThemeChoice choice);
[[nodiscard]] std::optional<ThemeChoice> themeFromName(std::string_view name);

/// System leaves style and palette to the desktop; the others take Fusion with our palette.
void applyTheme(QApplication& application, ThemeChoice choice);

/// Widget palette that belongs to the chart colours of \a scheme.
[[nodiscard]] QPalette widgetPalette(Scheme scheme);

/// \a base with digits of equal width where the font has them.
[[nodiscard]] QFont tabularFont(const QFont& base);

} // namespace chokepoint
