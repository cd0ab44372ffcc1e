#!/bin/sh
# Elements chosen by a mask: bench/select.lua beside C by hand (bench/select.c), in turn. Prints the medians of all rounds
# and how many times as long ours takes; "lazy" computes elements and mask as well.
# usage: sh bench/select.sh   (ROUNDS, REPS, THREADS="1 2", SIZE can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
LUNARRAY_BACKEND=openmp
LUNARRAY_JIT=sync
export LUNARRAY_BACKEND LUNARRAY_JIT

${CC:-gcc} -O3 -march=native -fopenmp -o "$BUILD/bench/select" bench/select.c

size=${SIZE:-33554432}
printf '%-8s %8s %10s %10s %8s\n' kind threads "ours ms" "hand ms" ratio
for threads in ${THREADS:-1 2}; do
    for kind in mask lazy; do
        : >"$scratch/ours"; : >"$scratch/hand"
        round=1
        while [ "$round" -le "${ROUNDS:-5}" ]; do
            LUNARRAY_THREADS=$threads "$BUILD/lunarray" bench/select.lua "$kind" "$size" "${REPS:-5}" >>"$scratch/ours"
            "$BUILD/bench/select" "$threads" "$size" "${REPS:-5}" >>"$scratch/hand"
            round=$((round + 1))
        done
        awk -v kind="$kind" -v threads="$threads" -v ours="$(median "$scratch/ours")" -v hand="$(median "$scratch/hand")" 'BEGIN {
            printf "%-8s %8d %10.2f %10.2f %8.2f\n", kind, threads, ours * 1e3, hand * 1e3, ours / hand }'
    done
done
