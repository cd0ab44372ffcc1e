#!/bin/sh
# Runs the suites and ends with the line "N passed, N failed"; fails if anything failed or could not
# run. A suite that passes takes one line; one that fails shows all it has to say.
# usage: sh tests/run.sh [build] [syntax] [lint] [bits] [core] [spec] [torture] [more] [arm64] [races]     the first seven by default
#   more: what tests/more.txt leaves out of core and spec; arm64: another processor, with a cross compiler that it downloads
#   (arm64.sh); races: what make tsan adds.  WHOLE=1: core and spec leave nothing out.
# Specs see TEST_WHOLE where they shall take all sizes and rounds: in `more`, those that tests/more.txt names so, and with WHOLE.
# UNTIL: the time, in seconds since 1970, from which `more` and arm64 begin nothing any more and say what they leave out.
# BUILD names the tree to test (make asan and make tsan set it); MAKE the make to build it with.
# TEST_TIMEOUT bounds each test program, in seconds. Warnings are errors, unless WERROR is set to nothing.
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
MAKE=${MAKE:-make}
suites=${*:-build syntax lint bits core spec torture}
whole=${WHOLE:-}
until=${UNTIL:-}
limit=${TEST_TIMEOUT:-900}
werror=${WERROR--Werror}

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
out=$scratch/out

# Nothing of the user's own may change what a test sees.
LUNARRAY_CACHE_DIR=$scratch/cache
export LUNARRAY_CACHE_DIR BUILD
unset WHOLE TEST_WHOLE UNTIL LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_PATH_5_4 LUA_CPATH LUA_CPATH_5_4
if [ "$whole" ]; then export TEST_WHOLE=1; fi

passed=0
failed=0
options=
settings=

# Adds one suite's counts and shows it: title passed failed. What it printed is in $out.
account() {
    passed=$((passed + $2))
    failed=$((failed + $3))
    if [ "$3" -eq 0 ]; then
        printf 'ok    %s (%d)\n' "$1" "$2"
    else
        sed 's/^/      /' "$out"
        printf 'FAIL  %s (%d passed, %d failed)\n' "$1" "$2" "$3"
    fi
}

finish() {
    echo "$passed passed, $failed failed"
    if [ "$failed" -gt 0 ] || [ "$passed" -eq 0 ]; then exit 1; fi
    exit 0
}

# A command that counts as one test: title command...
one() {
    title=$1
    shift
    if timeout "$limit" "$@" >"$out" 2>&1 </dev/null; then
        account "$title" 1 0
    else
        account "$title" 0 1
        return 1
    fi
}

# cmocka's counts in $out, over all the groups of the program: "passed failed".
core_counts() {
    awk '/^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
         /^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
         END { print passed + 0, failed + 0 }' "$out"
}

# busted's counts in $out, "passed failed pending", from its last line "3 successes / 0 failures / 0 errors / 1 pending".
spec_counts() {
    awk '/^[0-9]+ success(es)? \/ [0-9]+ failures? \/ [0-9]+ errors? \/ [0-9]+ pending :/ {
             passed = $1; failed = $4 + $7; pending = $10 }
         END { print passed + 0, failed + 0, (pending > 0 ? pending : "") }' "$out"
}

# A command that reports counts itself. A failing status that its counts do not explain, or no
# counts at all, is one more failure: title status passed failed [pending]
counted() {
    bad=$4
    if [ "$2" -eq 0 ] && [ "$3" -eq 0 ] && [ "$bad" -eq 0 ] && grep -aq '^\(skipped\|left out\): ' "$out"; then
        printf 'ok    %s: %s\n' "$1" "$(grep -am 1 '^\(skipped\|left out\): ' "$out")"
        return
    fi
    if [ "$bad" -eq 0 ] && { [ "$2" -ne 0 ] || [ "$3" -eq 0 ]; }; then
        bad=1
        echo "ended with status $2 after $3 passed tests" >>"$out"
    fi
    account "$1${5:+, $5 pending}" "$3" "$bad"
    if [ "$bad" -eq 0 ]; then grep -a '^left out: ' "$out" | sort -u | sed 's/^/      /'; fi
}

# Calls "$1 ITEM" for each further argument, if there are such files, in processes of their own, two at a time, and "$2 ITEM" here for each in
# their order. $1 leaves the file "$(left_by ITEM).status" at its end.
two_at_a_time() {
    begin=$1 account_for=$2
    shift 2
    if [ $# -eq 0 ] || [ ! -e "$1" ]; then return; fi
    mkfifo "$scratch/turns"
    exec 9<>"$scratch/turns" # one line for each that may start
    printf '\n\n' >&9
    for item in "$@"; do
        read -r _ <&9
        { $begin "$item"; echo >&9; } &
        while [ $# -gt 0 ] && [ -e "$(left_by "$1").status" ]; do
            $account_for "$1"
            shift
        done
    done
    wait
    exec 9>&-
    rm "$scratch/turns"
    for item in "$@"; do $account_for "$item"; done
}

# Where a test's output (.out) and status (.status) are; rooms may have specs of the same name: file
left_by() {
    item_name=${1##*/}
    item_room=${1%/*}
    echo "$scratch/${item_room##*/}.${item_name%.*}"
}

# The status appears at once or not at all: where status
leave() { echo "$2" >"$1.new" && mv "$1.new" "$1.status"; }

# Takes what a test left behind to $out, and sets status: file
collect() {
    mv "$(left_by "$1").out" "$out"
    status=$(cat "$(left_by "$1").status")
    rm "$(left_by "$1").status"
}

one_core() {
    name=$(left_by "$1")
    program=${1##*/}
    status=0
    too_late "$name.out" || timeout "$limit" "$BUILD/tests/${program%.c}" >"$name.out" 2>&1 </dev/null || status=$?
    leave "$name" "$status"
}

count_core() {
    collect "$1"
    # shellcheck disable=SC2046 # words
    counted "$1" "$status" $(core_counts)
}

# Whether tests/more.txt has a line that begins with these words.
left_to_more() { grep -qs "^$1 $2\( \|\$\)" tests/more.txt; }

# The files given without those that `make test` leaves out: kind, ending of names, files.
chosen() {
    kind=$1 ending=$2
    shift 2
    for file in "$@"; do
        name=${file##*/}
        if [ "$whole" ] || ! left_to_more "$kind" "${name%"$ending"}"; then echo "$file"; fi
    done
}

# Names of a kind in tests/more.txt.
in_more() { sed -n "s/^$1 \([^ ]*\).*/\1/p" tests/more.txt; }

# The files of tests/ that patterns stand for, a line each; a pattern that no file fits as it is.
found() { while read -r pattern; do ls tests/$pattern 2>/dev/null || echo "tests/$pattern"; done; }

# A spec's file: name
named() { echo "spec/*/$1_spec.lua" | found; }

# Whether it is too late to begin; $1, where the test's output is expected, then says so.
too_late() {
    if [ -z "$until" ] || [ "$(date +%s)" -lt "$until" ]; then return 1; fi
    echo "left out: no time is left" >"$1"
}

# shellcheck disable=SC2046 # names without spaces
run_core() { two_at_a_time one_core count_core $(chosen core _test.c tests/core/*/*_test.c); }

# Runs one spec file, with options of the program in $options and settings in $settings: spec jit
one_spec() {
    name=$(left_by "$1")
    status=0
    # shellcheck disable=SC2086 # words
    too_late "$name.out" || env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL LUNARRAY_JIT="$2" LUNARRAY_DIFF_COUNTS="$scratch/compared" $settings \
        timeout "$limit" "$BUILD/lunarray" $options tests/busted.lua "$1" >"$name.out" 2>&1 </dev/null ||
        status=$?
    leave "$name" "$status"
}

# Counts what one_spec left behind: spec [words for its title]
count_spec() {
    collect "$1"
    # A kernel of the engine's own that the compiler refuses is a fault, though its results are right.
    if grep -aq 'kernels stay interpreted: .*error' "$out"; then status=1; fi
    # shellcheck disable=SC2046 # words
    counted "$1${2:-}" "$status" $(spec_counts)
}

# Without the drivers of OpenCL if tests/more.txt names it so, and that is what `make test` does.
plain_spec() {
    file=${1##*/}
    if [ ! "$whole" ] && [ ! "${TEST_WHOLE:-}" ] && left_to_more host "${file%_spec.lua}"; then
        settings="OCL_ICD_VENDORS=$scratch/none/" one_spec "$1" "${LUNARRAY_JIT:-auto}"
    else
        one_spec "$1" "${LUNARRAY_JIT:-auto}"
    fi
}

# One that takes less in `make test` than it can.
whole_spec() { TEST_WHOLE=1 plain_spec "$1"; }
count_whole() { count_spec "$1" ", whole"; }

# The difference tests are about compiled kernels: they wait for the compiler.
diff_spec() { one_spec "$1" sync; }

run_spec() {
    # shellcheck disable=SC2046 # names without spaces
    two_at_a_time plain_spec count_spec $(chosen spec _spec.lua tests/spec/*/*_spec.lua)
    run_device chosen_on
    run_sets chosen_on
    # shellcheck disable=SC2046
    two_at_a_time diff_spec count_spec $(chosen diff _spec.lua tests/diff/*_spec.lua)
    touch "$scratch/compared"
    awk '{ elements += $1; combinations += $2 }
         END { printf "      compared: %d elements, %d combinations of operation, dtype and backend\n",
                      elements, combinations }' "$scratch/compared"
}

# What run_spec and run_core leave out.
run_more() {
    # shellcheck disable=SC2046 # names without spaces
    two_at_a_time one_core count_core $(in_more core | sed 's,.*,core/*/&_test.c,' | found)
    # shellcheck disable=SC2046
    two_at_a_time plain_spec count_spec $(in_more spec | sed 's,.*,spec/*/&_spec.lua,' | found)
    # shellcheck disable=SC2046
    two_at_a_time whole_spec count_whole $({ in_more whole; in_more host; } | sort -u | sed 's,.*,spec/*/&_spec.lua,' | found)
    # shellcheck disable=SC2046
    two_at_a_time diff_spec count_spec $(in_more diff | sed 's,.*,diff/&_spec.lua,' | found)
    run_device left_on
    run_sets left_on
    run_torture left_on
}

# Those of the names that are run once more on that, in run_spec, in run_more: device, set or suite, names
chosen_on() {
    on=$1
    shift
    for name in "$@"; do
        if [ "$whole" ] || ! left_to_more "on $on" "$name"; then echo "$name"; fi
    done
}
left_on() {
    on=$1
    shift
    for name in "$@"; do
        if left_to_more "on $on" "$name"; then echo "$name"; fi
    done
}

# What scripts do with arrays and skeletons is the same on a device: which of them, chosen_on or left_on.
# shellcheck disable=SC2046 # words
run_device() {
    if ! LUNARRAY_BACKEND=opencl "$BUILD/lunarray" -e '' >"$out" 2>&1 </dev/null; then
        echo "      no OpenCL device: nothing run on opencl"
        return
    fi
    # Left out: what says which backend or how much host memory is used, files and the program itself.
    on_device opencl " on opencl" $("$1" opencl skeletons skelcl cfunctions operators reductions indexing making lazy luafn luafn_errors \
        luafn_random luafn_stop mandelbrot picture profile show npy csv weather)
    # Once more with kernels as graphics processors get them.
    settings="LUNARRAY_OPENCL_FORM=scalar"
    on_device opencl " on opencl, single elements" $("$1" opencl/single skeletons)
    settings="$settings LUNARRAY_DIFF_BACKENDS=reference LUNARRAY_DIFF_DEVICE=2 LUNARRAY_DIFF_GRAPHS=96"
    on_device openmp " on opencl, single elements" $("$1" opencl/single graphs)
    settings=
}

# What scripts do with arrays is the same on several places and ranks: some quick specs here, the others in
# tests/torture/sets.sh and ranks.sh.
# shellcheck disable=SC2046 # words
run_sets() {
    on_device openmp/3 " on openmp/3" $("$1" openmp/3 operators indexing making reductions elements axes parts joining)
    options="--ranks 3"
    on_device mpi " on 3 ranks" $("$1" ranks operators indexing making reductions elements broadcast luafn_errors)
    options=
}

# The specs that there are, with arrays on a device: the backend to begin with, words for their titles, names
on_device() {
    device=$1 title=$2
    shift 2
    files=
    for name in "$@"; do
        file=$({ named "$name"; echo "diff/${name}_spec.lua" | found; } | while read -r path; do [ ! -e "$path" ] || echo "$path"; done)
        files="$files $file"
    done
    # shellcheck disable=SC2086 # words
    two_at_a_time begin_on_device count_on_device $files
}
begin_on_device() {
    # PoCL loses memory where a program does not compile; what would be lost here, the other specs see
    case $1 in *cfunctions* | *skeletons*) leaks=0 ;; *) leaks=1 ;; esac
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=$leaks LUNARRAY_BACKEND=$device one_spec "$1" sync
}
count_on_device() { count_spec "$1" "$title"; }

# Parts of the torture suite at a small size, chosen_on or left_on: counts and shows its results.
run_torture() {
    if [ ! -e tests/torture/run.sh ]; then return; fi
    # shellcheck disable=SC2046 # words
    set -- $("$1" torture cache disk bounds compilers edges interface fewer words capi bytecode programs forks threads hosts cancel prompt \
        device files)
    if [ $# -eq 0 ]; then return; fi
    status=0
    too_late "$out" || TORTURE=0.001 timeout "$limit" sh tests/torture/run.sh "$@" >"$out" 2>&1 </dev/null || status=$?
    # shellcheck disable=SC2046 # words
    counted "tests/torture" "$status" $(awk '/^[0-9]+ passed, [0-9]+ failed$/ { passed = $1; failed = $3 }
        END { print passed + 0, failed + 0 }' "$out")
}

# The digest of the bits, three of its hundred lines unless the whole is asked for.
run_bits() {
    if [ ! -e tests/bits/bits.sh ]; then return; fi
    lines=3
    if [ "$whole" ]; then lines=100; fi
    one "tests/bits/bits.sh" env LINES=$lines sh tests/bits/bits.sh
    one "tests/bits/engine.sh" env WHOLE="$whole" sh tests/bits/engine.sh
    one "tests/bits/table.sh" env WHOLE="$whole" sh tests/bits/table.sh
    if [ "$whole" ]; then one "tests/bits/arm64.sh" env MAKE="$MAKE" sh tests/bits/arm64.sh; fi
}

# Another processor, emulated.
run_arm64() {
    status=0
    too_late "$out" || timeout "$limit" sh tests/arm64.sh >"$out" 2>&1 </dev/null || status=$?
    # shellcheck disable=SC2046 # words
    counted "tests/arm64.sh" "$status" $(awk '/^[0-9]+ passed, [0-9]+ failed$/ { passed = $1; failed = $3 }
        END { print passed + 0, failed + 0 }' "$out")
}

# A planted data race must be reported, or real ones would not be: which one
planted() {
    status=0
    TSAN_OPTIONS=${TSAN_OPTIONS:-}:log_path=stderr RACE=$1 timeout "$limit" "$BUILD/torture/threads" >"$out" 2>&1 || status=$?
    if [ "$status" -ne 0 ] && grep -q "WARNING: ThreadSanitizer: data race" "$out"; then
        account "a planted race is reported: $1" 1 0
    else
        account "a planted race is reported: $1" 0 1
    fi
}

# Under ThreadSanitizer: threads with engines of their own, a thousand kernels each; planted races; and no process of any
# test has left a report where TSAN_OPTIONS has them written.
run_races() {
    one "tests/torture/threads.c" env TORTURE=1 "$BUILD/torture/threads"
    one "tests/torture/hosts.c" env TORTURE=0.02 "$BUILD/torture/hosts"
    planted openmp
    planted reference
    touch "$BUILD/reports/none" || return 1 # make tsan makes the directory
    find "$BUILD/reports" -type f -exec grep -l "WARNING: ThreadSanitizer" {} + >"$scratch/reports"
    xargs -r cat <"$scratch/reports" >"$out"
    account "no race in any process" $(($(wc -l <"$scratch/reports") == 0)) "$(wc -l <"$scratch/reports")"
}

for suite in $suites; do
    case $suite in
    # MAKE is a command with its options.
    build) one "build" $MAKE --no-print-directory BUILD="$BUILD" WERROR="$werror" all core-tests torture-build bits-build || finish ;;
    syntax) one "syntax (clang)" $MAKE -k --no-print-directory BUILD="$BUILD" WERROR="$werror" syntax ;;
    lint)
        for script in tests/lint/*.sh; do one "$script" sh "$script"; done
        ;;
    bits) run_bits ;;
    core) run_core ;;
    spec) run_spec ;;
    torture) run_torture chosen_on ;;
    more) run_more ;;
    arm64) run_arm64 ;;
    races) run_races || account "$suite" 0 1 ;;
    *)
        echo "tests/run.sh: no suite '$suite'" >"$out"
        account "$suite" 0 1
        ;;
    esac
done
finish
