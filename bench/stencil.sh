#!/bin/sh
# Repeated stencils: bench/stencil.lua beside loops by hand (bench/stencil.c), in turn. Prints medians of a sweep and
# how many times as long as the plain loop each takes.
# usage: sh bench/stencil.sh   (ROUNDS, SWEEPS, THREADS="1 2", SIZES="1024 4096", EDGE can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
LUNARRAY_BACKEND=openmp
LUNARRAY_JIT=sync
export LUNARRAY_BACKEND LUNARRAY_JIT

${CC:-gcc} -O3 -march=native -ffp-contract=off -fopenmp -o "$BUILD/bench/stencil" bench/stencil.c

sweeps=${SWEEPS:-100}
printf '%6s %8s %12s %12s %12s %12s %8s %8s %8s\n' n threads "plain ms" "blocked ms" "each ms" "lazy ms" blocked each lazy
for n in ${SIZES:-1024 4096 4100}; do
    for threads in ${THREADS:-1 2}; do
        for f in plain blocked each lazy; do : >"$scratch/$f"; done
        round=1
        while [ "$round" -le "${ROUNDS:-5}" ]; do
            for f in plain blocked; do
                "$BUILD/bench/stencil" "$f" "$threads" "$n" "$sweeps" 1 >>"$scratch/$f" 2>/dev/null
            done
            for f in each lazy; do
                LUNARRAY_THREADS=$threads "$BUILD/lunarray" bench/stencil.lua "$f" "$n" "$sweeps" 1 "${EDGE:-nearest}" >>"$scratch/$f"
            done
            round=$((round + 1))
        done
        awk -v n="$n" -v threads="$threads" -v plain="$(median "$scratch/plain")" -v blocked="$(median "$scratch/blocked")" \
            -v each="$(median "$scratch/each")" -v lazy="$(median "$scratch/lazy")" 'BEGIN {
            printf "%6d %8d %12.3f %12.3f %12.3f %12.3f %8.2f %8.2f %8.2f\n", n, threads, plain * 1e3, blocked * 1e3,
                each * 1e3, lazy * 1e3, blocked / plain, each / plain, lazy / plain }'
    done
done
