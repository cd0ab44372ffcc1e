#!/bin/sh
# All 2^32 results of each f32 function of one argument, compared with tests/bits/f32.txt, by the highest level of instructions that
# this machine has; then COUNT arguments of each in f64 (2^31), against the scalar reading of the same text.
# usage: sh tests/bits/functions.sh      NAMES: these alone; LEVEL: one of base, avx2, avx512; COUNT: 0 for none; WRITE=1 writes tests/bits/f32.txt
set -eu
cd "$(dirname "$0")/../.."
program=${BUILD:-build}/bits/functions
want=tests/bits/f32.txt
level=${LEVEL:-}
count=${COUNT:-2147483648}
failed=0
for each in base avx2 avx512; do
    if [ -z "${LEVEL:-}" ] && "$program" $each names >/dev/null; then level=$each; fi
done
if [ -n "${WRITE:-}" ]; then : >$want; fi
for name in ${NAMES:-$("$program" "$level" names)}; do
    began=$(date +%s)
    got=$("$program" "$level" f32 "$name") || { echo "FAIL  bits: $name: $level"; failed=1; continue; }
    if [ -n "${WRITE:-}" ]; then echo "$got" >>$want; fi
    if ! grep -q "^$name " $want; then
        echo "bits: $name of f32: $level: all arguments in $(($(date +%s) - began)) s: $want has no digest of it: $got"
    elif grep -qx "$got" $want; then
        echo "bits: $name of f32: $level: all arguments in $(($(date +%s) - began)) s: as in $want"
    else
        echo "FAIL  bits: $name of f32: $level: $got is not in $want"
        failed=1
    fi
    if [ "$count" -gt 0 ] && ! "$program" "$level" f64 "$name" "$count"; then
        echo "FAIL  bits: $name of f64: $level"
        failed=1
    fi
done
exit $failed
