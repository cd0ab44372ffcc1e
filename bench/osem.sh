#!/bin/sh
# List-mode OSEM on one device (bench/osem.lua) beside the same by hand in OpenMP C and in OpenCL (bench/osem.c,
# bench/osem.cl), in turn; the least of all rounds, in processor time, and how many times as long ours takes.
# usage: sh bench/osem.sh   (ROUNDS, BENCH_REPS can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
LUNARRAY_JIT=sync
LUNARRAY_THREADS=1
OMP_NUM_THREADS=1
export LUNARRAY_JIT LUNARRAY_THREADS OMP_NUM_THREADS

${CC:-gcc} -std=gnu11 -O3 -march=native -fopenmp -o "$BUILD/bench/osem" bench/osem.c -l:libOpenCL.so.1 -lm

round=1
while [ "$round" -le "${ROUNDS:-3}" ]; do
    for way in openmp opencl; do
        "$BUILD/bench/osem" "$way" | sed "s/^/$way /" >>"$scratch/lines"
        "$BUILD/lunarray" --backend "$way" bench/osem.lua | sed "s/^/$way /" >>"$scratch/lines"
    done
    round=$((round + 1))
done
awk '$2 == "pass" { key = $1 " " $3; if (!(key in least) || $4 < least[key]) least[key] = $4 }
    $2 == "image" { key = $4 " " $5; images += !(key in seen); seen[key] = 1 }
    END {
        printf "%-8s %10s %10s %10s\n", "", "ours ms", "hand ms", "ours/hand"
        for (k = 1; k <= 2; k++) {
            way = k == 1 ? "openmp" : "opencl"
            printf "%-8s %10.2f %10.2f %10.2f\n", way, least[way " ours"], least[way " hand"],
                least[way " ours"] / least[way " hand"]
        }
        print images == 1 ? "all images have one sum and one largest voxel" : "the images differ"
        exit images != 1
    }' "$scratch/lines"
