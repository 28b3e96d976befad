// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Icons of one colour from SVG, in the text colour of the palette.
#pragma once

#include <QIcon>
#include <QPalette>

namespace chokepoint {

/// \a name is a file of resources/icons without its suffix. Crisp at any scale; disabled and selected states included.
[[nodiscard]] QIcon themedIcon(const QString& name, const QPalette& palette);
/// The program's own icon, in its own colours.
[[nodiscard]] QIcon applicationIcon();

} // namespace chokepoint
