#!/bin/sh
# The programs of the digest by an engine, compared with the loops' results: interpreted by both backends of the host, by 1, 2
# and 7 threads, on three places; with WHOLE more of them, also compiled, 100 programs at a time, 2,000 in all, and on an OpenCL device.
# usage: sh tests/bits/engine.sh
set -eu
cd "$(dirname "$0")/../.."
program=${BUILD:-build}/bits/by_engine
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
unset LUNARRAY_BITS LUNARRAY_CHECK

# first count together variables...
compare() {
    from=$1 count=$2 together=$3
    shift 3
    if ! env LUNARRAY_CACHE_DIR="$scratch/cache" "$@" "$program" "$from" "$count" "$together" >"$scratch/out" 2>&1; then
        tail -n 8 "$scratch/out"
        echo "FAIL  bits by an engine: $*"
        failed=1
    fi
}

many=2500
if [ "${WHOLE:-}" ]; then many=10000; fi
compare 0 $many 1 LUNARRAY_BACKEND=reference
compare 10000 $many 1 LUNARRAY_BACKEND=openmp LUNARRAY_JIT=off
compare 20000 100 20 LUNARRAY_BACKEND=openmp LUNARRAY_JIT=sync
for threads in 1 2 7; do
    compare 30000 500 100 LUNARRAY_BACKEND=openmp LUNARRAY_JIT=off LUNARRAY_THREADS=$threads
done
compare 31000 500 1 LUNARRAY_BACKEND=openmp/3 LUNARRAY_JIT=off
if [ "${WHOLE:-}" ]; then
    compare 40000 2000 100 LUNARRAY_BACKEND=openmp LUNARRAY_JIT=sync
    if LUNARRAY_BACKEND=opencl "${BUILD:-build}/lunarray" -e '' >/dev/null 2>&1 </dev/null; then
        compare 50000 100 20 LUNARRAY_BACKEND=opencl
    else
        echo "bits: opencl: not run: no device"
    fi
fi
exit $failed
