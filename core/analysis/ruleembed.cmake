# SPDX-FileCopyrightText: 2026 The Chokepoint authors
# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DINPUT=stages.json -DOUTPUT=builtinrules.cpp -P ruleembed.cmake: writes the built-in rule file as C++ source.
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
string(REGEX REPLACE "(('[^']*',){24})" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}.new" "// Written by ruleembed.cmake from ${INPUT}; edit that file.
#include \"core/analysis/stages.h\"

namespace chokepoint {

namespace {
constexpr char builtInRules[] = {
${bytes}'\\0'};
} // namespace

std::string_view builtInStageRules()
{
    return {builtInRules, sizeof builtInRules - 1};
}

} // namespace chokepoint
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
