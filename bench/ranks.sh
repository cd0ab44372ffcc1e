#!/bin/sh
# Ranks: the modelled efficiency of elementwise work, sums, scans, a stencil and a matrix product on RANKS ranks
# (bench/ranks.lua), which is computing / (computing + network), for 2^BITS elements. Computing is the processor time of one
# rank for its own part, on one thread, all of it: also what does not depend on the number of elements. The network is a model
# with LATENCY seconds a message and RATE bytes a second, and is that of a run with so many ranks on smaller arrays of 2^16 and
# of 2^17 elements a rank: what it takes grows in a straight line with the elements, which CHECK=1 compares with a run of all.
# Matrices are multiplied in full. Then real time of steps of 2 and 4 ranks beside the MPI library's own (bench/allreduce.c),
# for each MPI that is installed, and of starts. Complaints of 1024 threads that others are slow are left out.
# usage: sh bench/ranks.sh   (RANKS="64 1024", 64 alone by default, BITS=28, SIDE=1024, LATENCY=2e-6, RATE=1e10, CHECK=)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
make_clock
BITS=${BITS:-28}
SIDE=${SIDE:-1024}
clock=${LATENCY:-2e-6},${RATE:-1e10}
lunarray=$BUILD/lunarray
export SIDE BUILD

# What the network takes: elements ranks mode
network() {
    backend=
    [ "$3" = network ] || backend="--backend mpi"
    # shellcheck disable=SC2086
    N=$1 LUNARRAY_RANK_CLOCK=$clock timeout 900 $lunarray --ranks "$2" $backend bench/ranks.lua "$3" 2>"$scratch/errors" || {
        echo "$3 fails on $2 ranks:" >&2
        grep -v "no word from" "$scratch/errors" | head -n 3 >&2
    }
}

for ranks in ${RANKS:-64}; do
    N=$(((1 << BITS) / ranks)) ROWS=$(((SIDE + ranks - 1) / ranks)) LUNARRAY_THREADS=1 LUNARRAY_JIT=sync \
        $lunarray bench/ranks.lua compute | sed "s/^compute/& $ranks/"
    for mode in network scaleout; do
        for part in 16 17; do
            network $(((1 << part) * ranks)) "$ranks" $mode | sed "s/^network/& $part/"
        done
        [ -z "${CHECK:-}" ] || network $((1 << BITS)) "$ranks" $mode | sed "s/^network/& all/"
    done
done >"$scratch/lines"
awk -v bits="$BITS" -v side="$SIDE" '
    $1 == "compute" { compute[$2, $3] = $4 * 1e3; next }
    $2 == "16" { first[$3, $4] = $5; next }
    $2 == "all" { all[$3, $4] = $5; next }
    { row[++rows] = $0 }
    END {
        printf "2^%d elements of f64, matrices of %d x %d\n%-14s %6s %12s %12s %10s %9s %9s %6s %9s\n", bits, side, side, "",
            "ranks", "computing us", "network us", "efficiency", "messages", "bytes", "steps", "of all"
        for (i = 1; i <= rows; i++) {
            split(row[i], f)
            name = f[3]
            ranks = f[4]
            base = first[name, ranks]
            elements = 2 ^ bits / ranks
            net = base + (f[5] - base) * (elements - 65536) / 65536
            of = name == "stencil-first" ? "stencil" : name == "scaleout" ? "elementwise" : name
            time = compute[ranks, of]
            printf "%-14s %6d %12s %12.1f %10s %9d %9d %6d %9d%s\n", name, ranks, time ? sprintf("%.1f", time) : "", net,
                time ? sprintf("%.1f%%", 100 * time / (time + net)) : "", f[6], f[7], f[8], f[9],
                (name, ranks) in all ? sprintf("  a run of all: %.1f", all[name, ranks]) : ""
        }
    }' "$scratch/lines"

echo
echo "real time of ranks, us"
for ranks in 2 4; do
    timeout 100 $lunarray --ranks $ranks bench/ranks.lua steps | sed 's/^steps/threads/'
done
${CC:-gcc} -O2 -Iprims -o "$scratch/allreduce" bench/allreduce.c "$BUILD/liblunarray.a" -ldl -lm -lpthread
for mpi in mpich openmpi; do
    command -v "mpirun.$mpi" >/dev/null || continue
    options=
    [ $mpi = mpich ] || options="--oversubscribe --allow-run-as-root"
    for ranks in 2 4; do
        # shellcheck disable=SC2086
        LUNARRAY_MPI=$mpi timeout 100 "mpirun.$mpi" -n $ranks $options "$scratch/allreduce" | sed "s/^/$mpi /"
        # shellcheck disable=SC2086
        LUNARRAY_MPI=$mpi timeout 100 "mpirun.$mpi" -n $ranks $options $lunarray bench/ranks.lua steps | sed "s/^/$mpi /"
    done
    # shellcheck disable=SC2086
    start=$(date +%s%N) && timeout 100 "mpirun.$mpi" -n 4 $options $lunarray -e 'local s = lun.spmd' &&
        echo "$mpi start and end of 4 processes, ms: $((($(date +%s%N) - start) / 1000000))"
done
start=$(date +%s%N)
$lunarray --ranks 4 -e 'local s = lun.spmd'
echo "threads start and end of 4 ranks, ms: $((($(date +%s%N) - start) / 1000000))"
