#!/bin/sh
# libFuzzer, a minute for each target at full size, starting from the corpus in tests/fuzz/corpus: texts of C functions,
# bytecode of Lua functions, sequences of calls of the C interface, files.  Coverage feedback: the branches of the whole
# engine; for files also the lines of the readers in Lua.  Skipped where clang has no libFuzzer.
set -u
BUILD=${BUILD:-build}
out=${TORTURE_SCRATCH:-/tmp}/fuzz
mkdir -p "$out"
seconds=$(awk -v f="${TORTURE:-0.01}" 'BEGIN { n = int(60 * f); print (n < 5 ? 5 : n > 3600 ? 3600 : n) }')
CLANG=${CLANG:-clang}

if ! echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' |
    $CLANG -fsanitize=fuzzer -x c - -o "$out/none" 2>/dev/null; then
    printf 'ok\tlibFuzzer\tleft out: clang has no libFuzzer\n'
    exit 0
fi
if ! env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL ${MAKE:-make} -j2 BUILD="$BUILD" CLANG="$CLANG" fuzzers >"$out/build" 2>&1; then
    printf 'FAIL\tlibFuzzer\tthe fuzzers do not build\n'
    tail -n 30 "$out/build" >&2
    exit 0
fi

# title program corpus options...
fuzz() {
    title=$1 program=$2 corpus=$3
    shift 3
    mkdir -p "$out/$corpus"
    if FUZZ_KIND=$corpus "$BUILD/clang-fuzz/fuzz/$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4000 \
        -detect_leaks=0 -artifact_prefix="$out/" "$@" "$out/$corpus" "tests/fuzz/corpus/$corpus" >"$out/log" 2>&1; then
        printf 'ok\t%s\t%s, %s branches, 0 reports\n' "$title" "$(sed -n 's/^Done \(.*\)/\1/p' "$out/log")" \
            "$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$out/log" | tail -n 1)"
    else
        printf 'FAIL\t%s\tsee below\n' "$title"
        grep -v '^#[0-9]' "$out/log" | tail -n 50 >&2
    fi
}

fuzz "libFuzzer: C functions" cfunction cfunction -max_len=4096
fuzz "libFuzzer: Lua bytecode" bytecode bytecode -max_len=2048
fuzz "libFuzzer: C interface" sequence sequence -max_len=512
fuzz "libFuzzer: CSV, in pieces and whole" csv csv -max_len=600
for kind in npy csv pnm png; do
    fuzz "libFuzzer: .$kind files" files $kind -max_len=1500
done
