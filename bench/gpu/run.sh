#!/bin/sh
# Times the workloads on the best OpenCL device, each beside a kernel written by hand; see bench.lua.
# usage: sh bench/gpu/run.sh [workload...]
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
CC=${CC:-gcc}
export BUILD
mkdir -p "$BUILD/bench"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
lua_include=
for dir in /usr/include/lua5.4 /usr/local/include/lua5.4 /usr/include /usr/local/include; do
    if [ -e "$dir/lua.h" ]; then lua_include=$dir; break; fi
done
for module in bench/clock.c bench/gpu/hand.c; do
    library=
    if [ "$module" = bench/gpu/hand.c ]; then library=-l:libOpenCL.so.1; fi
    "$CC" -O2 -shared -fPIC -isystem "$lua_include" -o "$BUILD/bench/$(basename "$module" .c).so" "$module" $library
done
unset LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_PATH_5_4 LUA_CPATH LUA_CPATH_5_4 LUNARRAY_BACKEND
LUNARRAY_CACHE_DIR=$scratch/cache
export LUNARRAY_CACHE_DIR
"$BUILD/lunarray" bench/gpu/bench.lua "$@"
# On a processor kernels have two forms; the other one is what graphics processors get.
if [ $# -eq 0 ] && "$BUILD/lunarray" -e 'lun.use "opencl" local d = lun.devices() for _, x in ipairs(d) do
    if x.backend == "opencl" then os.exit(x.kind == "cpu") end end'; then
    LUNARRAY_OPENCL_FORM=scalar "$BUILD/lunarray" bench/gpu/bench.lua mandelbrot
fi
