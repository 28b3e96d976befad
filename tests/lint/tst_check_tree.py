#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Chokepoint authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Proves that check_tree.py can fail: every rule has a file that breaks it and one that does not."""
import os
import subprocess
import sys
import tempfile
import unittest

from check_tree import check_file, check_tree

SPDX = "// SPDX-" + "FileCopyrightText: 2026 The Chokepoint authors\n// SPDX-License-Identifier: GPL-3.0-or-later\n"
HEAD = SPDX + "// A sample.\n"

# (path, text after the head, part of the expected fault or None)
ROWS = [
    ("core/base/a.h", '#pragma once\n#include <string>\n', None),
    ("core/base/a.h", '#pragma once\n#include "core/model/trace.h"\n', "core/base may not include core/model"),
    ("core/model/a.cpp", '#include "core/base/time.h"\n', None),
    ("core/model/a.cpp", '#include "core/store/store.h"\n', "core/model may not include core/store"),
    ("core/import/a.cpp", '#include "core/store/store.h"\n', "core/import may not include core/store"),
    ("core/import/a.cpp", '  #  include   "core/analysis/stages.h"\n', "core/import may not include core/analysis"),
    ("core/store/a.cpp", '#include "core/import/readinput.h"\n', "core/store may not include core/import"),
    ("core/analysis/a.cpp", '#include "core/store/store.h"\n', "core/analysis may not include core/store"),
    ("core/export/a.cpp", '#include "core/pipeline/dataset.h"\n', "core/export may not include core/pipeline"),
    ("core/report/a.cpp", '#include "core/analysis/comparison.h"\n', None),
    ("core/report/a.cpp", '#include "core/store/store.h"\n', "core/report may not include core/store"),
    ("core/pipeline/a.cpp", '#include "core/store/store.h"\n#include "core/import/readinput.h"\n', None),
    ("core/pipeline/a.cpp", '#include "core/report/json.h"\n', "core/pipeline may not include core/report"),
    ("core/pipeline/a.cpp", '#include "app/main.h"\n', "core/pipeline may not include app"),
    ("views/a.cpp", '#include "core/pipeline/dataset.h"\n#include <QWidget>\n', None),
    ("views/a.cpp", '#include "core/store/store.h"\n', "views may not include core/store"),
    ("views/a.cpp", '#include "core/import/readinput.h"\n', "views may not include core/import"),
    ("views/a.cpp", '#include "app/mainwindow.h"\n', "views may not include app"),
    ("app/a.cpp", '#include "views/page.h"\n#include "core/store/store.h"\n', None),
    ("core/extra/a.cpp", '#include <string>\n', "core/extra is no layer"),
    ("core/model/a.cpp", '#include <QString>\n', "Qt stays out of core"),
    ("core/model/a.cpp", '#include <QtCore/QString>\n', "Qt stays out of core"),
    ("core/model/a.cpp", '#include <qstring.h>\n', "Qt stays out of core"),
    ("core/store/a.cpp", '#include <sqlite3.h>\n', None),
    ("core/export/a.cpp", '#include <sqlite3.h>\n', None),
    ("core/pipeline/a.cpp", '#include <sqlite3.h>\n', "SQLite belongs to the store"),
    ("views/a.cpp", '#include "sqlite3.h"\n', "SQLite belongs to the store"),
    ("core/import/a.cpp", '#include <simdjson.h>\n', None),
    ("core/import/jsonwalk.h", '#pragma once\n#include <simdjson.h>\n', None),
    ("core/import/readinput.h", '#pragma once\n#include <simdjson.h>\n', "simdjson belongs behind the face of import"),
    ("core/store/a.cpp", '#include <simdjson.h>\n', "simdjson belongs behind the face of import"),
    ("core/pipeline/a.cpp", '#include <archive.h>\n', "containers and wire formats belong to import"),
    ("core/report/a.cpp", '#include <iostream>\n', "print nothing"),
    ("core/report/a.cpp", '#include <CLI/CLI.hpp>\n', "options belong to the command line"),
    ("core/base/a.h", '#include <string>\n', "no #pragma once"),
    ("core/base/a.cpp", "int x;\n" * 397, None),
    ("core/base/a.cpp", "int x;\n" * 398, "401 lines"),
    ("tests/core/a.cpp", "int x;\n" * 500, None),
    ("views/a.cpp", "// TO" + "DO: later\n", "unfinished"),
    ("tests/a.cpp", '"/wo' + 'rk/main"\n', "a path of one machine"),
    ("tests/a.cpp", '"/tmp/work/main"\n', None),
]


class EveryRule(unittest.TestCase):
    def test_rows(self):
        for path, body, expected in ROWS:
            with self.subTest(path=path, body=body[:60]):
                faults = [what for _, what in check_file(path, HEAD + body)]
                if expected is None:
                    self.assertEqual(faults, [])
                else:
                    self.assertEqual(len(faults), 1, faults)
                    self.assertIn(expected, faults[0])

    def test_head(self):
        cases = {
            ("core/base/a.cpp", "// A sample.\nint x;\n// y\n"): "no SPDX lines",
            ("core/base/a.h", SPDX + "#pragma once\nint x;\n"): "no sentence",
            ("core/base/a.cpp", SPDX.replace("or-later", "only") + "// A sample.\n"): "no SPDX lines",
            ("packaging/run", "#!/bin/sh\necho\n"): "no SPDX lines",
            ("tests/CMakeLists.txt", "add_test(x)\n"): "no SPDX lines",
        }
        for (path, text), expected in cases.items():
            with self.subTest(path=path, text=text[:40]):
                self.assertIn(expected, "; ".join(what for _, what in check_file(path, text)))

    def test_line_number(self):
        self.assertEqual([line for line, _ in check_file("core/base/a.cpp", HEAD + '\n#include "views/a.h"\n')], [5])


class WholeTree(unittest.TestCase):
    def test_a_bad_tree_fails_and_a_good_one_passes(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_tree.py")
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "core/base"))
            with open(os.path.join(root, "CMakeLists.txt"), "w") as file:
                file.write(SPDX.replace("//", "#"))
            sample = os.path.join(root, "core/base/a.cpp")
            with open(sample, "w") as file:
                file.write(HEAD)
            self.assertEqual(check_tree(root), [])
            self.assertEqual(subprocess.run([sys.executable, script, root], capture_output=True).returncode, 0)
            with open(sample, "a") as file:
                file.write('#include "app/main.h"\n')
            result = subprocess.run([sys.executable, script, root], capture_output=True, text=True)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stdout, "core/base/a.cpp:4: core/base may not include app (app/main.h)\n")

    def test_wrong_use(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_tree.py")
        self.assertEqual(subprocess.run([sys.executable, script], capture_output=True).returncode, 2)


if __name__ == "__main__":
    unittest.main()
