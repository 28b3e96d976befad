# SPDX-FileCopyrightText: 2026 The Chokepoint authors
# SPDX-License-Identifier: GPL-3.0-or-later
# What the scripts of this directory share: the repository, the number of cores, the compiler cache. Sourced, not run.
# shellcheck shell=bash
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
jobs="$(nproc)"

say() { printf '\n== %s\n' "$*"; }

# quiet COMMAND...: its output is shown only when it fails.
quiet() {
    local log status=0
    log="$(mktemp)"
    "$@" >"$log" 2>&1 || status=$?
    [ "$status" -eq 0 ] || cat "$log" >&2
    rm -f "$log"
    return "$status"
}

# configure CMAKE-ARGUMENTS...: in the repository, with the compiler cache where there is one.
configure() {
    local launcher=()
    if command -v ccache >/dev/null; then
        # Clones of the repository share the cache.
        export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE="${CCACHE_MAXSIZE:-2G}"
        launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    (cd "$root" && quiet cmake "$@" "${launcher[@]}")
}

# build DIRECTORY [TARGET...]: with all cores; Ninja shows one line of progress on a terminal and only errors elsewhere.
build() {
    local directory="$1"
    shift
    if [ -t 1 ]; then
        ninja -C "$directory" -j "$jobs" "$@"
    else
        quiet ninja -C "$directory" -j "$jobs" "$@"
    fi
}
