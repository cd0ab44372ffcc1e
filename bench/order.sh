#!/bin/sh
# Elements in order, and what needs their order: bench/order.lua beside a radix sort by hand of i32 (bench/order.c), in
# turn. Prints the medians of all rounds, and the ratios to the hand-written one.
# usage: sh bench/order.sh   (ROUNDS, REPS, THREADS="1 2", LOG2=24 can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
cases="sort_i32 argsort_i32 sort_f32 argsort_f32 sort_i64 sort_f64 argsort_f64 median_f64 topk_f64 unique_i32"
LUNARRAY_BACKEND=openmp
export LUNARRAY_BACKEND

${CC:-gcc} -O3 -march=native -fopenmp -o "$BUILD/bench/order" bench/order.c

printf '%-8s %-12s %10s %8s\n' threads what ms ratio
for threads in ${THREADS:-1 2}; do
    rm -f "$scratch"/t_*
    round=1
    while [ "$round" -le "${ROUNDS:-3}" ]; do
        "$BUILD/bench/order" "$threads" "${LOG2:-24}" "${REPS:-3}" >>"$scratch/t_hand"
        for case in $cases; do
            LUNARRAY_THREADS=$threads "$BUILD/lunarray" bench/order.lua "${case%_*}" "${case#*_}" "${LOG2:-24}" "${REPS:-3}" \
                >>"$scratch/t_$case"
        done
        round=$((round + 1))
    done
    hand=$(median "$scratch/t_hand")
    for case in hand $cases; do
        awk -v threads="$threads" -v name="$case" -v ours="$(median "$scratch/t_$case")" -v hand="$hand" \
            'BEGIN { printf "%-8d %-12s %10.1f %8.2f\n", threads, name, ours * 1e3, ours / hand }'
    done
done
