#!/bin/sh
# What knows nothing of ranks, with its arrays on several (--backend mpi): each spec passes as on one machine, and each
# example prints the same bytes. The ranks are threads; the transports are in mpi.sh and namespaces.sh.
set -u
BUILD=${BUILD:-build}
out=${TORTURE_SCRATCH:-/tmp}/ranks
mkdir -p "$out" || exit 1

# A result line: what failed-ones figure
result() {
    if [ -z "$2" ]; then
        printf 'ok\t%s\t%s\n' "$1" "$3"
    else
        printf 'FAIL\t%s\t%s\n' "$1" "$2"
    fi
}

# Left out are those that start ranks or suites of their own, those of options that ranks have none of (plan, session), and
# examples, which are below. Tests with #place in their names say what one place has: launches, bytes moved or in memory,
# chains, names.
left_out=" blocked blocked_choice blocked_handed blocked_lines docs examples plan run served session sharedcost sharedloop sharedread \
    simulated spmd spmd_arrays spmdmisuse steps "
failed=
ran=0
for spec in tests/spec/*/*_spec.lua tests/diff/*_spec.lua; do
    name=$(basename "$spec" _spec.lua)
    case $left_out in *" $name "*) continue ;; esac
    ran=$((ran + 1))
    if ! timeout -k 10 900 "$BUILD/lunarray" --ranks 3 --backend mpi tests/busted.lua --exclude-tags=place "$spec" \
        >"$out/spec" 2>&1 </dev/null; then
        failed="$failed $name"
        cat "$out/spec"
    fi
done
result "specs on 3 ranks" "$failed" "$ran"

# The command that an example's head tells; on one machine, if it has ranks of its own.
command_of() {
    told=$(sed -n 's/^-- *build\/lunarray \(.*examples\/.*\)$/\1/p' "$1" | head -n 1 | sed "s|^--ranks [0-9]* ||; s|/tmp/|$out/|g")
    echo "${told:-$1}"
}

# Runs an example: options command
example() {
    # shellcheck disable=SC2086 # words
    timeout -k 10 300 "$BUILD/lunarray" $1 $2 2>"$out/err" </dev/null
    echo "status $?"
}

failed=
ran=0
for path in examples/*.lua examples/skelcl/*.lua; do
    command=$(command_of "$path")
    example "" "$command" >"$out/want"
    for ranks in 1 2 3 4 7; do
        ran=$((ran + 1))
        example "--ranks $ranks --backend mpi" "$command" >"$out/got"
        if ! cmp -s "$out/want" "$out/got"; then
            failed="$failed $path/$ranks"
            diff "$out/want" "$out/got"
            cat "$out/err"
        fi
    done
done
result "examples on 1, 2, 3, 4, 7 ranks" "$failed" "$ran runs"
