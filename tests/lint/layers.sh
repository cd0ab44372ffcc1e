#!/bin/sh
# Who may include whom: the rooms of rooms.txt in their order, the doors between the sides, and which room may use what of
# the system. Proves first that it can see a violation: it plants one for every rule in a scratch tree.
set -eu
cd "$(dirname "$0")/../.."
rooms=$PWD/tests/lint/rooms.txt

# Reads the rooms and "file include" lines; prints those that the rules forbid.
check() {
    awk -v rooms="$rooms" '
    # The system`s headers that only some folders may use.
    function of_system(header, file) {
        if (header ~ /^(lua|lauxlib|lualib|luaconf)\.h(pp)?$/) return file ~ /^interp\//
        if (header ~ /^(CL|OpenCL)\//) return file ~ /^backends\/opencl\//
        if (header == "omp.h" || header == "hwloc.h") return file ~ /^backends\/openmp\//
        if (header == "dlfcn.h" && file == "prims/base/library.c") return 1
        if (header == "dlfcn.h" && file ~ /^(prims\/net|prims\/api\/engine|interp\/lua_library)\//) return 1
        if (header == "dlfcn.h" || header == "spawn.h") return file ~ /^backends\/(openmp|gpu)\//
        if (header == "zlib.h" && file == "prims/base/crc.c") return 1
        if (header == "png.h" || header == "zlib.h") return file ~ /^interp\/bind\//
        if (header == "histedit.h") return file ~ /^interp\/program\//
        return 1
    }
    function room_of(path) {
        sub(/^[^\/]*\//, "", path)
        return sub(/\/[^\/]*$/, "", path) ? path : "."
    }
    function side_of(path) { return substr(path, 1, index(path, "/") - 1) }

    # Whether a room within a room is seen from there: only by the rooms beside it and the one around it, unless it is open.
    function hidden(side, to, from,   parent) {
        parent = to
        if ((side, to) in open || !sub(/\/[^\/]*$/, "", parent)) return 0
        return from != parent && index(from, parent "/") != 1
    }

    # Why file must not include the header at path, "" if it may.
    function refused(file, path,   from, to, side, other) {
        side = side_of(file); other = side_of(path); from = room_of(file); to = room_of(path)
        if (!((side, from) in floor)) return "is in no room of rooms.txt"
        if (side == other && hidden(side, to, from)) return "must not include " path ": it is inside a room"
        if (side == other)
            return from == to || to == "." && path in door || floor[side, to] < floor[side, from] ? "" : \
                "must not include " path ": " to " does not come before " from
        if (index(uses[side], " " (to == "." ? path : other "/" to) " ")) return ""
        if (file ~ /^interp\/luafn\// && index(uses["luafn"], " " other "/" to " ")) return ""
        return "must not include " path ": it is behind the doors of " other
    }

    FILENAME == rooms {
        sub(/#.*/, "")
        if ($1 == "side") { side = $2; number = 0 }
        else if ($1 == "doors") for (i = 2; i <= NF; i++) door[side "/" $i]
        else if ($1 == "open") for (i = 2; i <= NF; i++) open[side, $i]
        else if ($1 == "uses" || $1 == "luafn" && $2 == "uses") {
            user = $1 == "uses" ? side : $1
            uses[user] = " "
            for (i = 2; i <= NF; i++) uses[user] = uses[user] $i " "
        }
        else if (NF) { number++; for (i = 1; i <= NF; i++) floor[side, $i] = number }
        next
    }
    $1 == "header" { ours[$2]; next }
    {
        file = $1; header = $2
        quoted = header ~ /^"/
        gsub(/[<>"]/, "", header)
        sub(/^.*\/\.\.\//, "", header); sub(/^(\.\.?\/)+/, "", header)
        found = ""
        split("prims backends interp", sides, " ")
        for (i = 1; i <= 3; i++) {
            if ((sides[i] "/" header) in ours) found = sides[i] "/" header
            if (header in ours) found = header
        }
        why = ""
        if (found != "") why = refused(file, found)
        else if (quoted && header !~ /^(loops_each|math_all|math_texts|lua_names|lua_soname|backend_abi)\.h$/) why = "must include " header " by its path from prims/, backends/ or interp/"
        else if (!of_system(header, file)) why = "must not include <" header ">"
        if (why != "") { print file " " why; bad = 1 }
    }
    END { exit bad }' "$rooms" "$1"
}

# Checks the tree in the current directory.
check_tree() {
    lines=$(mktemp)
    {
        find prims backends interp -name '*.h' -o -name '*.def' | sed 's/^/header /'
        find prims backends interp -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort | while read -r path; do
            sed -n "s,^[[:space:]]*#[[:space:]]*include[[:space:]]*\([<\"][^>\"]*[>\"]\).*,$path \1,p" "$path"
        done
    } >"$lines"
    result=0
    check "$lines" || result=1
    rm -f "$lines"
    return $result
}

# In a scratch tree: the include must be refused (or accepted). expect no|yes file include
expect() {
    mkdir -p "$(dirname "$2")"
    echo "#include $3" >"$2"
    verdict=no
    if (check_tree >/dev/null); then verdict=yes; fi
    rm "$2"
    if [ "$verdict" != "$1" ]; then
        echo "the check itself is broken: $2 with $3 gave $verdict, expected $1"
        exit 1
    fi
}

self_test() {
    cd "$1"
    for header in prims/lunarray.h prims/lunarray_bind.h prims/backend.h prims/base/grow.h prims/table/op.h prims/ir/ir.h \
        prims/ctext/token/token.h prims/cache/cache.h prims/engine/state.h prims/store/storage.h prims/graph/node.h \
        prims/plan/plan.h prims/eval/eval.h prims/api/array/api.h backends/host/host.h backends/render/render.h \
        backends/render/text/text.h backends/render/body/body.h backends/render/chunk/chunk.h \
        backends/render/opencl/opencl_dialect.h backends/openmp/threads/thread_team.h backends/opencl/state.h backends/gpu/gpu.h \
        backends/reference/reference.h interp/bind/host/bind.h interp/luafn/luafn.h interp/luafn/graph/graph.h \
        interp/luafn/emit/emit.h interp/program/protected_call.h interp/state/sandbox.h; do
        mkdir -p "$(dirname "$header")"
        : >"$header"
    done
    # sides and the system
    for include in '<lua.h>' '"render/render.h"' '"../../backends/render/render.h"' '<dlfcn.h>' '<omp.h>' '<hwloc.h>' \
        '<CL/cl.h>' '"bind/host/bind.h"' '<png.h>' '<zlib.h>' '"node.h"'; do
        expect no prims/graph/x.c "$include"
    done
    for include in '"backend.h"' '"lunarray.h"' '<math.h>' '"graph/node.h"'; do expect yes prims/graph/x.c "$include"; done
    expect yes prims/base/crc.c '<zlib.h>'
    for include in '<spawn.h>' '<omp.h>'; do expect no backends/x.c "$include"; done
    for include in '"graph/node.h"' '<lauxlib.h>' '<CL/cl.h>' '  "../../prims/graph/node.h"' '"engine/state.h"' \
        '"cache/cache.h"' '"opencl/state.h"'; do
        expect no backends/openmp/x.c "$include"
    done
    for include in '<hwloc.h>' '<spawn.h>' '"openmp/threads/thread_team.h"' '"ir/ir.h"' '"reference/reference.h"' '"host/host.h"'; do
        expect yes backends/openmp/x.c "$include"
    done
    expect no backends/reference/x.c '<omp.h>'
    expect yes backends/opencl/x.c '<CL/cl.h>'
    for include in '"graph/node.h"' '"ir/ir.h"' '"../../prims/ir/ir.h"' '<ir/ir.h>' '<omp.h>' '"base/grow.h"' \
        '"backend.h"' '"luafn/graph/graph.h"' '"state/sandbox.h"'; do
        expect no interp/bind/x.c "$include"
    done
    for include in '"lunarray.h"' '"lunarray_bind.h"' '<lua.h>' '"luafn/luafn.h"'; do expect yes interp/bind/x.c "$include"; done
    for include in '"ir/ir.h"' '"table/op.h"'; do expect yes interp/luafn/ssa/x.c "$include"; done
    for include in '"graph/node.h"' '"luafn/emit/emit.h"' '"bind/host/bind.h"' '"luafn/luafn.h"'; do
        expect no interp/luafn/ssa/x.c "$include"
    done
    # inside the sides: each room against one that comes after it
    expect no prims/base/x.c '"table/op.h"'
    expect no prims/table/x.c '"ir/ir.h"'
    expect no prims/ir/x.c '"graph/node.h"'
    expect no prims/ctext/x.c '"engine/state.h"'
    expect no prims/engine/x.c '"store/storage.h"'
    expect no prims/store/x.c '"graph/node.h"'
    expect no prims/graph/x.c '"plan/plan.h"'
    expect no prims/plan/x.c '"eval/eval.h"'
    expect no prims/eval/x.c '"api/array/api.h"'
    expect no backends/host/x.c '"render/render.h"'
    expect no backends/render/text/x.c '"render/body/body.h"'
    expect no backends/render/body/x.c '"render/chunk/chunk.h"'
    expect no backends/render/body/x.c '"render/opencl/opencl.h"'
    expect no backends/render/chunk/x.c '"openmp/threads/thread_team.h"'
    expect no backends/gpu/x.c '"opencl/state.h"'
    expect no backends/reference/x.c '"gpu/gpu.h"'
    expect no interp/bind/x.c '"program/protected_call.h"'
    expect no interp/state/x.c '<dlfcn.h>'
    expect yes interp/lua_library/x.c '<dlfcn.h>'
    expect no prims/nowhere/x.c '"lunarray.h"'
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(self_test "$scratch") || exit 1
check_tree
