// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/jaegerjsonreader.h"
namespace chokepoint {
Sniffed sniffJaegerJson(std::string_view, bool) { return Sniffed::No; }
std::unique_ptr<TraceReader> createJaegerJsonReader() { return nullptr; }
}
