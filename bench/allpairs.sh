#!/bin/sh
# All pairs of rows: bench/allpairs.lua beside C by hand (bench/allpairs.c), in turn. Prints the medians of all rounds, how
# many times as long ours takes, and the memory that it takes beside the operands, as a multiple of the result's.
# usage: sh bench/allpairs.sh   (ROUNDS, REPS, THREADS="1 2", SHAPES="n,m,k ..." can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
LUNARRAY_BACKEND=openmp
LUNARRAY_JIT=sync
export LUNARRAY_BACKEND LUNARRAY_JIT

${CC:-gcc} -O3 -march=native -fopenmp -o "$BUILD/bench/allpairs" bench/allpairs.c

printf '%-20s %8s %10s %10s %8s %8s\n' "n x m x k" threads "ours ms" "hand ms" ratio memory
for threads in ${THREADS:-1 2}; do
    for shape in ${SHAPES:-2048,2048,256 1024,1024,1024 4096,4096,16 100000,64,16}; do
        # shellcheck disable=SC2046
        set -- $(echo "$shape" | tr , ' ')
        : >"$scratch/ours"; : >"$scratch/hand"
        round=1
        while [ "$round" -le "${ROUNDS:-5}" ]; do
            LUNARRAY_THREADS=$threads "$BUILD/lunarray" bench/allpairs.lua "$1" "$2" "$3" "${REPS:-5}" >>"$scratch/ours" 2>"$scratch/memory"
            "$BUILD/bench/allpairs" "$threads" "$1" "$2" "$3" "${REPS:-5}" >>"$scratch/hand"
            round=$((round + 1))
        done
        awk -v name="$1 x $2 x $3" -v threads="$threads" -v ours="$(median "$scratch/ours")" -v hand="$(median "$scratch/hand")" \
            -v memory="$(cat "$scratch/memory")" 'BEGIN {
            printf "%-20s %8d %10.2f %10.2f %8.2f %8.2f\n", name, threads, ours * 1e3, hand * 1e3, ours / hand, memory }'
    done
done
