#!/bin/sh
# n-body, k-means and conjugate gradients: bench/programs.lua beside bench/programs.c and, where it is installed, numpy
# (bench/programs.py), in turn. Prints the medians of the rounds, and ours divided by each of the others.
# usage: sh bench/programs.sh   (ROUNDS, BENCH_REPS, PYTHON, LUNARRAY_THREADS and OMP_NUM_THREADS can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
BENCH_REPS=${BENCH_REPS:-3}
PYTHON=${PYTHON:-/usr/bin/python3}
LUNARRAY_JIT=sync
export BENCH_REPS LUNARRAY_JIT

flags='-O3 -march=native -fopenmp -Ibench'
# shellcheck disable=SC2086
${CC:-gcc} $flags -DVARIANT='"plain"' -o "$BUILD/bench/programs" bench/programs.c -lm
# shellcheck disable=SC2086
${CC:-gcc} $flags -ffast-math -DVARIANT='"fast"' -o "$BUILD/bench/programs-fast" bench/programs.c -lm
make_clock
numpy=
if "$PYTHON" -c 'import numpy' 2>/dev/null; then numpy=yes; fi

round=1
while [ "$round" -le "${ROUNDS:-5}" ]; do
    "$BUILD/bench/programs" >>"$scratch/lines"
    "$BUILD/lunarray" bench/programs.lua >>"$scratch/lines"
    "$BUILD/bench/programs-fast" >>"$scratch/lines"
    if [ "$numpy" ]; then PYTHONDONTWRITEBYTECODE=1 "$PYTHON" bench/programs.py >>"$scratch/lines"; fi
    round=$((round + 1))
done
awk 'function median(list,  n, at, i, j, x) {
        n = split(list, at, " ")
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && at[j - 1] + 0 > at[j] + 0; j--) { x = at[j]; at[j] = at[j - 1]; at[j - 1] = x }
        return at[int((n + 1) / 2)]
    }
    $1 == "check" {
        if (!($2 in result)) result[$2] = $4
        far = $4 / result[$2] - 1
        if (far > 1e-5 || far < -1e-5) { print "WRONG: " $0 ", not " result[$2]; wrong = 1 }
        next
    }
    { key = $1 " " $2; times[key] = times[key] " " $3; if (!seen[$1]++) order[++count] = $1 }
    END {
        if (wrong) exit 1
        printf "%-8s %10s   ours / that of\n%-8s %10s %10s %10s %10s\n", "", "ours ms", "", "", "plain C", "fast C", "numpy"
        for (k = 1; k <= count; k++) {
            ours = median(times[order[k] " ours"])
            printf "%-8s %10.2f", order[k], ours
            split("plain fast numpy", other, " ")
            for (i = 1; i <= 3; i++) {
                ms = median(times[order[k] " " other[i]])
                printf " %10s", ms ? sprintf("%.2f", ours / ms) : "-"
            }
            print ""
        }
    }' "$scratch/lines"
