// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Union of extents.
#include "views/waterfall/extentblocks.h"

#include <algorithm>

namespace chokepoint {

BlockExtent united(const BlockExtent& a, const BlockExtent& b)
{
    if (!isKnown(a.begin))
        return b;
    if (!isKnown(b.begin))
        return a;
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

} // namespace chokepoint
