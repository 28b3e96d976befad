// SPDX-FileCopyrightText: 2026 The Chokepoint authors
// SPDX-License-Identifier: GPL-3.0-or-later
// chokepoint-cli: the command line without the window, on core alone.
#include "app/cli/commandline.h"

int main(int argc, char** argv)
{
    return chokepoint::runCommandLine(argc, argv);
}
