#!/bin/sh
# Hand-written C beside the program's own scripts: each round runs both in turn, so that ratios compare
# what ran under the same conditions. Prints a table and writes $BUILD/bench.json.
# usage: sh bench/run.sh [quick]
# ROUNDS, BENCH_REPS (repetitions in a round) and BENCH_N (elements of the large arrays of ours and of
# numpy; the C programs have 2^25) can be set.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
mode=${1:-full}
export BUILD

# What every round runs of the C programs: the plain variant and the best of the hand-tuned ones.
case $mode in
quick)
    rounds=${ROUNDS:-3}
    BENCH_REPS=${BENCH_REPS:-5}
    w01=plain,nt_thp
    w02=plain,nt_thp
    w03=plain,acc8,acc8_pf1k,acc4,acc4_pf1k,two_pass,one_pass_thp
    w04=plain_two_pass,one_pass_nt_256k,one_pass_nt_128k
    math="exp log sin pow"
    loop_reps=1
    w13_megabytes=512 w13_limit=250
    sweep_sizes="8 12 14 16 18 20 24" sweep_dtypes="f32 u8" sweep_rounds=1
    ;;
full)
    rounds=${ROUNDS:-7}
    BENCH_REPS=${BENCH_REPS:-11}
    w01=plain,nt_thp,nt_thp_pf1k,nt_thp_pf4k,nt_blocked_1k,nt_blocked_2k
    w02=plain,nt_thp,nt_thp_pf1k,nt_thp_pf4k
    w03=plain,acc8,acc8_pf1k,acc8_pf4k,streams4,acc4,acc4_pf1k,acc4_pf4k,two_pass,one_pass_thp
    w04=plain_two_pass,simd_two_pass_nt,one_pass_nt_128k,one_pass_nt_256k
    math=""
    loop_reps=3
    w13_megabytes=2048 w13_limit=500
    sweep_sizes="8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24" sweep_dtypes="f32 f64 i32 i64 u8" sweep_rounds=3
    ;;
*)
    echo "usage: sh bench/run.sh [quick]" >&2
    exit 2
    ;;
esac
export BENCH_REPS

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
out=$scratch/lines
log=$scratch/log
ours=$BUILD/lunarray

# Nothing of the user's own takes part; kernels are compiled before they are timed.
unset LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_PATH_5_4 LUA_CPATH LUA_CPATH_5_4 LUNARRAY_BACKEND LUNARRAY_THREADS
LUNARRAY_CACHE_DIR=$scratch/cache
LUNARRAY_JIT=sync
export LUNARRAY_CACHE_DIR LUNARRAY_JIT

# ---------------------------------------------------------------- building
mkdir -p "$BUILD/bench"
CC=${CC:-gcc}
lua_include=
for dir in /usr/include/lua5.4 /usr/local/include/lua5.4 /usr/include /usr/local/include; do
    if [ -e "$dir/lua.h" ]; then
        lua_include=$dir
        break
    fi
done

# Makes a file from its source if that is newer: target source flags...
make_one() {
    target=$1 source=$2
    shift 2
    if [ -e "$target" ] && [ -z "$(find "$source" bench/baselines/bench.h bench/baselines/simd.h -newer "$target")" ]; then
        return
    fi
    "$CC" -O3 -march=native "$@" -o "$target" "$source" -lm
}

for source in bench/baselines/w*.c; do
    case $source in
    *w07* | *w08*) flags="-mprefer-vector-width=512 -fno-math-errno -fno-trapping-math" ;;
    *) flags= ;;
    esac
    # shellcheck disable=SC2086 # several words
    make_one "$BUILD/bench/$(basename "$source" .c)" "$source" -fopenmp $flags
done
make_one "$BUILD/bench/sweep" bench/baselines/sweep.c
make_one "$BUILD/bench/start" bench/start.c
make_one "$BUILD/bench/clock.so" bench/clock.c -shared -fPIC -isystem "$lua_include"
make_one "$BUILD/bench/empty.so" bench/empty.c -shared -fPIC -isystem "$lua_include"

# ---------------------------------------------------------------- running
# Keeps the lines of a program: command...
keep() {
    if "$@" >"$log" 2>&1; then
        grep -v '^#' "$log" >>"$out" || true
        if grep -q WRONG "$log"; then cat "$log" >&2; exit 1; fi
    else
        cat "$log" >&2
        echo "bench: failed: $*" >&2
        exit 1
    fi
}

c_program() { # program variants argument...
    name=$1 variants=$2
    shift 2
    BENCH_ONLY=$variants keep "$BUILD/bench/$name" "$@"
}

numpy=
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' >/dev/null 2>&1; then
        numpy=$python
        break
    fi
done

peer() {
    if [ -n "$numpy" ]; then keep "$numpy" bench/peer.py "$@"; fi
}

loops() { # in the language itself
    for lua in luajit lua5.4; do
        if command -v "$lua" >/dev/null 2>&1; then keep "$lua" bench/peer.lua "$@"; fi
    done
}

# A process that finds no kernel in the cache.
first_result() {
    LUNARRAY_CACHE_DIR=$(mktemp -d "$scratch/empty.XXXXXX") LUNARRAY_JIT=auto keep "$ours" bench/first.lua first
}

: >"$out"
"$ours" bench/first.lua cached >"$log" 2>&1 || { cat "$log" >&2; exit 1; } # fills the cache
round=1
while [ "$round" -le "$rounds" ]; do
    echo "bench: round $round of $rounds" >&2
    echo "ROUND $round" >>"$out"
    c_program w01_fused $w01
    keep "$ours" bench/large.lua W1
    c_program w02_triad $w02
    keep "$ours" bench/large.lua W2
    c_program w03_reduce $w03
    keep "$ours" bench/large.lua W3sum W3dot W3mv
    c_program w04_scan $w04
    keep "$ours" bench/large.lua W4i32 W4f32
    c_program w06_mandelbrot plain_static,avx512_v4u4,avx512_v4u8 256
    keep "$ours" bench/functions.lua W6_256
    c_program w07_functions plain,vector
    keep "$ours" bench/functions.lua W7bs W7box W7csr5 W7csr50
    c_program w10_montecarlo plain,avx512_blend_v2,avx512_blend_v4
    keep "$ours" bench/functions.lua W10
    # shellcheck disable=SC2086 # several words
    OMP_NUM_THREADS=1 BENCH_ONLY=libmvec keep "$BUILD/bench/w08_math" $math
    # shellcheck disable=SC2086
    LUNARRAY_THREADS=1 keep "$ours" bench/math.lua $math
    c_program w12_latency 1thread
    keep "$ours" bench/latency.lua
    keep "$ours" bench/floor.lua
    peer W12
    # a file of several times the address space that the process may have
    keep sh -c "ulimit -v $((w13_limit * 1024)); exec '$ours' bench/files.lua '$scratch/file.raw' $w13_megabytes"
    rm -f "$scratch/file.raw"
    first_result
    keep "$ours" bench/first.lua cached
    BENCH_REPS=21 keep "$BUILD/bench/start" start ours "$ours" -e ''
    if command -v lua5.4 >/dev/null 2>&1; then
        BENCH_REPS=21 keep "$BUILD/bench/start" start plain lua5.4 -e ''
    fi
    # the others' large arrays take long and change little: once
    if [ "$round" -eq 1 ]; then
        peer W1 W2 W3sum W3dot W3mv W4i32 W4f32
        BENCH_REPS=$loop_reps loops W1 W2 W3sum W3dot W3mv W4i32 W4f32 W6 W12
    fi
    round=$((round + 1))
done

"$ours" bench/report.lua "$out" "$BUILD/bench.json" "$mode"

# Every size: a table of its own.
SWEEP_SIZES=${SWEEP_SIZES:-$sweep_sizes} SWEEP_DTYPES=${SWEEP_DTYPES:-$sweep_dtypes} \
    SWEEP_ROUNDS=${SWEEP_ROUNDS:-$sweep_rounds} SWEEP_PYTHON=${numpy:-none} "$ours" bench/sweep.lua
