#!/bin/sh
# Grouping: sums beside C by hand (bench/group.c, one serial loop), making groups beside those sums; group means, joins and
# sorting beside pandas and polars. Prints the medians of all rounds and how many times as long ours takes.
# usage: sh bench/group.sh   (ROUNDS, REPS, ROWS, THREADS, PYTHON can be set; libraries that PYTHON lacks are left out:
# python3 -m venv /tmp/peers && /tmp/peers/bin/pip install pandas polars && PYTHON=/tmp/peers/bin/python sh bench/group.sh)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
LUNARRAY_BACKEND=openmp
LUNARRAY_JIT=sync
LUNARRAY_THREADS=${THREADS:-2}
POLARS_MAX_THREADS=$LUNARRAY_THREADS
export LUNARRAY_BACKEND LUNARRAY_JIT LUNARRAY_THREADS POLARS_MAX_THREADS

${CC:-gcc} -O3 -march=native -o "$BUILD/bench/group" bench/group.c

# Runs each of the commands in turn; what the first takes beside each of the others. name, then commands
compare() {
    name=$1
    shift
    for k in $(seq $#); do : >"$scratch/$k"; done
    round=1
    while [ "$round" -le "${ROUNDS:-3}" ]; do
        k=1
        for command in "$@"; do
            $command >>"$scratch/$k" 2>/dev/null || true
            k=$((k + 1))
        done
        round=$((round + 1))
    done
    printf '%-34s %9.2f ms' "$name" "$(median "$scratch/1" | awk '{ print $1 * 1e3 }')"
    for k in $(seq 2 $#); do
        [ -s "$scratch/$k" ] && printf '  %9.2f ms %5.2f' "$(median "$scratch/$k" | awk '{ print $1 * 1e3 }')" \
            "$(awk -v a="$(median "$scratch/1")" -v b="$(median "$scratch/$k")" 'BEGIN { print a / b }')"
    done
    printf '\n'
}

reps=${REPS:-5}
ours="$BUILD/lunarray bench/group.lua"
peer="${PYTHON:-python3} bench/group_peers.py"
printf '%-34s %12s  %12s %5s\n' "sums of 2^23 f64, groups known" ours "by hand" ratio
for groups in 100 5000 1000000; do
    compare "$groups groups" "$ours sum 8388608 $groups $reps" "$BUILD/bench/group 8388608 $groups $reps"
done
printf '%-34s %12s  %12s %5s\n' "groups of 2^23 i32 keys" ours "their sum" ratio
for groups in 100 5000 1000000; do
    compare "$groups groups" "$ours code 8388608 $groups $reps" "$ours sum 8388608 $groups $reps"
    compare "$groups groups, keys far apart" "$ours wide 8388608 $groups $reps" "$ours sum 8388608 $groups $reps"
done
rows=${ROWS:-10000000}
printf '%-34s %12s  %12s %5s  %12s %5s\n' "$rows rows" ours pandas ratio polars ratio
for groups in 100 100000; do
    compare "means, $groups groups" "$ours mean $rows $groups $reps" "$peer pandas mean $rows $groups $reps" \
        "$peer polars mean $rows $groups $reps"
    compare "join with $groups rows" "$ours join $rows $groups $reps" "$peer pandas join $rows $groups $reps" \
        "$peer polars join $rows $groups $reps"
done
compare "sort" "$ours sort $rows 100 $reps" "$peer pandas sort $rows 100 $reps" "$peer polars sort $rows 100 $reps"
