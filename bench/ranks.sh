#!/bin/sh
# Ranks: the modelled efficiency of elementwise work, sums, scans, a stencil and a matrix product on RANKS ranks
# (bench/ranks.lua), which is computing / (computing + network). Computing is one rank's processor time on one thread,
# divided by the ranks; the network is a model with LATENCY seconds a message and RATE bytes a second. Then real time of
# steps of 4 processes beside the MPI library's own (bench/allreduce.c), for each MPI that is installed, and of starts.
# 1024 ranks are 1024 threads, which take minutes on a few cores; their complaints that others are slow are left out.
# usage: sh bench/ranks.sh   (RANKS="64 1024", 64 alone by default, BITS=26, SIDE=1024, LATENCY=2e-6, RATE=1e10)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
make_clock
BITS=${BITS:-26}
SIDE=${SIDE:-1024}
clock=${LATENCY:-2e-6},${RATE:-1e10}
lunarray=$BUILD/lunarray
export BITS SIDE BUILD

LUNARRAY_THREADS=1 LUNARRAY_JIT=sync $lunarray bench/ranks.lua compute >"$scratch/lines"
for ranks in ${RANKS:-64}; do
    for mode in network scaleout; do
        backend=
        [ $mode = network ] || backend="--backend mpi"
        # shellcheck disable=SC2086
        LUNARRAY_RANK_CLOCK=$clock timeout 900 $lunarray --ranks "$ranks" $backend bench/ranks.lua $mode \
            >>"$scratch/lines" 2>"$scratch/errors" || {
            echo "$mode fails on $ranks ranks:"
            grep -v "no word from" "$scratch/errors" | head -n 3
        }
    done
done
awk -v bits="$BITS" -v side="$SIDE" '
    $1 == "compute" { compute[$2] = $3 * 1e3 }
    $1 == "network" {
        if (!head++)
            printf "2^%d elements of f64, matrices of %d x %d\n%-14s %6s %12s %12s %10s %9s %9s %6s %9s\n", bits, side, side,
                "", "ranks", "computing us", "network us", "efficiency", "messages", "bytes", "steps", "of all"
        name = $2
        of = name == "stencil-first" ? "stencil" : name == "scaleout" ? "elementwise" : name
        time = of in compute ? compute[of] / $3 : 0
        if (time)
            printf "%-14s %6d %12.1f %12.1f %9.1f%% %9d %9d %6d %9d\n", name, $3, time, $4, 100 * time / (time + $4), $5, $6,
                $7, $8
        else
            printf "%-14s %6d %12s %12.1f %10s %9d %9d %6d %9d\n", name, $3, "", $4, "", $5, $6, $7, $8
    }' "$scratch/lines"

echo
echo "real time of 4 ranks, us"
timeout 100 $lunarray --ranks 4 bench/ranks.lua steps | sed 's/^steps/threads/'
for mpi in mpich openmpi; do
    command -v "mpicc.$mpi" >/dev/null && command -v "mpirun.$mpi" >/dev/null || continue
    options=
    [ $mpi = mpich ] || options="--oversubscribe --allow-run-as-root"
    if "mpicc.$mpi" -O2 -o "$scratch/allreduce" bench/allreduce.c 2>"$scratch/errors"; then
        # shellcheck disable=SC2086
        timeout 100 "mpirun.$mpi" -n 4 $options "$scratch/allreduce" | sed "s/^/$mpi /"
    else
        echo "$mpi cannot compile: $(head -n 1 "$scratch/errors")"
    fi
    # shellcheck disable=SC2086
    LUNARRAY_MPI=$mpi timeout 100 "mpirun.$mpi" -n 4 $options $lunarray bench/ranks.lua steps | sed "s/^/$mpi /"
    # shellcheck disable=SC2086
    start=$(date +%s%N) && timeout 100 "mpirun.$mpi" -n 4 $options $lunarray -e 'local s = lun.spmd' &&
        echo "$mpi start and end of 4 processes, ms: $((($(date +%s%N) - start) / 1000000))"
done
start=$(date +%s%N)
$lunarray --ranks 4 -e 'local s = lun.spmd'
echo "threads start and end of 4 ranks, ms: $((($(date +%s%N) - start) / 1000000))"
