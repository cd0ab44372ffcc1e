#!/bin/sh
# luacheck over every Lua file; what it may assume stands in .luacheckrc.
set -eu
cd "$(dirname "$0")/../.."
for room in lua examples tests bench; do
    if [ -d $room ]; then find $room -name '*.lua'; fi
done | xargs luacheck --no-color --quiet .luacheckrc .busted lunarray-scm-1.rockspec
