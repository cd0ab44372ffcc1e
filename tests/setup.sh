#!/bin/sh
# Makes sure that what the build (run) or the tests (test) need is there, and installs exactly the
# missing Debian packages where it may: as root, or by sudo without a password. Elsewhere it prints
# the one command to type, by the names that this system has for them, and fails. With `check` it looks for all
# of it and installs nothing, with `build` for what the build needs; `tsan` is `test` and what ThreadSanitizer
# needs besides. `doors` makes $BUILD/doors/venv with the Python packages that data are exchanged with, by pip, and needs
# nothing else; without Python, pip or a network it fails, and the suites that need them are skipped by name. CC, CPPFLAGS: the compiler that has to find the headers; CLANG: clang's name; SETUP_ROOT: where
# /usr is.
# usage: sh tests/setup.sh run|test|tsan|check|build|doors
set -eu
what=${1:-run}
usr=${SETUP_ROOT:-}/usr
missing=
wanted= # what the program can do without

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

# A header in the usual places, or wherever else the compiler finds it.
header() {
    for dir in "$usr/include" "$usr/local/include"; do
        if [ -e "$dir/$1" ]; then return 0; fi
    done
    # shellcheck disable=SC2086 # words
    echo "#include <$1>" | ${CC:-gcc} ${CPPFLAGS:-} -E -x c - >/dev/null 2>&1 || need "$2"
}

# Lua 5.4's header; other versions have the same name.
lua_header() {
    for dir in ${LUA_INCDIR:+"$LUA_INCDIR"} "$usr/include/lua5.4" "$usr/local/include/lua5.4" "$usr/include" \
        "$usr/local/include"; do
        if grep -qs 'LUA_VERSION_NUM[[:space:]]*504' "$dir/lua.h"; then return 0; fi
    done
    need liblua5.4-dev
}

look_for_build() {
    command -v gcc >/dev/null 2>&1 || command -v cc >/dev/null 2>&1 || need gcc
    header stdio.h libc6-dev
    header xxhash.h libxxhash-dev
    header hwloc.h libhwloc-dev
    header CL/cl.h opencl-headers
    header png.h libpng-dev
    header zlib.h zlib1g-dev
    lua_header
}

# The line editor of the prompt, which the program can do without and its tests cannot.
look_for_editor() {
    needed=$missing
    header histedit.h libedit-dev
    if [ "$what" = run ] && [ "$missing" != "$needed" ]; then
        missing=$needed
        wanted=" libedit-dev"
    fi
}

# Its package has the version in its name; suites do without it where the system has another one.
look_for_hdf5() {
    for package in libhdf5-103-1 libhdf5-310; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            need "$package"
            return
        fi
    done
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
    # Libraries that data come and go by, loaded at run time.
    if ! ls "$usr"/lib/*-linux-gnu/libhdf5_serial.so.* >/dev/null 2>&1; then look_for_hdf5; fi
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
    wanted=
    look_for_build
    if [ "$what" != build ]; then look_for_editor; fi
    if [ "$what" = tsan ]; then look_for_tsan; fi
    if [ "$what" != run ] && [ "$what" != build ]; then look_for_tests; fi
}

# What a system calls Debian's packages: Debian's name, dnf's, pacman's, apk's, zypper's; -: none is known.
names() {
    cat <<'END'
gcc gcc gcc gcc gcc
libc6-dev glibc-devel glibc musl-dev glibc-devel
libxxhash-dev xxhash-devel xxhash xxhash-dev xxhash-devel
libhwloc-dev hwloc-devel hwloc hwloc-dev hwloc-devel
opencl-headers opencl-headers opencl-headers opencl-headers opencl-headers
libedit-dev libedit-devel libedit libedit-dev libedit-devel
libpng-dev libpng-devel libpng libpng-dev libpng16-devel
zlib1g-dev zlib-devel zlib zlib-dev zlib-devel
liblua5.4-dev lua-devel lua54 lua5.4-dev lua54-devel
lua5.4 lua lua54 lua5.4 lua54
clang clang clang clang clang
g++ gcc-c++ gcc g++ gcc-c++
pkg-config pkgconf-pkg-config pkgconf pkgconf pkg-config
libcmocka-dev libcmocka-devel cmocka cmocka-dev libcmocka-devel
END
}

# Prints what to type; the caller has no rights to do it.
advise() {
    column=2
    for command in "apt-get install -y --no-install-recommends" "dnf install" "pacman -S --needed" "apk add" "zypper install"; do
        if command -v "${command%% *}" >/dev/null 2>&1; then break; fi
        column=$((column + 1))
        command=
    done
    case $command in
    apt-get*)
        echo "setup: missing:$missing" >&2
        echo "setup: type this, then try again:" >&2
        echo "    sudo apt-get update && sudo $command$missing" >&2
        exit 1
        ;;
    esac
    echo "setup: missing (Debian's names):$missing" >&2
    column=$((column - 1)) known='' # apt-get has none of its own
    for package in $missing; do
        name=$(names | awk -v package="$package" -v column="$column" '$1 == package { print $column }')
        case " $known " in *" $name "*) ;; *) if [ "${name:--}" != - ]; then known="$known $name"; fi ;; esac
    done
    if [ -n "$command" ] && [ -n "$known" ]; then
        echo "setup: type this, then try again:" >&2
        echo "    sudo $command$known" >&2
    fi
    exit 1
}

# Another DuckDB beside the newest one in the venv: set_up_duckdb folder package...
set_up_duckdb() {
    folder=${BUILD:-build}/doors/$1
    shift
    if [ -e "$folder/complete" ]; then return 0; fi
    if "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --no-deps --target "$folder" \
        "$@"; then
        touch "$folder/complete"
        return 0
    fi
    echo "setup: $folder has not all of: $*" >&2
    return 1
}

# The oldest that is supported, and the last one of which Python's index has an extension.
set_up_others() {
    set_up_duckdb duckdb-oldest duckdb==1.1.3 && set_up_duckdb duckdb-1.5 duckdb==1.5.5 duckdb-extension-excel==1.5.5
}

# The packages by which tests/spec/doors checks what goes out and comes in.
set_up_doors() {
    venv=${BUILD:-build}/doors/venv packages="duckdb h5py ipykernel jupyter_client nanoarrow pandas polars pyarrow"
    if [ -e "$venv/complete" ]; then
        set_up_others
        return
    fi
    # Wheels alone: nothing is compiled for this.
    if python3 -m venv "$venv" &&
        "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: $packages; then
        touch "$venv/complete"
        set_up_others
        return
    fi
    echo "setup: $venv has not all of: $packages" >&2
    return 1
}

if [ "$what" = doors ]; then
    # shellcheck disable=SC2086 # words
    set_up_doors
    exit
fi

case $what in
run | test | tsan | check | build) ;;
*)
    echo "usage: sh tests/setup.sh run|test|tsan|check|build|doors" >&2
    exit 2
    ;;
esac

look
if [ -z "$missing$wanted" ]; then exit 0; fi
# No way to install: what is only wanted is done without.
cannot() {
    if [ -n "$missing" ]; then advise; fi
    echo "setup: without$wanted the prompt has no line editor"
    exit 0
}
if [ "$what" = check ] || [ "$what" = build ] || ! command -v apt-get >/dev/null 2>&1; then cannot; fi
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true >/dev/null 2>&1; then
    as_root="sudo -n"
else
    cannot
fi

echo "setup: installing$missing$wanted"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A source that cannot be refreshed matters only if the packages then cannot be had.
# shellcheck disable=SC2086 # both are lists of words
if ! { $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq || true
       $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
           --no-install-recommends $missing $wanted; } </dev/null >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    cannot
fi
look
if [ -n "$missing" ]; then advise; fi
