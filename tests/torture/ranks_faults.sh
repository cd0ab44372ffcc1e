#!/bin/sh
# ABC's programs on three ranks, and a script that two ranks serve, while one rank loses a message, dies, ends or does
# something else: at every call of the transport and every step, or 300 calls where there are more; `make test-all` takes a few.
set -u
BUILD=${BUILD:-build}
out=${TORTURE_SCRATCH:-/tmp}/ranks_faults
for name in ranks_faults serve_faults; do
    if RANKS_FAULTS=all "$BUILD/tests/${name}_test" >"$out" 2>&1 </dev/null; then
        printf 'ok\t%s at every call\t%s\n' "$name" "$(grep -ac '^\[       OK' "$out") kinds"
    else
        printf 'FAIL\t%s at every call\t%s\n' "$name" "$(grep -a 'fault\|FAILED' "$out" | head -n 1)"
        cat "$out"
    fi
done
