#!/bin/sh
# Builds, checks and times the workloads on the best OpenCL device, each beside a kernel written by hand; see
# bench.lua. Needs no network. On a machine that lacks something for building (it says what), it takes what
# was built elsewhere: $BUILD/lunarray and $BUILD/bench/*.so, as `make bench-gpu` leaves them.
# usage: sh bench/gpu/run.sh [workload...]
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
CC=${CC:-gcc}
export BUILD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

fail() {
    echo "bench-gpu: $*" >&2
    exit 1
}

build_modules() {
    mkdir -p "$BUILD/bench"
    lua_include=
    for dir in ${LUA_INCDIR:-} /usr/include/lua5.4 /usr/local/include/lua5.4 /usr/include /usr/local/include; do
        if [ -e "$dir/lua.h" ]; then lua_include=$dir; break; fi
    done
    for module in bench/clock.c bench/gpu/hand.c; do
        library=
        if [ "$module" = bench/gpu/hand.c ]; then library=-l:libOpenCL.so.1; fi
        # CC is a command with its options.
        # shellcheck disable=SC2086
        $CC -O2 -shared -fPIC -isystem "$lua_include" -o "$BUILD/bench/$(basename "$module" .c).so" "$module" $library
    done
}

if sh tests/setup.sh build 2>"$scratch/missing"; then
    if [ -n "${MAKE:-}" ]; then $MAKE --no-print-directory BUILD="$BUILD" all; fi
    build_modules
else
    cat "$scratch/missing" >&2
    for file in lunarray bench/clock.so bench/hand.so; do
        if [ ! -e "$BUILD/$file" ]; then fail "nothing can be built here, and $BUILD/$file was not brought along"; fi
    done
    "$BUILD/lunarray" -v >/dev/null 2>"$scratch/why" ||
        fail "what was brought along does not run here: $(cat "$scratch/why")"
    echo "bench-gpu: what was built elsewhere is used as it is" >&2
fi

# Containers have NVIDIA's driver, but often not the file that tells the loader so.
has_driver() {
    for file in "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/*.icd; do
        if [ -e "$file" ]; then return 0; fi
    done
    return 1
}
if [ -z "${OCL_ICD_FILENAMES:-}" ] && ! has_driver; then
    for file in libnvidia-opencl.so.1 libamdocl64.so libigdrcl.so; do
        if ldconfig -p 2>/dev/null | grep -q "$file"; then
            echo "$file" >"$scratch/driver.icd"
            OCL_ICD_VENDORS=$scratch
            OCL_ICD_FILENAMES=$file
            export OCL_ICD_VENDORS OCL_ICD_FILENAMES
            echo "bench-gpu: no driver is named in /etc/OpenCL/vendors; $file is taken" >&2
            break
        fi
    done
fi

unset LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_PATH_5_4 LUA_CPATH LUA_CPATH_5_4 LUNARRAY_BACKEND
LUNARRAY_CACHE_DIR=$scratch/cache
export LUNARRAY_CACHE_DIR
"$BUILD/lunarray" -e 'assert(pcall(lun.use, "opencl"), select(2, pcall(lun.use, "opencl")))' 2>"$scratch/why" ||
    fail "no OpenCL device: $(sed -n 1p "$scratch/why")"
"$BUILD/lunarray" bench/gpu/bench.lua "$@"

# On a processor kernels have two forms; the other one is what graphics processors get.
if [ $# -eq 0 ] && "$BUILD/lunarray" -e 'for _, d in ipairs(lun.devices()) do
    if d.backend == "opencl" then os.exit(d.kind == "cpu") end end'; then
    LUNARRAY_OPENCL_FORM=scalar "$BUILD/lunarray" bench/gpu/bench.lua mandelbrot
fi
