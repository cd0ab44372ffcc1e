#!/bin/sh
# libFuzzer on texts of C functions, which are taken apart before any compiler sees them: a minute at full size,
# beginning with tests/fuzz/corpus. Left out where clang has no libFuzzer.
set -u
out=${TORTURE_SCRATCH:-/tmp}/fuzz
mkdir -p "$out/corpus"
seconds=$(awk -v f="${TORTURE:-0.01}" 'BEGIN { n = int(60 * f); print n < 5 ? 5 : n }')
name="random texts of C functions"
set -- prims/cfunc.c prims/cnames.c prims/csignature.c prims/csource.c prims/ctoken.c prims/cunit.c prims/strbuf.c \
    prims/dtype.c
if ! clang -g -O1 -std=gnu11 -fwrapv -fsanitize=fuzzer,address,undefined -Iprims -o "$out/run" \
    tests/fuzz/cfunction_fuzz.c "$@" -lm >"$out/build" 2>&1; then
    if echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' |
        clang -fsanitize=fuzzer -x c - -o "$out/none" 2>/dev/null; then
        printf 'FAIL\t%s\tdoes not build\n' "$name"
        cat "$out/build" >&2
    else
        printf 'ok\t%s\tleft out: clang has no libFuzzer\n' "$name"
    fi
    exit 0
fi
if "$out/run" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2000 -max_len=4096 -artifact_prefix="$out/" "$out/corpus" \
    tests/fuzz/corpus/cfunction >"$out/log" 2>&1; then
    printf 'ok\t%s\t%s, 0 reports\n' "$name" "$(sed -n 's/^Done \(.*\)/\1/p' "$out/log")"
else
    printf 'FAIL\t%s\tsee below\n' "$name"
    tail -n 50 "$out/log" >&2
fi
