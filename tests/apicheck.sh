#!/bin/sh
# The program and the module with a Lua 5.4 that checks each use of its C interface (LUA_USE_APICHECK, lua_assert) and ends
# the process at the first wrong one: every spec, and the parts of the torture suite that call every function wrongly.
# Lua's source is Debian's, taken from its archive into the build and nowhere else, or LUA_SOURCE, a directory with lapi.c.
# usage: sh tests/apicheck.sh [spec...]     all specs by default; `none`: the torture's parts alone
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
here=$(mkdir -p "$BUILD/apicheck" && cd "$BUILD/apicheck" && pwd)
lua=$here/lua
mkdir -p "$lua/lists/partial" "$lua/object"

# Debian's source package of what is installed, by lists of sources of our own: the system's stay as they are.
fetch() {
    command -v apt-get >/dev/null && command -v dpkg-source >/dev/null || return 1
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -n 's/^deb /deb-src /p' >"$lua/apt.list"
    cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed 's/^Types:.*/Types: deb-src/' >"$lua/apt.sources"
    list=$lua/apt.list
    if [ ! -s "$list" ]; then list=$lua/apt.sources; fi
    set -- -qq -o Dir::Etc::sourcelist="$list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$lua/lists"
    apt-get "$@" update || return 1
    (cd "$lua" && apt-get "$@" source --download-only lua5.4 && rm -rf source && dpkg-source -x lua5.4_*.dsc source)
}

from=${LUA_SOURCE:-$lua/source/src}
if [ ! -e "$from/lapi.c" ] && ! fetch >"$lua/fetch.log" 2>&1; then
    echo "skipped: there is no source of Lua 5.4 here: apt-get source lua5.4 fails ($lua/fetch.log);" \
        "LUA_SOURCE=DIRECTORY names another one"
    exit 0
fi

# The library, and the stock interpreter for the module.
if [ ! -e "$lua/lua" ]; then
    flags="-O1 -g -fPIC -w -DLUA_COMPAT_5_3 -DLUA_USE_LINUX -DLUA_USE_APICHECK -DLUAI_ASSERT"
    for file in "$from"/*.c; do
        name=$(basename "$file" .c)
        # shellcheck disable=SC2086 # words
        if [ "$name" != luac ]; then ${CC:-cc} $flags -c -o "$lua/object/$name.o" "$file"; fi
    done
    ${CC:-cc} -Wl,-E -o "$lua/lua" "$lua"/object/*.o -lm -ldl
    mv "$lua/object/lua.o" "$lua/main.o"
    ar rcs "$lua/liblua.a" "$lua"/object/*.o
    mkdir -p "$lua/include"
    cp "$from"/lua.h "$from"/luaconf.h "$from"/lualib.h "$from"/lauxlib.h "$lua/include"
fi

${MAKE:-make} --no-print-directory BUILD="$BUILD/apicheck" CC="${CC:-cc}" LUA_INCDIR="$lua/include" LUA_ARCHIVE="$lua/liblua.a" \
    LUA_LIB="$lua/liblua.a" CPPFLAGS=-DLUA_USE_APICHECK "$BUILD/apicheck/lunarray" "$BUILD/apicheck/lunarray.so" \
    "$BUILD/apicheck/tests/pty" "$BUILD/apicheck/tests/libm.so" "$BUILD/apicheck/tests/shim/libOpenCL.so.1"
BUILD=$BUILD/apicheck # for the specs too, some of which start the program
export BUILD

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
LUNARRAY_CACHE_DIR=$scratch/cache
export LUNARRAY_CACHE_DIR
passed=0
failed=0

# A command that counts as one: title command...
one() {
    title=$1
    shift
    status=0
    timeout "${TEST_TIMEOUT:-900}" "$@" >"$scratch/out" 2>&1 </dev/null || status=$?
    if [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        tail -n 40 "$scratch/out"
        echo "FAIL  $title: status $status"
    fi
}

status=0
TORTURE=${TORTURE:-0.001} sh tests/torture/run.sh interface fewer || status=$?
if [ "$status" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
one "the module" env LUA_CPATH="$here/?.so;;" "$lua/lua" -e 'local lun = require "lunarray" assert(lun.vector{1, 2}:sum() == 3)
    assert(not pcall(lun.zeros, -1)) assert(select("#", lun.eval()) == 0)'
if [ "${1:-}" != none ]; then
    if [ $# -eq 0 ]; then set -- tests/spec/*/*_spec.lua; fi
    for spec in "$@"; do
        one "$spec" "$BUILD/lunarray" tests/busted.lua "$spec"
    done
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
