#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Chokepoint authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chokepoint against other readers of the same OTLP JSON lines: DuckDB's read_json and Python's json.loads.

    peers.py CHOKEPOINT_CLI FILE.jsonl [--rounds N] [--spans N]

The programs run in turn, round after round, each in a process of its own; a ratio is taken within a round and the median of
the rounds counts. Processor time holds on a busy machine, wall time only on an idle one. A peer that is not installed is
skipped (DuckDB: pip install duckdb). --spans cuts the file to about that many spans first: the peers need minutes for 1,000,000.
"""

import argparse
import importlib.util
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

# All that a trace viewer needs, typed: DuckDB at its fastest on a nested file. Other columns would have it guess the types first.
DUCKDB = """
import sys, duckdb
attributes = 'STRUCT("key" VARCHAR, "value" STRUCT("stringValue" VARCHAR, "intValue" VARCHAR, "doubleValue" DOUBLE, "boolValue" BOOLEAN))[]'
event = f'STRUCT("timeUnixNano" VARCHAR, "name" VARCHAR, "attributes" {attributes})[]'
span = (f'STRUCT("traceId" VARCHAR, "spanId" VARCHAR, "parentSpanId" VARCHAR, "name" VARCHAR, "kind" INTEGER, "startTimeUnixNano" VARCHAR, '
        f'"endTimeUnixNano" VARCHAR, "attributes" {attributes}, "events" {event}, "status" STRUCT("code" INTEGER))[]')
scopes = f'STRUCT("scope" STRUCT("name" VARCHAR, "version" VARCHAR), "spans" {span})[]'
resources = f'STRUCT("resource" STRUCT("attributes" {attributes}), "scopeSpans" {scopes})[]'
db = duckdb.connect(sys.argv[2])
db.execute('SET enable_progress_bar = false')
db.execute(f'''
    CREATE TABLE span AS
    SELECT r.resource AS resource, s."traceId" AS trace_id, s."spanId" AS span_id, s."parentSpanId" AS parent_id, s.name AS name,
           s.kind AS kind, CAST(s."startTimeUnixNano" AS BIGINT) AS start, CAST(s."endTimeUnixNano" AS BIGINT) AS "end",
           s.attributes AS attributes, s.events AS events, s.status AS status
    FROM (SELECT r, unnest(c.spans) AS s
          FROM (SELECT r, unnest(r."scopeSpans") AS c
                FROM (SELECT unnest("resourceSpans") AS r
                      FROM read_json(?, format = 'newline_delimited', maximum_object_size = 1000000000,
                                     columns = {{"resourceSpans": '{resources.replace("'", "''")}'}}))))
''', [sys.argv[1]])
print(db.execute('SELECT count(*) FROM span').fetchone()[0])
"""

# Stores nothing: parses every line and keeps the durations by name.
PYTHON = """
import json, sys
durations = {}
count = 0
with open(sys.argv[1], 'rb') as lines:
    for line in lines:
        for resource in json.loads(line)['resourceSpans']:
            for scope in resource['scopeSpans']:
                for span in scope['spans']:
                    count += 1
                    duration = int(span['endTimeUnixNano']) - int(span['startTimeUnixNano'])
                    durations.setdefault(span['name'], []).append(duration)
print(count)
"""


def run(command):
    """Wall seconds, processor seconds and peak MB of one run; what it wrote to standard output."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode(errors="replace")
    if process.returncode != 0:
        sys.exit(f"{command[0]} failed with exit status {process.returncode}")
    return {"wall": wall, "processor": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss / 1024}, text


def cut(path, spans, directory):
    """The lines at the front of the file that hold about as many spans."""
    target = os.path.join(directory, "cut.jsonl")
    taken = 0
    with open(path, "rb") as lines, open(target, "wb") as out:
        for line in lines:
            if taken >= spans:
                break
            taken += line.count(b'"spanId"')
            out.write(line)
    return target


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("cli")
    arguments.add_argument("file")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--spans", type=int, default=0)
    options = arguments.parse_args()

    with tempfile.TemporaryDirectory() as directory:
        path = cut(options.file, options.spans, directory) if options.spans else options.file
        workspace = os.path.join(directory, "import.chokepoint")
        database = os.path.join(directory, "spans.duckdb")
        programs = {"chokepoint": [options.cli, "import", path, "--into", workspace]}
        if importlib.util.find_spec("duckdb"):
            programs["DuckDB read_json"] = [sys.executable, "-c", DUCKDB, path, database]
        else:
            print("DuckDB is not installed for this Python: skipped (pip install duckdb)")
        programs["Python json.loads"] = [sys.executable, "-c", PYTHON, path]

        figures = {name: [] for name in programs}
        for _ in range(options.rounds):
            for name, command in programs.items():
                for leftover in (workspace, database):
                    if os.path.exists(leftover):
                        os.remove(leftover)
                figure, text = run(command)
                figures[name].append(figure)
                if name != "chokepoint" and len(figures[name]) == 1:
                    print(f"{name}: {text.strip()} spans")

        print(f"\n{'':24}{'wall s':>10}{'processor s':>14}{'peak MB':>10}{'x wall':>10}{'x processor':>14}")
        for name, rounds in figures.items():
            middle = {key: statistics.median(figure[key] for figure in rounds) for key in ("wall", "processor", "peak")}
            ratio = {key: statistics.median(figure[key] / ours[key] for figure, ours in zip(rounds, figures["chokepoint"]))
                     for key in ("wall", "processor")}
            print(f"{name:24}{middle['wall']:10.2f}{middle['processor']:14.2f}{middle['peak']:10.0f}"
                  f"{ratio['wall']:10.1f}{ratio['processor']:14.1f}")


if __name__ == "__main__":
    main()
