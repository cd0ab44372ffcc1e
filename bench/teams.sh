#!/bin/sh
# Team kernels on one thread beside the same loops in C (bench/teams.lua, bench/teams.c), in turn; the least of all rounds,
# in processor time, and how many times as long ours takes. C fuses no multiplications with additions, as ours does not, but
# for forces_fused, where ours says lun.fma. Below: what a launch and a task given to a queue cost.
# usage: sh bench/teams.sh   (ROUNDS, BENCH_REPS can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
LUNARRAY_JIT=sync
LUNARRAY_THREADS=1
export LUNARRAY_JIT LUNARRAY_THREADS

compile() {
    ${CC:-gcc} -std=gnu11 -O3 -march=native -mprefer-vector-width=512 -fopenmp-simd "$@" bench/teams.c -lm
}
compile -ffp-contract=off -o "$BUILD/bench/teams"
compile -ffp-contract=fast -DFUSED -o "$BUILD/bench/teams_fused"

round=1
while [ "$round" -le "${ROUNDS:-3}" ]; do
    "$BUILD/bench/teams" >>"$scratch/lines"
    "$BUILD/bench/teams_fused" >>"$scratch/lines"
    "$BUILD/lunarray" --backend openmp bench/teams.lua >>"$scratch/lines"
    round=$((round + 1))
done
awk '{ key = $1 " " $2; if (!(key in least) || $3 < least[key]) least[key] = $3; if (!seen[$1]++) order[++count] = $1 }
    END {
        printf "%-14s %12s %12s %10s\n", "", "ours ms", "hand ms", "ours/hand"
        for (k = 1; k <= count; k++) {
            name = order[k]
            if ((name " ours") in least && (name " hand") in least)
                printf "%-14s %12.4f %12.4f %10.2f\n", name, least[name " ours"], least[name " hand"],
                    least[name " ours"] / least[name " hand"]
        }
        printf "a launch: %.2f us; a task given to a queue and done: %.2f us; 4000 to an asynchronous one: %.2f us each\n",
            least["launch ours"] * 1e3, least["enqueue ours"] * 1e3, least["enqueue_async ours"] / 4
    }' "$scratch/lines"
