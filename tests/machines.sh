#!/bin/sh
# The C tests and the specs on simulated machines: between them every width of vectors, one, two and four threads, and small
# and large caches. What passes must be the same on all; ends with the line "N passed, N failed", where each line of
# tests/run.sh that differs from the first machine's fails.
# usage: sh tests/machines.sh [suite of tests/run.sh...]     core and spec by default
# MACHINES: words of "vectors/threads/KB of L2"; MACHINES_DIR: where each machine's output stays, in the build by default
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
machines=${MACHINES:-base/1/256 avx2/4/2048 avx512/2/256 base/4/2048}
directory=${MACHINES_DIR:-$BUILD/machines}
mkdir -p "$directory"
if [ $# -eq 0 ]; then set -- core spec; fi

# What tests/run.sh prints of a suite, without what differs by the machine: the number of compared elements.
results() { grep -E '^(ok|FAIL) ' "$1" | sort; }

passed=0
failed=0
first=
for machine in $machines; do
    vectors=${machine%%/*}
    threads=${machine#*/}
    threads=${threads%/*}
    l2=$((${machine##*/} * 1024))
    out=$directory/$(echo "$machine" | tr / -)
    case $vectors in
    base) ;;
    *)
        if ! grep -qwE "$vectors(f)?" /proc/cpuinfo; then
            echo "skipped: $machine: this processor has no $vectors"
            continue
        fi
        ;;
    esac
    env LUNARRAY_ISA="$vectors" LUNARRAY_THREADS="$threads" \
        HWLOC_SYNTHETIC="pack:1 l3:1(size=$((l2 * 8))) l2:$threads(size=$l2) l1d:1(size=32768) core:1 pu:1" \
        sh tests/run.sh "$@" >"$out.log" 2>&1 </dev/null
    results "$out.log" >"$out.results"
    echo "$machine: $(tail -n 1 "$out.log")"
    if grep -q '^FAIL' "$out.results"; then sed -n '/^      /p; /^FAIL/p' "$out.log"; fi
    first=${first:-$out.results}
    bad=$({ diff "$first" "$out.results"; grep '^FAIL' "$out.results"; } | sed 's/^[<>] //' | grep -E '^(ok|FAIL) ' | sort -u |
        tee "$out.differs" | wc -l)
    if [ "$first" != "$out.results" ] && [ -s "$out.differs" ]; then
        echo "differs from $(basename "$first" .results):"
        sed 's/^/      /' "$out.differs"
    fi
    failed=$((failed + bad))
    passed=$((passed + $(grep -c '^ok' "$out.results")))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
