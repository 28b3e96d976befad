#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Chokepoint authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks what the compiler cannot: that layers include only downwards, where third-party headers may appear, licence lines, file sizes
and words. Usage: check_tree.py ROOT. Prints one line a fault, `path:line: what`; exit status 1 when there is one."""
import os
import re
import sys

# An arrow means "may include". Nothing is inherited, nothing points the other way.
LAYERS = {
    "core/base": [],
    "core/model": ["core/base"],
    "core/import": ["core/base", "core/model"],
    "core/store": ["core/base", "core/model"],
    "core/analysis": ["core/base", "core/model"],
    "core/export": ["core/base", "core/model"],
    "core/report": ["core/base", "core/model", "core/analysis"],
    "core/pipeline": ["core/base", "core/model", "core/analysis", "core/export", "core/import", "core/store"],
    "views": ["core/base", "core/model", "core/analysis", "core/report", "core/pipeline"],
    "app": ["views", "core"],
}
# (header, where alone it may be included, why)
THIRD_PARTY = [
    (r"Q[A-Z]\w*(/.*)?|Qt\w+/.*|q[a-z]+\.h", r"(views|app)/", "Qt stays out of core"),
    (r"sqlite3(ext)?\.h", r"core/(store|export)/", "SQLite belongs to the store and its plain-table export"),
    (r"simdjson(/.*|\.h)?", r"core/import/(?!readinput\.h)", "simdjson belongs behind the face of import"),
    (r"archive(_entry)?\.h|zlib\.h|zstd\.h|protozero/.*", r"core/import/", "containers and wire formats belong to import"),
    (r"iostream", r"app/", "core and views print nothing"),
    (r"CLI/.*", r"app/", "options belong to the command line"),
]
SOURCE_DIRS = ("core", "views", "app")
CHECKED_DIRS = SOURCE_DIRS + ("tests", "packaging", "resources", ".ci")
INPUT_DIRS = ("tests/data/", "tests/fuzz/corpus/")  # literal inputs, broken ones included
CODE = (".cpp", ".h")
LICENSED = CODE + (".cmake", ".py", ".sh", ".proto", ".sql", ".svg", ".xml", ".txt", ".qss", ".qrc", ".desktop")
LARGEST_FILE = 400  # lines, outside tests
LICENCE = "SPDX-License-Identifier: " + "GPL-3.0-or-later"
COPYRIGHT = "SPDX-" + "FileCopyrightText: "
# Unfinished work. Written in pieces, so that this file passes its own check.
WORDS = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "not " + "implemented"]) + r")\b")
# Paths of one machine, which nobody else has.
PRIVATE_PATHS = re.compile(r"(?<![\w./])(/wo" + r"rk/|/ro" + r"ot/|/home/\w+/|\.\./sha" + r"red\b)")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def layer_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "core" else parts[0]


def may_include(layer, target):
    return any(target == allowed or target.startswith(allowed + "/") for allowed in LAYERS[layer] + [layer])


def check_includes(path, lines):
    layer = layer_of(path)
    if path.startswith(SOURCE_DIRS) and layer not in LAYERS:
        yield 1, "%s is no layer; see LAYERS in tests/lint/check_tree.py" % layer
        return
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(1) or match.group(2)
        if match.group(1) and header.startswith(tuple(d + "/" for d in SOURCE_DIRS)) and not may_include(layer, layer_of(header)):
            yield number, "%s may not include %s (%s)" % (layer, layer_of(header), header)
        for pattern, where, why in THIRD_PARTY:
            if re.fullmatch(pattern, header) and not re.match(where, path):
                yield number, "<%s> may not be included here: %s" % (header, why)


def check_source(path, lines):
    if path.endswith(".h"):
        if not any(line.strip() == "#pragma once" for line in lines):
            yield 1, "no #pragma once"
        if len(lines) < 3 or not lines[2].startswith("// "):
            yield 3, "no sentence that says what the file is for"
    if len(lines) > LARGEST_FILE:
        yield len(lines), "%d lines; a file has at most %d" % (len(lines), LARGEST_FILE)


def check_file(path, text):
    """Faults of one file as (line, what). path is relative to the root, with forward slashes."""
    lines = text.splitlines()
    name = os.path.basename(path)
    if name.endswith(LICENSED) or text.startswith("#!"):
        head = "\n".join(lines[:6])
        if LICENCE not in head or COPYRIGHT not in head:
            yield 1, "no SPDX lines"
    for number, line in enumerate(lines, 1):
        match = WORDS.search(line)
        if match:
            yield number, "unfinished: '%s'" % match.group(0)
        match = PRIVATE_PATHS.search(line)
        if match and not path.startswith(".ci/"):
            yield number, "a path of one machine: '%s'" % match.group(0)
    if path.startswith(SOURCE_DIRS) and name.endswith(CODE):
        yield from check_includes(path, lines)
        yield from check_source(path, lines)


def checked_files(root):
    for top in CHECKED_DIRS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
    yield "CMakeLists.txt"


def check_tree(root):
    """All faults below root as 'path:line: what', in path order."""
    faults = []
    for path in sorted(checked_files(root)):
        with open(os.path.join(root, path), "rb") as file:
            raw = file.read()
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            continue  # an image or compressed sample
        if path.startswith(INPUT_DIRS):
            continue
        faults += ["%s:%d: %s" % (path, line, what) for line, what in check_file(path, text)]
    return faults


def main():
    if len(sys.argv) != 2 or not os.path.isdir(os.path.join(sys.argv[1], "core")):
        print("usage: check_tree.py ROOT, the repository's top directory", file=sys.stderr)
        return 2
    faults = check_tree(sys.argv[1])
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
