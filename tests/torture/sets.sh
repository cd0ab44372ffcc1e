#!/bin/sh
# Specs that know nothing of places, with arrays on several: each gives what it gives on one. Left out are those that count
# kernels, bytes or memory, which are each place's own, and those that run a program of their own.
set -u
BUILD=${BUILD:-build}
out=${TORTURE_SCRATCH:-/tmp}/sets
mkdir -p "$out" || exit 1
specs="axes blocked broadcast call cfunctions columns csv dates each elements errors extras factor fold_arrays frame \
    generate group histogram indexing joining keeping_random luafn luafn_bytes luafn_errors luafn_operations luafn_places \
    luafn_random luafn_rounding making mandelbrot matmul npy npz operators order pad parts put quantile recalled \
    recordcalls records reductions runs select shapes short show stencil take teams texts tuples unroll weather"

# On a set, by name, without those that name what one place has there: set left-out specs...
on() {
    set_of=$1
    left_out=$2
    shift 2
    failed=
    ran=0
    for name in "$@"; do
        case " $left_out " in *" $name "*) continue ;; esac
        # A name may be in several rooms.
        for spec in tests/spec/*/"${name}_spec.lua"; do
            ran=$((ran + 1))
            if ! LUNARRAY_CHECK=1 LUNARRAY_BACKEND=$set_of "$BUILD/lunarray" tests/busted.lua "$spec" >"$out/spec" 2>&1 </dev/null; then
                failed="$failed $spec"
                cat "$out/spec"
            fi
        done
    done
    if [ -z "$failed" ]; then
        printf 'ok\tspecs on %s\t%s\n' "$set_of" "$ran"
    else
        printf 'FAIL\tspecs on %s\t%s\n' "$set_of" "$failed"
    fi
}

# What left-out specs count or name, which differs by place: launches (matmul), the text of a kernel (elements), memory in use
# (npz), bytes moved (stencil), the error of a limit on memory (generate). Values do not differ.
# shellcheck disable=SC2086 # words
on openmp/3 matmul $specs
# shellcheck disable=SC2086
on reference/3 'matmul elements' $specs
POCL_DEVICES="basic basic basic basic"
export POCL_DEVICES
if LUNARRAY_BACKEND='opencl:*' "$BUILD/lunarray" -e 'assert(select("#", lun.use()) == 4)' >"$out/spec" 2>&1; then
    # tuples stops a kernel without end: this driver runs kernels in the thread that would stop them. The last three take
    # half the time, which is the driver's compiler's.
    # shellcheck disable=SC2086
    on 'opencl:*' 'generate npz stencil tuples blocked extras factor' $specs
fi
