#!/bin/sh
# Messages between ranks: arrays that are broadcast, sent, gathered and exchanged (bench/messages.lua), by --ranks and by each
# MPI that is installed, beside the MPI library's own calls between memory that is there and memcpy (bench/messages.c). Of each
# call gigabytes a second that the busiest rank receives, its share of the library's and of memcpy's in the same run (the best
# of all rounds), and the memory that ranks take on top of what they had, for each byte that any of them receives: 1 is that of
# the results.
# usage: sh bench/messages.sh   (RANKS=2, MEGABYTES=256, ROUNDS=2, REPS=3)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
ranks=${RANKS:-2}
megabytes=${MEGABYTES:-256}
reps=${REPS:-3}
calls="bcast send gather allgather alltoall"

# Runs a command on all ranks of the MPI $mpi.
launch() {
    options=
    [ "$mpi" = mpich ] || options="--oversubscribe --allow-run-as-root"
    # shellcheck disable=SC2086
    LUNARRAY_MPI=$mpi timeout 600 "mpirun.$mpi" -n "$ranks" $options "$@" 2>/dev/null
}

found=
for mpi in mpich openmpi; do
    command -v "mpirun.$mpi" >/dev/null && found="$found $mpi"
done
${CC:-gcc} -O2 -Iprims -o "$BUILD/bench/messages" bench/messages.c "$BUILD/liblunarray.a" -ldl -lm -lpthread

# Ours in a new process for each call, so that each takes its memory from the system.
round=1
while [ "$round" -le "${ROUNDS:-2}" ]; do
    for call in $calls; do
        timeout 600 "$BUILD/lunarray" --ranks "$ranks" bench/messages.lua threads "$megabytes" "$reps" "$call" |
            sed 's/^/threads ours /'
    done
    for mpi in $found; do
        for call in $calls; do
            launch "$BUILD/lunarray" bench/messages.lua mpi "$megabytes" "$reps" "$call" | sed "s/^/$mpi ours /"
        done
        launch "$BUILD/bench/messages" "$megabytes" "$reps" | sed "s/^/$mpi library /"
    done
    round=$((round + 1))
done >"$scratch/lines"

awk -v ranks="$ranks" -v megabytes="$megabytes" '
    { rate = $5 / $4 / 1e3; key = $1 " " $3 }
    $2 == "library" && rate > library[key] { library[key] = rate }
    $3 == "memcpy" && rate > copy { copy = rate }
    $2 == "ours" {
        if (!(key in ours)) name[++rows] = key
        if (rate > ours[key]) ours[key] = rate
        if ($6 > memory[key]) memory[key] = $6
    }
    function share(a, b) { return b ? sprintf("%.2f", a / b) : "" }
    END {
        printf "%d ranks, arrays of %d MB, memcpy %.1f GB/s\n%-8s %-10s %6s %11s %10s %8s\n", ranks, megabytes, copy, "", "",
            "GB/s", "of library", "of memcpy", "memory"
        for (i = 1; i <= rows; i++) {
            split(name[i], f, " ")
            printf "%-8s %-10s %6.2f %11s %10s %8.2f\n", f[1], f[2], ours[name[i]], share(ours[name[i]], library[name[i]]),
                share(ours[name[i]], copy), memory[name[i]]
        }
    }' "$scratch/lines"
