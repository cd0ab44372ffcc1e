#!/bin/sh
# Every operation, cast, reduction, scan and random number on special and random elements (table.lua): the same bits, NaN
# included, by the reference, interpreted, compiled, on three places, by 1, 2 and 7 threads, on two ranks and, with WHOLE, on an
# OpenCL device and with 20,000 random elements.  A difference names the case, the byte and both values.
# usage: sh tests/bits/table.sh
set -eu
cd "$(dirname "$0")/../.."
program=${BUILD:-build}/lunarray
whole=${WHOLE:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LUNARRAY_CACHE_DIR="$scratch/cache"
unset WHOLE LUNARRAY_CHECK LUNARRAY_BITS LUNARRAY_BACKEND LUNARRAY_JIT
failed=0

# The table, or the bytes of a case, by the reference: elements [case]
reference() { env LUNARRAY_BACKEND=reference "$program" tests/bits/table.lua "$@"; }

# Compares with what the reference gives for so many elements, which is in $scratch/want: elements command...
compare() {
    elements=$1
    shift
    if ! "$@" tests/bits/table.lua "$elements" >"$scratch/got" 2>"$scratch/errors"; then
        tail -n 5 "$scratch/errors"
        echo "FAIL  bits of the table: $*"
        failed=1
        return
    fi
    if cmp -s "$scratch/want" "$scratch/got"; then
        echo "bits of the table: $(wc -l <"$scratch/got") cases: $*"
        return
    fi
    failed=1
    diff "$scratch/want" "$scratch/got" | grep -c '^>' | sed 's/$/ cases differ/'
    name=$(diff "$scratch/want" "$scratch/got" | sed -n 's/^> \(.*\) [0-9a-f]*$/\1/p' | head -n 1)
    reference "$elements" "$name" >"$scratch/one"
    "$@" tests/bits/table.lua "$elements" "$name" >"$scratch/two"
    echo "FAIL  bits of the table: $*: $name, byte and both values: $(cmp -l "$scratch/one" "$scratch/two" | head -n 1)"
}

count=300
if [ "$whole" ]; then count=20000; fi
reference $count >"$scratch/want"
compare $count env LUNARRAY_BACKEND=openmp LUNARRAY_JIT=off "$program"
if [ "$whole" ]; then
    compare $count env LUNARRAY_BACKEND=openmp LUNARRAY_JIT=sync "$program"
    if LUNARRAY_BACKEND=opencl "$program" -e '' >/dev/null 2>&1 </dev/null; then
        compare $count env LUNARRAY_BACKEND=opencl "$program"
    else
        echo "bits of the table: opencl: not run: no device"
    fi
fi
count=$((count / 10))
reference $count >"$scratch/want"
compare $count env LUNARRAY_BACKEND=openmp/3 LUNARRAY_JIT=off "$program"
compare $count env LUNARRAY_JIT=off "$program" --ranks 2 --backend mpi
for threads in 1 2 7; do
    compare $count env LUNARRAY_BACKEND=openmp LUNARRAY_JIT=off LUNARRAY_THREADS=$threads "$program"
done
exit $failed
