#!/bin/sh
# Which Lua file may require which: the rooms of rooms.txt in their order ("side lua"). A file requires files of its own room and
# of rooms above it; init.lua, which loads by name what is first called, stands last. Proves first that it can see a violation.
set -eu
cd "$(dirname "$0")/../.."
rooms=$PWD/tests/lint/rooms.txt

# Reads the rooms and "file module" lines; prints what is forbidden.
check() {
    awk '
    function room_of(path) {
        sub(/^lua\/lunarray\//, "", path)
        return sub(/\/[^\/]*$/, "", path) ? path : "."
    }
    FILENAME ~ /rooms\.txt$/ {
        sub(/#.*/, "")
        if ($1 == "side") { inside = $2 == "lua"; next }
        if (inside && NF) { number++; for (i = 1; i <= NF; i++) floor[$i] = number }
        next
    }
    $1 == "file" { there[$2]; if (!(room_of($2) in floor)) { print $2 " is in no room of rooms.txt"; bad = 1 }; next }
    {
        path = $2
        if (path == "lunarray" || path == "lunarray.core") next
        gsub(/\./, "/", path)
        path = "lua/" path ".lua"
        from = room_of($1); to = room_of(path)
        if (!(path in there)) { print $1 " requires " $2 ", which is no file"; bad = 1 }
        else if (from != to && floor[to] >= floor[from]) {
            print $1 " must not require " $2 ": " to " does not come before " from; bad = 1
        }
    }
    END { exit bad }' "$rooms" "$1"
}

# Checks the tree in the current directory.
check_tree() {
    lines=$(mktemp)
    {
        find lua/lunarray -name '*.lua' | sed 's/^/file /'
        grep -rEo "require *,? *\(?[\"']lunarray(\.[a-z]+)*[\"']" lua/lunarray |
            sed "s/:require[ ,(]*[\"']\([a-z.]*\)[\"']/ \1/"
    } >"$lines"
    result=0
    check "$lines" || result=1
    rm -f "$lines"
    return $result
}

# In a scratch tree, as the rooms' order is: expect no|yes file module
expect() {
    echo "local x = require \"$3\"" >"$2"
    verdict=no
    if (check_tree >/dev/null); then verdict=yes; fi
    : >"$2"
    if [ "$verdict" != "$1" ]; then
        echo "the check itself is broken: $2 with $3 gave $verdict, expected $1"
        exit 1
    fi
}

self_test() {
    cd "$1"
    mkdir -p lua/lunarray/base lua/lunarray/table lua/lunarray/chart
    for name in init base/numbers table/columns table/keys chart/plot; do : >"lua/lunarray/$name.lua"; done
    expect yes lua/lunarray/chart/plot.lua lunarray.base.numbers
    expect yes lua/lunarray/table/keys.lua lunarray.table.columns
    expect yes lua/lunarray/table/keys.lua lunarray.core
    expect no lua/lunarray/base/numbers.lua lunarray.table.keys
    expect no lua/lunarray/table/keys.lua lunarray.chart.plot
    expect no lua/lunarray/table/keys.lua lunarray.table.nothing
    mkdir lua/lunarray/attic
    : >lua/lunarray/attic/old.lua
    expect no lua/lunarray/base/numbers.lua lunarray.core
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(self_test "$scratch") || exit 1
check_tree
