#!/bin/sh
# Makes sure that what the build (run) or the tests (test) need is there, and installs exactly the
# missing Debian packages where it may: as root, or by sudo without a password. Elsewhere it prints
# the one command to type and fails. With `check` it looks for all of it and installs nothing, with `build` for
# what the build needs; `tsan` is `test` and what ThreadSanitizer needs besides. CLANG: clang's name.
# usage: sh tests/setup.sh run|test|tsan|check|build
set -eu
what=${1:-run}
missing=

need() { # package: it is missing
    case " $missing " in *" $1 "*) ;; *) missing="$missing $1" ;; esac
}

# A program on PATH, or else its package.
program() {
    command -v "$1" >/dev/null 2>&1 || need "$2"
}

# A file in one of the directories, or else its package: file package directory...
file() {
    name=$1 package=$2
    shift 2
    for dir in "$@"; do
        if [ -e "$dir/$name" ]; then return 0; fi
    done
    need "$package"
}

# A header on the compiler's own paths.
header() {
    oldifs=$IFS
    IFS=:
    # shellcheck disable=SC2086 # CPATH is a list
    set -- "$1" "$2" /usr/include /usr/local/include ${CPATH:-} ${C_INCLUDE_PATH:-}
    IFS=$oldifs
    file "$@"
}

look_for_build() {
    command -v gcc >/dev/null 2>&1 || command -v cc >/dev/null 2>&1 || need gcc
    header stdio.h libc6-dev
    header xxhash.h libxxhash-dev
    header hwloc.h libhwloc-dev
    header CL/cl.h opencl-headers
    header histedit.h libedit-dev
    header png.h libpng-dev
    header zlib.h zlib1g-dev
    file lua.h liblua5.4-dev ${LUA_INCDIR:+"$LUA_INCDIR"} /usr/include/lua5.4 \
        /usr/local/include/lua5.4 /usr/include /usr/local/include
}

look_for_tests() {
    program luacheck lua-check
    program clang clang
    program clang-format clang-format
    program g++ g++
    program pkg-config pkg-config
    file UTF-8.gz locales /usr/share/i18n/charmaps
    file omp.h libomp-dev /usr/lib/llvm-*/lib/clang/*/include /usr/lib/clang/*/include \
        /usr/local/include
    header cmocka.h libcmocka-dev
    # The loader and a driver that runs on processors.
    file libOpenCL.so.1 ocl-icd-libopencl1 /usr/lib/*-linux-gnu /usr/lib /usr/lib64 /usr/local/lib
    file pocl.icd pocl-opencl-icd /etc/OpenCL/vendors
    # Hosts that have another Lua.
    header luajit-2.1/lua.h libluajit-5.1-dev
    header lua5.1/lua.h liblua5.1-0-dev
    header lua5.3/lua.h liblua5.3-dev
    program luajit luajit
    # Two launchers with their libraries, which are loaded at run time.
    program mpirun.mpich mpich
    program mpirun.openmpi openmpi-bin
    # The interpreter itself knows where modules may be; busted brings the rest with it.
    if ! command -v lua5.4 >/dev/null 2>&1; then
        need lua5.4
        file busted/runner.lua lua-busted /usr/share/lua/5.4 /usr/local/share/lua/5.4
        return
    fi
    for pair in $(lua5.4 -e '
        local package_of = { ["busted.runner"] = "lua-busted", cliargs = "lua-cliargs",
            say = "lua-say", luassert = "lua-luassert", ["pl.path"] = "lua-penlight",
            mediator = "lua-mediator", dkjson = "lua-dkjson", lfs = "lua-filesystem",
            ["system.core"] = "lua-system", ["term.core"] = "lua-term" }
        for name, package_name in pairs(package_of) do
            if not package.searchpath(name, package.path)
                and not package.searchpath(name, package.cpath) then print(package_name) end
        end'); do
        need "$pair"
    done
}

# Its runtime comes with clang's recommendations only; archer tells it of OpenMP, the symbolizer finds what is suppressed.
look_for_tsan() {
    if ! echo 'int main(void) { return 0; }' |
        ${CLANG:-clang} -fsanitize=thread -x c - -o /dev/null >/dev/null 2>&1; then
        need libclang-rt-dev
    fi
    file libarcher.so libomp-dev /usr/lib/llvm-*/lib
    program llvm-symbolizer llvm
}

look() {
    missing=
    look_for_build
    if [ "$what" = tsan ]; then look_for_tsan; fi
    if [ "$what" != run ] && [ "$what" != build ]; then look_for_tests; fi
}

# Prints what to type; the caller has no rights to do it.
advise() {
    echo "setup: missing:$missing" >&2
    echo "setup: type this, then try again:" >&2
    echo "    sudo apt-get install -y --no-install-recommends$missing" >&2
    exit 1
}

case $what in
run | test | tsan | check | build) ;;
*)
    echo "usage: sh tests/setup.sh run|test|tsan|check|build" >&2
    exit 2
    ;;
esac

look
if [ -z "$missing" ]; then exit 0; fi
if [ "$what" = check ] || [ "$what" = build ] || ! command -v apt-get >/dev/null 2>&1; then advise; fi
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true >/dev/null 2>&1; then
    as_root="sudo -n"
else
    advise
fi

echo "setup: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A source that cannot be refreshed matters only if the packages then cannot be had.
# shellcheck disable=SC2086 # both are lists of words
if ! { $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq || true
       $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
           --no-install-recommends $missing; } </dev/null >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    advise
fi
look
if [ -n "$missing" ]; then advise; fi
