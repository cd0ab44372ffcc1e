#!/bin/sh
# Arrays of rank 2: bench/views.lua beside bench/views.c and, where it is installed, numpy (bench/views.py), in turn.
# Prints the medians of the rounds and how many times as long ours takes as the others.
# usage: sh bench/views.sh   (ROUNDS, BENCH_REPS, PYTHON can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
BENCH_REPS=${BENCH_REPS:-5}
LUNARRAY_JIT=sync
export BENCH_REPS LUNARRAY_JIT

${CC:-gcc} -O3 -march=native -ffast-math -fopenmp -Ibench -o "$BUILD/bench/views" bench/views.c -lm
make_clock

PYTHON=${PYTHON:-python3}
"$PYTHON" -c 'import numpy' 2>/dev/null || { echo "no numpy for $PYTHON: nothing beside C"; PYTHON=true; }

round=1
while [ "$round" -le "${ROUNDS:-3}" ]; do
    "$BUILD/bench/views" >>"$scratch/lines"
    "$BUILD/lunarray" bench/views.lua >>"$scratch/lines"
    "$PYTHON" bench/views.py 2 >>"$scratch/lines"
    round=$((round + 1))
done
if grep WRONG "$scratch/lines" >&2; then exit 1; fi
awk '{ key = $1 " " $2; times[key] = times[key] " " $3; if (!seen[$1]++) order[++count] = $1 }
    function median(list,  n, at, i, j, x) {
        n = split(list, at, " ")
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && at[j - 1] + 0 > at[j] + 0; j--) { x = at[j]; at[j] = at[j - 1]; at[j - 1] = x }
        return at[int((n + 1) / 2)]
    }
    END {
        printf "%-12s %10s %10s %10s %10s %10s\n", "", "ours ms", "hand ms", "ours/hand", "numpy ms", "ours/numpy"
        for (k = 1; k <= count; k++) {
            ours = median(times[order[k] " ours"]); hand = median(times[order[k] " hand"])
            numpy = median(times[order[k] " numpy"])
            printf "%-12s %10.2f %10.2f %10.2f", order[k], ours, hand, ours / hand
            if (numpy > 0) printf " %10.2f %10.2f", numpy, ours / numpy
            printf "\n"
        }
    }' "$scratch/lines"
