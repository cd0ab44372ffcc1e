#!/bin/sh
# Who may include whom, by an allow-list: each room knows only the headers named here. Proves first
# that it can see a violation: it plants one for every rule in a scratch tree.
set -eu
cd "$(dirname "$0")/../.."

# Reads "file: header" lines; prints those that the rules forbid.
check() {
    awk -F': ' '
    function is(list) { return index(" " list " ", " " header " ") > 0 }
    # The header as a name in one of the folders of backends/, or beside all of them.
    function in_backends() { return (header in backend_header) }

    # A header of ours is ours in angle brackets too.
    function is_ours() {
        return (header in prims_header) || (header in backend_header) || (header in interp_header)
    }

    function allowed() {
        if (is("lua.h lauxlib.h lualib.h lua.hpp luaconf.h")) return file ~ /^interp\//
        if (header ~ /^(CL|OpenCL)\//) return file ~ /^backends\/opencl\//
        if (header == "omp.h" || header == "hwloc.h") return file ~ /^backends\/openmp\//
        if (is("dlfcn.h spawn.h")) return file ~ /^backends\/[^\/]+\//
        if (!quoted && !is_ours()) return 1

        if (file ~ /^prims\//) return (header in prims_header)
        if (file ~ /^backends\//)
            return is("lunarray.h ir/ir.h ir/order.h ir/structure.h backend.h table/op.h table/dtype.h table/skeleton.h base/strbuf.h " \
                      "table/ops.def table/dtypes.def table/skeletons.def table/status.def loops_each.h") || in_backends()
        if (file ~ /^interp\/luafn\//) return is("lunarray.h lunarray_bind.h ir/ir.h") || (header in interp_header)
        return is("lunarray.h lunarray_bind.h") || (header in interp_header)
    }

    FNR == NR { # the headers that exist: "room name"
        split($0, part, " ")
        if (part[1] == "prims") prims_header[part[2]]
        if (part[1] == "backends") backend_header[part[2]]
        if (part[1] == "interp") interp_header[part[2]]
        next
    }
    {
        file = $1; header = $2; quoted = header ~ /^"/
        gsub(/[<>"]/, "", header)
        sub(/^.*\/\.\.\//, "", header); sub(/^(\.\.?\/)+/, "", header)
        if (!allowed()) { print file " must not include " header; bad = 1 }
    }
    END { exit bad }' "$1" "$2"
}

# Checks the tree in the current directory.
check_tree() {
    tree_scratch=$(mktemp -d)
    for room in prims backends interp; do
        if [ ! -d $room ]; then continue; fi
        find $room -name '*.h' -o -name '*.def' | while read -r path; do
            # A header is known by its path inside its room.
            echo "$room ${path#"$room"/}"
        done
    done >"$tree_scratch/headers"
    find prims backends interp -name '*.[ch]' -o -name '*.def' 2>/dev/null | sort |
        while read -r path; do
            sed -n "s,^[[:space:]]*#[[:space:]]*include[[:space:]]*\([<\"][^>\"]*[>\"]\).*,$path: \1,p" "$path"
        done >"$tree_scratch/includes"
    result=0
    check "$tree_scratch/headers" "$tree_scratch/includes" || result=1
    rm -rf "$tree_scratch"
    return $result
}

# In a scratch tree: the include must be refused (or accepted). expect no|yes file include
expect() {
    echo "#include $3" >"$2"
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
    mkdir -p prims/graph prims/ir backends/render backends/openmp backends/opencl backends/reference \
        interp/bind interp/luafn/bytecode
    touch prims/lunarray.h prims/ir/ir.h prims/graph/node.h prims/graph/node.c prims/backend.h \
        backends/render/render.h backends/all.c backends/openmp/openmp.c backends/openmp/team.h \
        backends/opencl/opencl.c backends/reference/block.c interp/bind/bind.h interp/bind/array.c \
        interp/luafn/bytecode/decode.c
    expect no prims/graph/node.c '<lua.h>'
    expect no prims/graph/node.c '"render/render.h"'
    expect no prims/graph/node.c '"../backends/render/render.h"'
    expect no prims/graph/node.c '<dlfcn.h>'
    expect no prims/graph/node.c '<omp.h>'
    expect no prims/graph/node.c '<hwloc.h>'
    expect yes backends/openmp/openmp.c '<hwloc.h>'
    expect no prims/graph/node.h '<CL/cl.h>'
    expect no prims/graph/node.c '"bind/bind.h"'
    expect yes prims/graph/node.c '"backend.h"'
    expect yes prims/graph/node.c '<math.h>'
    expect no backends/all.c '<spawn.h>'
    expect no backends/all.c '<omp.h>'
    expect no backends/openmp/openmp.c '"graph/node.h"'
    expect no backends/openmp/openmp.c '<lauxlib.h>'
    expect no backends/openmp/openmp.c '<CL/cl.h>'
    expect no backends/reference/block.c '<omp.h>'
    expect no backends/openmp/openmp.c '  "../../prims/graph/node.h"'
    expect yes backends/openmp/openmp.c '<spawn.h>'
    expect yes backends/openmp/openmp.c '"openmp/team.h"'
    expect yes backends/opencl/opencl.c '<CL/cl.h>'
    expect no interp/bind/array.c '"graph/node.h"'
    expect no interp/bind/array.c '"ir/ir.h"'
    expect no interp/bind/array.c '"../prims/ir/ir.h"'
    expect no interp/bind/array.c '<ir/ir.h>'
    expect no interp/bind/array.c '<omp.h>'
    expect yes interp/bind/array.c '"lunarray.h"'
    expect yes interp/bind/array.c '<lua.h>'
    expect yes interp/luafn/bytecode/decode.c '"ir/ir.h"'
    expect no interp/luafn/bytecode/decode.c '"graph/node.h"'
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(self_test "$scratch") || exit 1
check_tree
