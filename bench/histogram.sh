#!/bin/sh
# Histograms of bytes: bench/histogram.lua beside C by hand (bench/histogram.c), in turn. Prints the medians of all rounds
# and how many times as long ours takes.
# usage: sh bench/histogram.sh   (ROUNDS, REPS, THREADS="1 2", BITS can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
LUNARRAY_BACKEND=openmp
export LUNARRAY_BACKEND

${CC:-gcc} -O3 -march=native -fopenmp -o "$BUILD/bench/histogram" bench/histogram.c

printf '%8s %10s %10s %8s\n' threads "ours ms" "hand ms" ratio
for threads in ${THREADS:-1 2}; do
    : >"$scratch/ours"; : >"$scratch/hand"
    round=1
    while [ "$round" -le "${ROUNDS:-5}" ]; do
        LUNARRAY_THREADS=$threads "$BUILD/lunarray" bench/histogram.lua "${BITS:-25}" "${REPS:-7}" >>"$scratch/ours"
        "$BUILD/bench/histogram" "$threads" "${BITS:-25}" "${REPS:-7}" >>"$scratch/hand"
        round=$((round + 1))
    done
    awk -v threads="$threads" -v ours="$(median "$scratch/ours")" -v hand="$(median "$scratch/hand")" 'BEGIN {
        printf "%8d %10.3f %10.3f %8.2f\n", threads, ours * 1e3, hand * 1e3, ours / hand }'
done
