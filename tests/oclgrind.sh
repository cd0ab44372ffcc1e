#!/bin/sh
# Runs the specs of backend opencl on Oclgrind, a simulated device that reports reads and writes out of
# bounds, data races and uninitialised values. Expects no report. Kernels are in the form for GPUs: Oclgrind
# does not know all instructions on vectors.
# usage: sh tests/oclgrind.sh [spec ...]     those of the backend and of skeletons by default
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
driver=
for file in /usr/lib/oclgrind/liboclgrind-rt-icd.so /usr/lib/*/oclgrind/liboclgrind-rt-icd.so \
    /usr/local/lib/oclgrind/liboclgrind-rt-icd.so /usr/local/lib/liboclgrind-rt-icd.so; do
    if [ -e "$file" ]; then driver=$file; break; fi
done
if [ -z "$driver" ]; then
    echo "oclgrind: not installed (Debian: apt-get install oclgrind)" >&2
    exit 1
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
mkdir "$scratch/vendors"
echo "$driver" >"$scratch/vendors/oclgrind.icd"

# It is the only driver; what the specs' own programs run is watched too.
OCL_ICD_VENDORS=$scratch/vendors
OCLGRIND_DATA_RACES=1
OCLGRIND_UNINITIALIZED=1
OCLGRIND_NUM_THREADS=1
# Each array in a buffer of its own: one that is used again looks initialised. It may look uninitialised, too: what
# Oclgrind 21.10 knows of a buffer never gets larger than the host's last write to it, or than a freed buffer
# whose number it has.
LUNARRAY_OPENCL_POOL=off
# It runs a kernel to its end before the host goes on, so nothing can stop one; a word that it asked for would be reported.
LUNARRAY_OPENCL_STOP=${LUNARRAY_OPENCL_STOP:-off}
OCLGRIND_BUILD_OPTIONS=-cl-opt-disable # its interpreter does not know all that the optimiser writes
LUNARRAY_CACHE_DIR=$scratch/cache
export LUNARRAY_OPENCL_POOL LUNARRAY_OPENCL_STOP OCL_ICD_VENDORS OCLGRIND_DATA_RACES OCLGRIND_UNINITIALIZED OCLGRIND_NUM_THREADS OCLGRIND_BUILD_OPTIONS LUNARRAY_CACHE_DIR BUILD
unset OCLGRIND_QUICK
if [ $# -eq 0 ]; then
    set -- tests/spec/*/opencl_spec.lua tests/spec/*/skeletons_spec.lua tests/spec/*/skelcl_spec.lua tests/spec/*/cfunctions_spec.lua
fi

bad=0
for spec in "$@"; do
    log=$scratch/log
    backend=opencl
    case $spec in */opencl_spec.lua) backend= ;; esac # it chooses
    LUNARRAY_BACKEND=$backend LUNARRAY_OPENCL_FORM=scalar "$BUILD/lunarray" tests/busted.lua "$spec" >"$log" 2>&1
    status=$?
    reports=$(grep -cE '^(OCLGRIND FATAL|Invalid|Uninitialized|Read-write|Write-write|.*data race|.*[Uu]ninitialized value)' "$log")
    echo "$spec: status $status, $reports reports"
    if [ "$status" -ne 0 ] || [ "$reports" -ne 0 ]; then
        head -n 200 "$log"
        bad=1
    fi
done
exit $bad
