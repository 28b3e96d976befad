// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A button that shows a stage in its colour and texture.
#pragma once

#include "views/theme/palette.h"

#include <QIcon>

namespace chokepoint {

/// A swatch of the stage, sharp at any scale.
[[nodiscard]] QIcon stageIcon(std::string_view stage, const QPalette& palette);

} // namespace chokepoint
