#!/bin/sh
# Random sequences of calls of the C interface, random Lua functions on every backend, random graphs and programs against
# the oracle, by the generators of the other suites at a larger size.
set -u
BUILD=${BUILD:-build}
out=${TORTURE_SCRATCH:-/tmp}/random
scaled() { awk -v f="${TORTURE:-0.01}" -v full="$1" -v least="$2" 'BEGIN { n = int(full * f); print (n < least ? least : n) }'; }
seed=${TORTURE_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}

# name figure command...
try() {
    name=$1 figure=$2
    shift 2
    if "$@" >"$out" 2>&1; then
        printf 'ok\t%s\t%s%s\n' "$name" "$(sed -n 's/^\([0-9]* steps\)$/\1 in /p' "$out")" "$figure"
    else
        printf 'FAIL\t%s\tseed %s: ended with status %s\n' "$name" "$seed" "$?"
        tail -n 30 "$out" >&2
    fi
}

n=$(scaled 20000 200)
try "random calls of the C interface" "$n sequences from seed $seed, 0 differences, 0 leaks" \
    "$BUILD/tests/random_graph_test" "$seed" "$n"
seconds=$(scaled 600 5)
try "random Lua functions" "$seconds s from seed $seed, 0 differences" \
    env BUILD="$BUILD" FUZZ_SECONDS="$seconds" FUZZ_SEED="$seed" sh tests/fuzz/run.sh
n=$(scaled 10000 60)
try "random graphs against the oracle" "$n graphs from seed $seed, 0 differences" \
    env LUNARRAY_DIFF_GRAPHS="$n" LUNARRAY_DIFF_SEED="$seed" LUNARRAY_DIFF_COUNTS="$out.counts" LUNARRAY_JIT=off \
    "$BUILD/lunarray" tests/busted.lua tests/diff/graphs_spec.lua
n=$(scaled 20000 60)
for jit in off auto; do
    try "random programs against the model, JIT $jit" "$n programs from seed $seed, 0 differences" \
        env LUNARRAY_DIFF_PROGRAMS="$n" LUNARRAY_DIFF_SEED="$seed" LUNARRAY_DIFF_COUNTS="$out.counts" LUNARRAY_JIT=$jit \
        "$BUILD/lunarray" tests/busted.lua tests/diff/programs_spec.lua
done
n=$(scaled 10000 60)
for jit in off sync; do
    try "random team kernels against plain Lua, JIT $jit" "$n kernels from seed $seed, 0 differences" \
        env LUNARRAY_DIFF_TEAMS="$n" LUNARRAY_DIFF_SEED="$seed" LUNARRAY_DIFF_COUNTS="$out.counts" LUNARRAY_JIT=$jit \
        "$BUILD/lunarray" tests/busted.lua tests/diff/teams_spec.lua
done
