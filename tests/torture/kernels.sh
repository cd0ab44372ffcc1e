#!/bin/sh
# Random kernels compiled with instrumentation: first traps for undefined behaviour and for floats that do not fit an
# integer, then AddressSanitizer (its runtime is preloaded). Results are compared as in the other tests. Batches come
# from random IR (batch.c), 200 to one run of the compiler, at -O1, for every instruction set of this CPU; a few hundred
# more from random IR, random graphs and random Lua functions are compiled one by one as the backend does it.
set -u
BUILD=${BUILD:-build}
scratch=${TORTURE_SCRATCH:-/tmp}/kernels
mkdir -p "$scratch/bin"
log=$scratch/compiled
real=$(command -v gcc) || exit 1

# A compiler wrapper that adds the flags in $INSTRUMENT and counts its runs.
cat >"$scratch/bin/cc" <<EOF
#!/bin/sh
unset LD_PRELOAD
echo x >>$log
exec $real "\$@" \$INSTRUMENT
EOF
chmod 755 "$scratch/bin/cc"
PATH=$scratch/bin:$PATH
export PATH
unset LUNARRAY_CC

count() { wc -l <"$log"; }
failed=0

# A program that must succeed: title command...
try() {
    title=$1
    shift
    status=0
    timeout 300 "$@" >"$scratch/out" 2>&1 || status=$?
    if [ "$status" -ne 0 ] || grep -q "AddressSanitizer\|runtime error" "$scratch/out"; then
        failed=$((failed + 1))
        echo "$title: status $status"
        tail -n 40 "$scratch/out"
    fi
}

# Rounds until so many kernels have been compiled: target preloaded
rounds() {
    : >"$log"
    seed=1
    while [ "$(count)" -lt "$1" ] && [ "$failed" -lt 5 ]; do
        export TEST_SEEDS="$((seed * 100))-$((seed * 100 + 25))"
        LUNARRAY_CACHE_DIR=$scratch/cache$seed
        export LUNARRAY_CACHE_DIR LUNARRAY_BACKEND=openmp LUNARRAY_JIT=sync
        export LUNARRAY_DIFF_GRAPHS=12 LUNARRAY_DIFF_SEED=$((seed * 1000)) LUNARRAY_DIFF_COUNTS="$scratch/counts"
        if [ -z "$2" ]; then
            # the generator of IR runs inside a test program that links the engine
            try "random IR, TEST_SEEDS=$TEST_SEEDS" "$BUILD/tests/openmp_flow_test"
        fi
        try "random graphs, LUNARRAY_DIFF_SEED=$LUNARRAY_DIFF_SEED" env ${2:+LD_PRELOAD="$2"} \
            "$BUILD/lunarray" tests/busted.lua tests/diff/graphs_spec.lua
        try "random Lua functions, seed $seed" env ${2:+LD_PRELOAD="$2"} \
            "$BUILD/lunarray" tests/fuzz/luafn_run.lua "$seed" 20 both openmp
        rm -rf "$LUNARRAY_CACHE_DIR"
        seed=$((seed + 1))
    done
}

scaled() { awk -v f="${TORTURE:-0.01}" -v full="$1" -v least="$2" 'BEGIN { n = int(full * f); print (n < least ? least : n) }'; }

report() { # name count
    if [ "$failed" -eq 0 ]; then
        printf 'ok\t%s\t%s kernels, 0 reports\n' "$1" "$2"
    else
        printf 'FAIL\t%s\t%s kernels, %s runs failed\n' "$1" "$2" "$failed"
    fi
}

# Kernels in batches: name count preloaded flag...
batches() {
    name=$1 n=$2 preloaded=$3
    shift 3
    seed=${TORTURE_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
    if env ${preloaded:+LD_PRELOAD="$preloaded"} "$BUILD/torture/batch" "$real" "$seed" "$n" -O1 "$@" \
        >"$scratch/out" 2>"$scratch/err" && ! grep -aq "AddressSanitizer\|runtime error" "$scratch/err"; then
        printf 'ok\t%s\t%s kernels from seed %s, 0 reports, 0 wrong\n' "$name" "$n" "$seed"
    else
        printf 'FAIL\t%s\tseed %s of them\n' "$name" "$(grep -a '^seed' "$scratch/err" | tail -n 1)"
        tail -n 60 "$scratch/err"
    fi
}

traps="-fsanitize=undefined,float-cast-overflow -fno-sanitize-recover=all -fsanitize-undefined-trap-on-error"
addresses="-fsanitize=address -fno-omit-frame-pointer"
# shellcheck disable=SC2086 # words
batches "batches with undefined behaviour trapped" "$(scaled 10000 200)" "" $traps

INSTRUMENT=$traps
export INSTRUMENT
rounds "$(scaled 400 40)" ""
report "kernels with undefined behaviour trapped" "$(count)"

failed=0
asan=$($real -print-file-name=libasan.so)
if [ -e "$asan" ]; then
    ASAN_OPTIONS=detect_leaks=0:abort_on_error=0:verify_asan_link_order=0
    export ASAN_OPTIONS
    # shellcheck disable=SC2086 # words
    batches "batches with addresses checked" "$(scaled 10000 200)" "$asan" $addresses
    INSTRUMENT=$addresses
    rounds "$(scaled 400 25)" "$asan"
    report "kernels with addresses checked" "$(count)"
else
    printf 'ok\tkernels with addresses checked\tleft out: no libasan\n'
fi
