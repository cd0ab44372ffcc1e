#!/bin/sh
# A matrix product of 512 x 512 numbers by team kernels (bench/dgemm.lua), from one source on openmp and on OpenCL, beside the
# same by hand in C and in OpenCL (bench/dgemm.c, bench/dgemm.cl), in turn on one thread; the least of all rounds, in
# processor time, as a share of what a core can do, and how many times as long ours takes.
# usage: sh bench/dgemm.sh   (ROUNDS, BENCH_REPS can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
LUNARRAY_JIT=sync
LUNARRAY_THREADS=1
export LUNARRAY_JIT LUNARRAY_THREADS

${CC:-gcc} -std=gnu11 -O3 -march=native -mprefer-vector-width=512 -o "$BUILD/bench/dgemm" bench/dgemm.c -l:libOpenCL.so.1 -lm

round=1
while [ "$round" -le "${ROUNDS:-3}" ]; do
    for way in openmp opencl; do
        "$BUILD/bench/dgemm" "$way" | sed "s/^/$way /" >>"$scratch/lines"
        "$BUILD/lunarray" --backend "$way" bench/dgemm.lua | sed "s/^/$way /" >>"$scratch/lines"
    done
    round=$((round + 1))
done
awk '{ key = $1 " " $2 " " $3; if (!(key in least) || $4 < least[key]) least[key] = $4 }
    END {
        peak = 12 * 1048576 * 16 / least["openmp peak hand"] / 1e6
        printf "%-16s %10s %10s %10s %15s\n", "", "ours ms", "hand ms", "ours/hand", "ours, of a peak"
        for (k = 0; k < 4; k++) {
            name = (k < 2 ? "openmp" : "opencl") " " (k % 2 ? "panels" : "tiles")
            ours = least[name " ours"]
            printf "%-16s %10.2f %10.2f %10.2f %14.0f%%\n", name, ours, least[name " hand"], ours / least[name " hand"],
                100 * (2 * 512 ^ 3 / ours / 1e6) / peak
        }
        printf "the peak: %.1f GFLOP/s\n", peak
    }' "$scratch/lines"
