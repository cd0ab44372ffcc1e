#!/bin/sh
# Elements at random indices, read and written: bench/indexing.lua beside numpy (bench/indexing.py), in turn. Prints the
# medians of all rounds and how many times as long ours takes.
# usage: sh bench/indexing.sh   (ROUNDS, REPS, THREADS="1 2", BITS, PYTHON can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
LUNARRAY_BACKEND=openmp
LUNARRAY_JIT=sync
export LUNARRAY_BACKEND LUNARRAY_JIT

PYTHON=${PYTHON:-python3}
"$PYTHON" -c 'import numpy' 2>/dev/null || { echo "no numpy for $PYTHON: nothing to compare with"; PYTHON=true; }

printf '%-20s %8s %10s %10s %8s\n' work threads "ours ms" "numpy ms" ratio
for threads in ${THREADS:-1 2}; do
    : >"$scratch/ours"; : >"$scratch/numpy"
    round=1
    while [ "$round" -le "${ROUNDS:-3}" ]; do
        LUNARRAY_THREADS=$threads "$BUILD/lunarray" bench/indexing.lua "${BITS:-24}" "${REPS:-5}" >>"$scratch/ours"
        "$PYTHON" bench/indexing.py "${BITS:-24}" "${REPS:-5}" >>"$scratch/numpy"
        round=$((round + 1))
    done
    cut -d';' -f1 "$scratch/ours" | awk '!seen[$0]++' >"$scratch/names"
    while IFS= read -r name; do
        for side in ours numpy; do
            grep -F "$name;" "$scratch/$side" | cut -d';' -f2 | sort -g |
                awk '{ x[NR] = $1 } END { print (NR ? x[int((NR + 1) / 2)] : 0) }' >"$scratch/$side.median"
        done
        awk -v name="$name" -v threads="$threads" -v ours="$(cat "$scratch/ours.median")" \
            -v numpy="$(cat "$scratch/numpy.median")" 'BEGIN {
            printf "%-20s %8d %10.2f %10.2f %8.2f\n", name, threads, ours * 1e3, numpy * 1e3, (numpy > 0 ? ours / numpy : 0) }'
    done <"$scratch/names"
done
