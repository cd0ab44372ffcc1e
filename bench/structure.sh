#!/bin/sh
# Windows, short rows, orders of axes: bench/structure.lua beside programs by hand (baselines/w14, w15, w21) on one thread, in turn.
# Prints the least time of each and how many times as long as the fastest by hand ours takes.
# usage: sh bench/structure.sh   (ROUNDS can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
LUNARRAY_BACKEND=openmp
LUNARRAY_JIT=sync
LUNARRAY_THREADS=1
OMP_NUM_THREADS=1
export LUNARRAY_BACKEND LUNARRAY_JIT LUNARRAY_THREADS OMP_NUM_THREADS

for name in w14_windows w15_short_rows w21_axes; do
    ${CC:-gcc} -O3 -march=native -ffp-contract=off -fopenmp -o "$BUILD/bench/$name" "bench/baselines/$name.c" -lm
done
: >"$scratch/hand"
: >"$scratch/ours"
round=1
while [ "$round" -le "${ROUNDS:-3}" ]; do
    "$BUILD/lunarray" bench/structure.lua >>"$scratch/ours"
    BENCH_REPS=${BENCH_REPS:-5} "$BUILD/bench/w14_windows" | grep '_t1 ' | sed 's/_t1 / /' >>"$scratch/hand"
    for name in w15_short_rows w21_axes; do
        BENCH_REPS=${BENCH_REPS:-5} "$BUILD/bench/$name" | grep -v near | grep -v naive >>"$scratch/hand"
    done
    round=$((round + 1))
done
# Columns of the programs by hand: name, variant, median ms, rate, unit, "min", least ms of so many repetitions.
awk 'BEGIN { reps["W14_2_30"] = 1000; reps["W14_2_250"] = 100; reps["W14_2_2800"] = 2; reps["W14_3_40"] = 100; reps["W14_3_180"] = 4 }
    function calls(name, of) {
        if (name in reps) return reps[name]
        if (name !~ /^W15/) return 1
        split(substr(name, 5), of, "x")
        return of[1] > 10000 ? 1 : int(1000000 / of[1] / 4)
    }
    FNR == NR { if (!($1 in ours)) order[++n] = $1; if (!($1 in ours) || $2 < ours[$1]) ours[$1] = $2; next }
    { us = $8 * 1000 / calls($1); if (!($1 in hand) || us < hand[$1]) { hand[$1] = us; best[$1] = $2 } }
    END { printf "%-16s %12s %12s %8s  %s\n", "work", "ours us", "by hand us", "ratio", "fastest"
        for (k = 1; k <= n; k++) { name = order[k]
            printf "%-16s %12.2f %12.2f %8.2f  %s\n", name, ours[name], hand[name], ours[name] / hand[name], best[name] } }' \
    "$scratch/ours" "$scratch/hand"
