#!/bin/sh
# Runs the torture suite: stress and fault-injection tests. Ends with a table of figures and "N passed, N failed".
# usage: sh tests/torture/run.sh [part...]     all of them by default
# TORTURE is the size as a factor: 1 is full size (one or two hours), the default here; `make test` runs at 0.001.
# A part is tests/torture/PART.c (a program in $BUILD/torture), PART.lua (run by the program) or PART.sh. It prints
# lines "ok<tab>what<tab>figure" and "FAIL<tab>what<tab>why"; its other output is shown if it fails.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
TORTURE=${TORTURE:-1}
limit=${TORTURE_TIMEOUT:-7200}

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
LUNARRAY_CACHE_DIR=$scratch/cache
TORTURE_SCRATCH=$scratch
export LUNARRAY_CACHE_DIR TORTURE_SCRATCH TORTURE BUILD
unset LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_PATH_5_4 LUA_CPATH LUA_CPATH_5_4

if [ $# -eq 0 ]; then
    set -- cache disk bounds compilers memory kernels edges interface fewer words capi capi_ranks bytecode programs forks threads hosts cancel prompt device quota same \
        sets ranks ranks_faults simulated mpi namespaces races files fuzz random soak
fi

: >"$scratch/table"
for part in "$@"; do
    started=$(date +%s)
    status=0
    if [ -e "tests/torture/$part.c" ]; then
        set -- "$BUILD/torture/$part" "$BUILD/torture/stored_cc"
    elif [ -e "tests/torture/$part.lua" ]; then
        set -- "$BUILD/lunarray" "tests/torture/$part.lua"
    elif [ -e "tests/torture/$part.sh" ]; then
        set -- sh "tests/torture/$part.sh"
    else
        echo "tests/torture: no part '$part'" >&2
        exit 2
    fi
    timeout "$limit" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
    grep -a "^ok	\|^FAIL	" "$scratch/out" >"$scratch/lines"
    if [ "$status" -ne 0 ] && ! grep -aq '^FAIL	' "$scratch/lines"; then
        printf 'FAIL\t%s\tended with status %s\n' "$part" "$status" >>"$scratch/lines"
    elif [ ! -s "$scratch/lines" ]; then
        printf 'FAIL\t%s\tprinted no result\n' "$part" >>"$scratch/lines"
    fi
    cat "$scratch/lines" >>"$scratch/table"
    if grep -aq '^FAIL	' "$scratch/lines"; then
        tail -n 60 "$scratch/out" "$scratch/err"
    fi
    echo "part $part: $(($(date +%s) - started)) s" >&2
done

awk -F '\t' '{ printf "%-5s %-42s %s\n", $1, $2, $3; good += $1 == "ok"; bad += $1 == "FAIL" }
    END { printf "%d passed, %d failed\n", good, bad; exit bad > 0 || good == 0 }' "$scratch/table"
