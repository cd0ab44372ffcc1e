#!/bin/sh
# Random Lua functions for FUZZ_SECONDS (60): the IR against the Lua VM, the reference backend and
# compiled kernels against the VM and each other. FUZZ_SEED repeats a run. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
seed=${FUZZ_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
seconds=${FUZZ_SECONDS:-60}

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
LUNARRAY_CACHE_DIR=$scratch/cache
LUNARRAY_JIT=sync
LUAFN_SEED=$seed
export LUNARRAY_CACHE_DIR LUNARRAY_JIT LUAFN_SEED
unset LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_PATH_5_4 LUA_CPATH LUA_CPATH_5_4

passed=0
failed=0
echo "fuzz: FUZZ_SEED=$seed FUZZ_SECONDS=$seconds"

# A program that ends with "N passed, N failed": title command...
part() {
    title=$1
    shift
    "$@" >"$scratch/out" 2>&1
    status=$?
    line=$(tail -n 1 "$scratch/out")
    good=$(echo "$line" | sed -n 's/^\([0-9]*\) passed, [0-9]* failed$/\1/p')
    bad=$(echo "$line" | sed -n 's/^[0-9]* passed, \([0-9]*\) failed$/\1/p')
    if [ "${bad:-1}" -ne 0 ] || [ "$status" -ne 0 ]; then sed 's/^/  /' "$scratch/out"; fi
    if [ "$status" -ne 0 ] && [ "${bad:-0}" -eq 0 ]; then bad=1; fi
    echo "$title: ${good:-0} the same, ${bad:-1} different"
    passed=$((passed + ${good:-0}))
    failed=$((failed + ${bad:-1}))
}

share() { echo $((seconds * $1 / 10 > 0 ? seconds * $1 / 10 : 1)); }

part "IR against the VM" "$BUILD/tests/luafn_test" tests/fuzz/luafn_gen.lua fuzz "$(share 2)"
part "reference against the VM" \
    "$BUILD/lunarray" tests/fuzz/luafn_run.lua "$seed" "$(share 2)s" f64 reference
part "reference and openmp" \
    "$BUILD/lunarray" tests/fuzz/luafn_run.lua "$seed" "$(share 6)s" both reference openmp
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
