#!/bin/sh
# The digest of the bits: 100,000 generated programs by each level of instructions that this machine has, compared with
# tests/bits/v1.txt.  A difference is looked for: program, operation, element and both values.  Ends with the 64 digits of all.
# usage: sh tests/bits/bits.sh       DIGEST: the program; RUN: what runs it, such as an emulator; LEVELS; LINES: how many of the
#        100 lines; FROM: the first of them; WRITE=1 makes tests/bits/v1.txt
set -eu
cd "$(dirname "$0")/../.."
digest=${DIGEST:-${BUILD:-build}/bits/digest}
run=${RUN:-}
want=tests/bits/v1.txt
from=${FROM:-0}
lines=${LINES:-$((100 - from))}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0 ran=0

for level in ${LEVELS:-base avx2 avx512}; do
    began=$(date +%s)
    status=0
    # shellcheck disable=SC2086 # RUN may be several words
    $run "$digest" "$level" "$from" "$lines" >"$scratch/got" || status=$?
    if [ "$status" -eq 3 ]; then
        echo "bits: $level: not run: this machine does not have it"
        continue
    fi
    if [ "$status" -ne 0 ]; then
        echo "FAIL  bits: $level: exit status $status"
        failed=1
        continue
    fi
    if [ -n "${WRITE:-}" ]; then cp "$scratch/got" $want; fi
    # Of a part the classes and the whole are left out.
    if [ "$lines" -eq 100 ]; then cp $want "$scratch/want"; else
        awk -v from="$from" -v lines="$lines" '$1 ~ /^[0-9]+$/ && $1 >= from && $1 < from + lines' $want >"$scratch/want"
    fi
    ran=$((ran + 1))
    if cmp -s "$scratch/got" "$scratch/want"; then
        echo "bits: $level: $((lines * 1000)) programs in $(($(date +%s) - began)) s: as in $want"
        continue
    fi
    failed=1
    line=$(diff "$scratch/want" "$scratch/got" | awk '$1 == ">" && $2 ~ /^[0-9]+$/ { print $2; exit }')
    echo "FAIL  bits: $level: line ${line:-of a class} is not that of $want"
    # shellcheck disable=SC2086
    if [ -n "$line" ]; then $run "$digest" "$level" find "$line" || :; fi
done
if [ "$ran" -eq 0 ] || [ "$failed" -ne 0 ]; then exit 1; fi
if [ "$lines" -eq 100 ]; then awk '$1 == "all" { print $2 }' $want; fi
