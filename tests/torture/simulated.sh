#!/bin/sh
# The programs of tests/programs.lua on 3, 4 and 7 simulated ranks (LUNARRAY_SIM), with seeds, late messages and a slow rank:
# the bits of one location. Then with a rank killed at each of its calls, and each call lost: whoever is left says one text,
# and nothing hangs. A run that fails is told by the command that repeats it.
set -u
BUILD=${BUILD:-build}
TORTURE=${TORTURE:-1}
SIM_SCRATCH=${TORTURE_SCRATCH:-/tmp}/simulated
export SIM_SCRATCH BUILD
mkdir -p "$SIM_SCRATCH" || exit 1

# What a job, by that name, writes: $out, and files of its own, since several run at a time.
begin() {
    SIM_SCRATCH=$SIM_SCRATCH/$(printf '%s' "$1" | tr ' ' _)
    mkdir "$SIM_SCRATCH"
    out=$SIM_SCRATCH/out
    trap 'rm -r "$SIM_SCRATCH"' EXIT
}

# A run: seed ranks program. A seed says what is late, which rank is slow, and the length.
one() {
    seed=$1 ranks=$2 name=$3
    case $((seed % 4)) in
    0) sim=$seed ;;
    1) sim=$seed,late=300 ;;
    2) sim=$seed,late=100000 ;;
    3) sim=$seed,late=50,slow=$((seed / 4 % ranks)) ;;
    esac
    case $((seed % 3)) in
    0) length=65 ;;
    1) length=1003 ;;
    2) length=40009 ;;
    esac
    begin "$seed.$ranks.$name"
    if LUNARRAY_SIM=$sim timeout 120 "$BUILD/lunarray" --ranks "$ranks" tests/simulate.lua "$length" "$name" >"$out" 2>&1; then
        echo good
    else
        echo "LUNARRAY_SIM=$sim $BUILD/lunarray --ranks $ranks tests/simulate.lua $length '$name': $(grep -v '^	' "$out" | head -n 1)"
    fi
}

# The texts of the ranks that are left, each once.
texts() {
    sed -n "/rank $1 lost the others: /d; s/^[^ ]*lunarray: rank [0-9]*: //p" "$2" | sed 's/^.*lua:[0-9]*: //' | sort -u
}

# A rank that is killed, or whose call is lost, at each of its calls in turn, until there is none: what rank ranks program step
faulty() {
    what=$1 rank=$2 ranks=$3 name=$4 step=$5 call=1
    begin "$what.$rank.$ranks.$name"
    while :; do
        LUNARRAY_RANK_TIMEOUT=30 LUNARRAY_SIM=$call,$what=$rank@$call timeout 120 "$BUILD/lunarray" --ranks "$ranks" \
            tests/simulate.lua 65 "$name" >"$out" 2>&1
        code=$?
        [ $code -eq 0 ] && break
        said=$(texts "$rank" "$out")
        if [ "$code" -ne 1 ] || [ "$(printf '%s\n' "$said" | wc -l)" -gt 1 ] ||
            printf '%s' "$said" | grep -q 'ten minutes\|assert\|result'; then
            echo "status $code, $(tail -n 1 "$out"): $(printf '%s' "$said" | tr '\n' ';')"
        else
            echo good
        fi
        call=$((call + step))
    done
}

case ${1-} in
one | faulty)
    "$@"
    exit 0
    ;;
esac

# A result line: what file
result() {
    bad=$(grep -cv '^good$' "$2")
    if [ "$bad" -eq 0 ] && [ -s "$2" ]; then
        printf 'ok\t%s\t%s runs\n' "$1" "$(wc -l <"$2")"
    else
        printf 'FAIL\t%s\t%s of %s, %s\n' "$1" "$bad" "$(wc -l <"$2")" "$(grep -v '^good$' "$2" | head -n 1)"
        grep -v '^good$' "$2"
    fi
}

# Jobs, a line each, from standard input.
run_all() {
    tr '\n' '\0' | xargs -0 -P "$(nproc)" -I JOB sh -c "sh tests/torture/simulated.sh JOB"
}

seeds=$(awk -v t="$TORTURE" 'BEGIN { s = int(200 * t); print (s > 0 ? s : 1) }')
step=$(awk -v t="$TORTURE" 'BEGIN { s = int(1 / t); print (s > 100 ? 100 : s) }')
"$BUILD/lunarray" -e 'package.path = "tests/?.lua;" .. package.path
    local programs = require "programs"
    for _, list in ipairs { programs.list, programs.of_ranks } do
        for _, p in ipairs(list) do print(p[1]) end
    end' >"$SIM_SCRATCH/names"

seed=${SIM_SEED:-1}
last=$((seed + seeds))
while [ "$seed" -lt "$last" ]; do
    for ranks in 3 4 7; do
        [ "$seeds" -gt 1 ] || [ $ranks -eq 3 ] && sed "s/.*/one $seed $ranks '&'/" "$SIM_SCRATCH/names"
    done
    seed=$((seed + 1))
done | run_all >"$SIM_SCRATCH/bits"
result "programs on simulated ranks" "$SIM_SCRATCH/bits"

for what in kill lose; do
    for name in sort "loop of bins" "sums of columns" collectives messages regions file; do
        for rank in 0 1 2; do
            echo "faulty $what $rank 3 '$name' $step"
        done
    done | run_all >"$SIM_SCRATCH/$what"
done
result "a simulated rank killed at each call" "$SIM_SCRATCH/kill"
result "each call of a simulated rank lost" "$SIM_SCRATCH/lose"
