// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// 128-bit integers, for sums and products of nanoseconds that must not overflow.
#pragma once

namespace chokepoint {

__extension__ typedef __int128 Int128; // NOLINT(modernize-use-using): `using` does not take __extension__
__extension__ typedef unsigned __int128 UInt128; // NOLINT(modernize-use-using)

} // namespace chokepoint
