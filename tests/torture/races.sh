#!/bin/sh
# Team kernels on Oclgrind (tests/oclgrind.sh), which reports races between work-items: none in some without any, nor in
# random ones, whose results are those of plain Lua; and each of some planted ones, which check=true has to find too.
# Skipped where it is not installed.
set -u
cd "$(dirname "$0")/../.." || exit 1
scratch=${TORTURE_SCRATCH:-/tmp}/races
mkdir -p "$scratch" || exit 1

timeout -k 5 60 sh tests/oclgrind.sh tests/torture/clean_teams.lua >"$scratch/clean" 2>&1
status=$?
if grep -q 'not installed' "$scratch/clean"; then
    printf 'ok\traces of team kernels\tskipped: oclgrind is not installed\n'
    exit 0
fi
if [ "$status" -eq 0 ]; then
    printf 'ok\tteam kernels without races\t0 reports\n'
else
    cat "$scratch/clean"
    printf 'FAIL\tteam kernels without races\tstatus %s, see the reports\n' "$status"
fi

# Teams are work-groups there, as on graphics processors.
n=$(awk -v f="${TORTURE:-0.01}" 'BEGIN { n = int(3000 * f); print (n < 25 ? 25 : n) }')
seed=${TORTURE_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
LUNARRAY_DIFF_ON=opencl LUNARRAY_DIFF_TEAMS=$n LUNARRAY_DIFF_SEED=$seed LUNARRAY_DIFF_COUNTS=$scratch/counts LUNARRAY_OPENCL_GROUPS=1 \
    timeout -k 5 $((n + 60)) sh tests/oclgrind.sh tests/diff/teams_spec.lua >"$scratch/random" 2>&1
status=$?
if [ "$status" -eq 0 ]; then
    printf 'ok\trandom team kernels without races\t%s from seed %s: 0 reports, 0 differences\n' "$n" "$seed"
else
    cat "$scratch/random"
    printf 'FAIL\trandom team kernels without races\tstatus %s, seed %s, see the reports\n' "$status" "$seed"
fi

# On a device that runs kernels before the host goes on, whether it can stop them is found out, in a few seconds.
LUNARRAY_OPENCL_STOP=probe timeout -k 5 60 sh tests/oclgrind.sh tests/torture/clean_teams.lua >"$scratch/deaf" 2>&1
if grep -q '^tests/torture/clean_teams.lua: status 0,' "$scratch/deaf" && grep -q 'Kernel: lun_listen' "$scratch/deaf"; then
    printf 'ok\ta device that runs kernels at once\tis found deaf\n'
else
    cat "$scratch/deaf"
    printf 'FAIL\ta device that runs kernels at once\tdoes not get beyond the question whether it listens\n'
fi

# It fails, with reports; the spec itself passes, and each name is followed by a report.
timeout -k 5 60 sh tests/oclgrind.sh tests/torture/planted_races.lua >"$scratch/planted" 2>&1
awk '/^tests\/torture\/planted_races.lua: status 0,/ { passed = 1 }
    /^planted: / { if (count && !found) missing = missing "; " name; name = substr($0, 10); count++; found = 0 }
    /data race at/ { found = 1 }
    /^planted: no more/ { complete = 1 }
    END {
        if (passed && complete && missing == "")
            printf "ok\tplanted races are found\tall %d, and by check=true\n", count - 1
        else
            printf "FAIL\tplanted races are found\t%s\n", missing == "" ? "the spec fails" : "not" missing
        exit !(passed && complete && missing == "")
    }' "$scratch/planted" || cat "$scratch/planted"
