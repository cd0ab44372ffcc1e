#!/bin/sh
# Who calls whom, by the linker's symbols: sees what no include shows. Calls go to the own room and to rooms before it (rooms.txt),
# to another side only through what its doors declare, and never in a circle but the three of true recursion named here. Proves
# first, on lists of its own, that it can see a violation. Reads the objects of $BUILD (build), which must be built.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}

# A combining function runs a program, which may combine; a call within a function is built as a part of it.
recursive="backends/reference/interp backends/reference/reference_reduce
interp/luafn/ssa/build interp/luafn/ssa/build_call
interp/luafn/ssa/build_call interp/luafn/ssa/team_object
interp/luafn/ssa/build_call interp/luafn/ssa/team_operations
interp/luafn/ssa/team_object interp/luafn/ssa/team_operations"

# Reads rooms.txt, lines "door HEADER NAME" (functions of the doors), "def OBJECT SYMBOL" and "use OBJECT SYMBOL"; prints what is forbidden.
check() {
    awk -v recursive="$recursive" '
    function dir(object) { return sub(/\/[^\/]*$/, "", object) ? object : "" }
    function side_of(object) { return substr(object, 1, index(object, "/") - 1) }
    function room_of(object) { object = dir(object); return sub(/^[^\/]*\//, "", object) ? object : "." }
    function hidden(side, to, from,   parent) {
        parent = to
        if ((side, to) in open || !sub(/\/[^\/]*$/, "", parent)) return 0
        return from != parent && index(from, parent "/") != 1
    }
    function may(a, b, symbol,   sa, sb, ra, rb) {
        sa = side_of(a); sb = side_of(b); ra = room_of(a); rb = room_of(b)
        if (sa == sb) return ra == rb || symbol in inner || floor[sa, rb] < floor[sa, ra] && !hidden(sa, rb, ra)
        if (index(uses[sa], " " sb "/" rb " ") || index(uses[sa], " " b ".c ")) return 1
        if (sa == "interp" && room_of(a) ~ /^luafn/ && index(uses["luafn"], " " sb "/" rb " ")) return 1
        return symbol in door
    }
    FILENAME ~ /rooms\.txt$/ {
        sub(/#.*/, "")
        if ($1 == "side") { side = $2; number = 0 }
        else if ($1 == "doors") next
        else if ($1 == "open") { for (i = 2; i <= NF; i++) open[side, $i]; next }
        else if ($1 == "uses" || $1 == "luafn" && $2 == "uses") {
            user = $1 == "uses" ? side : $1
            uses[user] = " "
            for (i = 2; i <= NF; i++) uses[user] = uses[user] $i " "
        }
        else if (NF) { number++; for (i = 1; i <= NF; i++) floor[side, $i] = number }
        next
    }
    $1 == "door" { door[$3]; if ($2 ~ /\/.*\//) inner[$3]; next }
    $1 == "def" { at[$3] = $2; objects[$2]; next }
    $1 == "use" { n++; user_of[n] = $2; symbol[n] = $3 }
    END {
        for (i = 1; i <= n; i++) {
            a = user_of[i]
            if (!(symbol[i] in at) || at[symbol[i]] == a) continue
            b = at[symbol[i]]
            if (!may(a, b, symbol[i])) { print a " must not call " symbol[i] " of " b; bad = 1 }
            if (!((a, b) in edge)) { edge[a, b]; to[a] = to[a] " " b; from[b] = from[b] " " a }
        }
        # What lies in a circle reaches itself.
        for (a in objects) {
            delete seen
            count = split(to[a], queue, " ")
            for (i = 1; i <= count; i++) seen[queue[i]]
            for (i = 1; i <= count; i++) {
                m = split(to[queue[i]], next_ones, " ")
                for (k = 1; k <= m; k++) if (!(next_ones[k] in seen)) { seen[next_ones[k]]; queue[++count] = next_ones[k] }
            }
            if (a in seen) circular[a]
        }
        lines = split(recursive, pairs, "\n")
        for (i = 1; i <= lines; i++) {
            split(pairs[i], pair, " ")
            allowed[pair[1], pair[2]]; allowed[pair[2], pair[1]]
        }
        for (a in circular) {
            m = split(to[a], ones, " ")
            for (k = 1; k <= m; k++)
                if (ones[k] in circular && !((a, ones[k]) in allowed)) { print a " and " ones[k] " call each other in a circle"; bad = 1 }
        }
        exit bad
    }' tests/lint/rooms.txt "$1" | LC_ALL=C sort
}

# Fails with what check prints.
verdict() {
    said=$(check "$1") || true
    if [ -z "$said" ]; then return 0; fi
    echo "$said"
    return 1
}

# The lines must be refused (or accepted). expect no|yes "line; line; ..."
expect() {
    printf '%s\n' "door prims/lunarray.h lun_open;$2" | tr ';' '\n' | sed 's/^ *//' >"$scratch/plant"
    answer=no
    if verdict "$scratch/plant" >/dev/null; then answer=yes; fi
    if [ "$answer" != "$1" ]; then
        echo "the check itself is broken: '$2' gave $answer, expected $1"
        exit 1
    fi
}

self_test() {
    expect yes "def prims/base/a f; def prims/table/b g; use prims/table/b f"
    expect no "def prims/base/a f; def prims/table/b g; use prims/base/a g"
    expect no "def prims/ctext/a f; def prims/engine/b g; use prims/ctext/a g"
    expect no "def prims/graph/a f; def prims/graph/b g; use prims/graph/a g; use prims/graph/b f"
    expect no "def prims/graph/a f; def prims/graph/b g; def prims/graph/c h; use prims/graph/a g; use prims/graph/b h; use prims/graph/c f"
    expect yes "def backends/reference/interp f; def backends/reference/reference_reduce g; use backends/reference/interp g; use backends/reference/reference_reduce f"
    expect no "def backends/render/text/a f; def backends/render/body/b g; use backends/render/text/a g"
    expect no "def backends/render/text/a f; def backends/openmp/b g; use backends/openmp/b f"
    expect no "def backends/gpu/a f; def backends/opencl/b g; use backends/gpu/a g"
    expect no "def prims/graph/a f; def backends/openmp/b g; use backends/openmp/b f"
    expect yes "def prims/ir/a f; def backends/openmp/b g; use backends/openmp/b f"
    expect no "def prims/api/array/a lun__f; def interp/bind/b g; use interp/bind/b lun__f"
    expect yes "def prims/api/array/a lun_open; def interp/bind/b g; use interp/bind/b lun_open"
    expect no "def prims/api/array/a lun_open; def prims/graph/b g; use prims/graph/b lun_open"
    expect no "def prims/ir/a f; def interp/bind/b g; use interp/bind/b f"
    expect yes "def prims/ir/a f; def interp/luafn/ssa/b g; use interp/luafn/ssa/b f"
    expect no "def interp/program/a f; def interp/bind/b g; use interp/bind/b f"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
self_test
if [ ! -d "$build/obj/prims" ]; then
    echo "$build/obj has no objects: build first"
    exit 1
fi
{
    awk '$1 == "side" { side = $2 } $1 == "doors" { for (i = 2; i <= NF; i++) print side "/" $i }' tests/lint/rooms.txt |
        while read -r header; do
            sed -n "s,.*[ *]\(lun_[a-z0-9_]*\)(.*,door $header \1,p" "$header"
        done
    # functions of the interface that macros and tables make
    sed -n 's|^LUN_OP([A-Z0-9_]*, \([a-z0-9_]*\),.*|door prims/lunarray.h lun_\1|p' prims/table/ops.def
    # only objects of sources that are there: a removed file leaves its object behind
    find "$build/obj/prims" "$build/obj/backends" "$build/obj/interp" -name '*.o' | LC_ALL=C sort | while read -r object; do
        source=${object#"$build"/obj/}
        source=${source%.o}
        case $source in *_base | *_avx2 | *_avx512) source=${source%_*} ;; esac
        if [ -e "$source.c" ]; then echo "$object"; fi
    done | xargs nm -A | awk -v prefix="$build/obj/" '{
        object = substr($1, length(prefix) + 1)
        sub(/\.o:.*/, "", object)
        kind = $(NF - 1)
        if (kind == "U") print "use", object, $NF
        else if (kind ~ /^[TDBRVWC]$/) print "def", object, $NF
    }'
} >"$scratch/lines"
verdict "$scratch/lines"
