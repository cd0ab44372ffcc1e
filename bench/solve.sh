#!/bin/sh
# Linear equations: bench/solve.lua beside C by hand (bench/solve.c) and NumPy (bench/solve.py), in turn, on one thread.
# Prints the least time of all rounds and how many times as long ours takes.
# usage: sh bench/solve.sh   (ROUNDS, REPS, WORK="kind,n ...", PYTHON can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
LUNARRAY_BACKEND=openmp
LUNARRAY_THREADS=1
OPENBLAS_NUM_THREADS=1
export LUNARRAY_BACKEND LUNARRAY_THREADS OPENBLAS_NUM_THREADS

python=${PYTHON:-python3}
"$python" -c 'import numpy' 2>/dev/null || python=
${CC:-gcc} -O3 -march=native -ffp-contract=fast -o "$BUILD/bench/solve" bench/solve.c

least() {
    if [ -s "$1" ]; then sort -g "$1" | head -1; else echo 0; fi
}

printf '%-10s %8s %10s %10s %8s %10s %8s\n' kind n "ours ms" "hand ms" ratio "NumPy ms" ratio
for work in ${WORK:-solve,100 solve,1000 small,100000 inv,1000 cholesky,1000 qr,1000 svd,100 svd,500 eigh,100 eigh,500}; do
    kind=${work%,*}
    n=${work#*,}
    : >"$scratch/ours"; : >"$scratch/hand"; : >"$scratch/numpy"
    round=1
    while [ "$round" -le "${ROUNDS:-5}" ]; do
        "$BUILD/lunarray" bench/solve.lua "$kind" "$n" "${REPS:-7}" >>"$scratch/ours"
        case $kind in
        solve | small) "$BUILD/bench/solve" "$kind" "$n" "${REPS:-7}" >>"$scratch/hand" ;;
        esac
        if [ "$python" ]; then "$python" bench/solve.py "$kind" "$n" "${REPS:-7}" >>"$scratch/numpy"; fi
        round=$((round + 1))
    done
    awk -v kind="$kind" -v n="$n" -v ours="$(least "$scratch/ours")" -v hand="$(least "$scratch/hand")" \
        -v numpy="$(least "$scratch/numpy")" 'BEGIN {
        printf "%-10s %8d %10.3f %10.3f %8.2f %10.3f %8.2f\n", kind, n, ours * 1e3, hand * 1e3,
            (hand > 0 ? ours / hand : 0), numpy * 1e3, (numpy > 0 ? ours / numpy : 0) }'
done
