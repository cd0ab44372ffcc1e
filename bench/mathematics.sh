#!/bin/sh
# Transforms, linear equations and factors, complex and random numbers, derivatives: bench/mathematics.lua beside NumPy
# and SciPy (bench/mathematics.py) and, where there is one, C by hand (bench/solve.c), in turn. Prints medians of all
# rounds and how many times as long ours takes.
# usage: sh bench/mathematics.sh   (ROUNDS, REPS, THREADS, WORK="kind,n ...", PYTHON can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
THREADS=${THREADS:-1}
LUNARRAY_BACKEND=openmp
LUNARRAY_THREADS=$THREADS
OPENBLAS_NUM_THREADS=$THREADS
export THREADS LUNARRAY_BACKEND LUNARRAY_THREADS OPENBLAS_NUM_THREADS

python=${PYTHON:-python3}
"$python" -c 'import numpy' 2>/dev/null || python=
${CC:-gcc} -O3 -march=native -ffp-contract=fast -o "$BUILD/bench/solve" bench/solve.c

transforms="fft,1024 fft,65536 fft,1048576 fft,1000 fft,59049 fft,100000 fft,1009 fft,10007 fft,1000003
    lines,1000 fft2,1024 rfft,1024 rfft,65536 rfft,1048576"
matrices="solve,100 solve,1000 small,100000 cholesky,1000 qr,1000 inv,1000
    eigh,20 eigh,100 eigh,300 eigh,500 eigh,1000 svd,100 svd,500 eig,300"
others="complex*,10000000 complex-abs,10000000 complex-exp,10000000 complex-sum,10000000
    integers,10000000 exponential,10000000 permutation,10000000 loss,100000 grad,100000"

middle() {
    if [ -s "$1" ]; then median "$1"; else echo 0; fi
}

set -f
printf '%-12s %9s %11s %11s %7s %11s %7s\n' kind n "ours ms" "hand ms" ratio "NumPy ms" ratio
for work in ${WORK:-$transforms $matrices $others}; do
    kind=${work%,*}
    n=${work#*,}
    : >"$scratch/ours"; : >"$scratch/hand"; : >"$scratch/numpy"
    round=1
    while [ "$round" -le "${ROUNDS:-5}" ]; do
        # The first time of each process counts neither kernels' compilation nor tables.
        "$BUILD/lunarray" bench/mathematics.lua "$kind" "$n" "${REPS:-7}" | tail -n +2 >>"$scratch/ours"
        case $kind in
        solve | small) "$BUILD/bench/solve" "$kind" "$n" "${REPS:-7}" | tail -n +2 >>"$scratch/hand" ;;
        esac
        if [ "$python" ]; then
            "$python" bench/mathematics.py "$kind" "$n" "${REPS:-7}" | tail -n +2 >>"$scratch/numpy"
        fi
        round=$((round + 1))
    done
    awk -v kind="$kind" -v n="$n" -v ours="$(middle "$scratch/ours")" -v hand="$(middle "$scratch/hand")" \
        -v numpy="$(middle "$scratch/numpy")" 'BEGIN {
        printf "%-12s %9d %11.4f %11.4f %7.2f %11.4f %7.2f\n", kind, n, ours * 1e3, hand * 1e3,
            (hand > 0 ? ours / hand : 0), numpy * 1e3, (numpy > 0 ? ours / numpy : 0) }'
done
