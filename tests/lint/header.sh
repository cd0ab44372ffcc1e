#!/bin/sh
# The generated blocks of prims/lunarray.h and prims/lunarray_bind.h must agree with the tables; make asks so
# before it compiles. --write puts them right.
set -eu
cd "$(dirname "$0")/../.."
rows() { # macro file -> first macro argument, second argument
    sed -n "s/^$1(\([A-Z0-9_]*\), *\([a-zA-Z0-9_]*\),.*/\1 \2/p" "$2"
}
enums() {
    echo "typedef enum lun_status {"
    rows LUN_STATUS prims/table/status.def | awk '{printf "    LUN_%s = %s,\n", $1, $2}' | sed '$s/,$//'
    echo "} lun_status;"
    echo
    echo "typedef enum lun_dtype {"
    rows LUN_DTYPE prims/table/dtypes.def | awk '{printf "    LUN_%s,\n", $1}'
    echo "    LUN_DTYPE_COUNT, /* of those of kernels; no dtype */"
    sed -n 's/^LUN_LOGICAL(\([A-Z0-9_]*\), [a-z0-9]*, \([0-9]*\),.*/    LUN_\1 = \2,/p' prims/table/logical.def | sed '$s/,$//'
    echo "} lun_dtype;"
    echo "/* Bytes of an element of a dtype of kernels, as a constant: four bits for each. */"
    sed -n 's/^LUN_DTYPE([^,]*,[^,]*,[^,]*,[^,]*, *\([0-9]*\),.*/\1/p' prims/table/dtypes.def | tac | tr -d '\n' |
        sed 's/.*/#define LUN_DTYPE_BYTES(t) ((size_t)(0x&ULL >> 4 * (t)) \& 15)\n/'
    echo
    echo "typedef enum lun_op {"
    rows LUN_OP prims/table/ops.def | awk '{printf "    LUN_OP_%s,\n", $1}'
    echo "    LUN_OP_COUNT,"
    echo "    LUN_OP_NONE = 0x7fffffff"
    echo "} lun_op;"
    echo
    echo "typedef enum lun_reduction {"
    rows LUN_REDUCTION prims/table/skeletons.def | awk '{printf "    LUN_%s,\n", $1}'
    echo "    LUN_REDUCTION_COUNT"
    echo "} lun_reduction;"
}
skeletons() {
    echo "typedef enum lun_skeleton {"
    rows LUN_SKELETON prims/table/skeletons.def | awk '{printf "    LUN_SKELETON_%s,\n", $1}'
    echo "    LUN_SKELETON_COUNT"
    echo "} lun_skeleton;"
}
ops() {
    tr '\n' ' ' <prims/table/ops.def | sed 's/LUN_OP(/\nLUN_OP(/g' |
        sed -n 's/^LUN_OP([A-Z0-9_]*, \([a-z0-9_]*\), "[^"]*", \([0-9]\),.*"\([^"]*\)").*/\1 \2 \3/p' |
        awk '{ p = "lun_array *a"
               if ($2 > 1) p = p ", lun_array *b"
               if ($2 > 2) p = p ", lun_array *c"
               n = "lun_" $1
               doc = $0
               sub(/^[^ ]* [^ ]* /, "", doc)
               line = "LUN_API lun_status " n "(lun_engine *e, " p ","
               print "/* " doc " */"
               if (length(line) + 18 <= 100) print line " lun_array **out);"
               else print line "\n                          lun_array **out);" }'
}
block() { # marker, generator
    awk -v m="$1" -v f="$2" '
        $0 == "/* BEGIN GENERATED " m " */" { print; while ((getline l < f) > 0) print l; skip = 1; next }
        $0 == "/* END GENERATED " m " */" { skip = 0 }
        !skip { print }'
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
enums >"$tmp/enums"
ops >"$tmp/ops"
skeletons >"$tmp/skeletons"
block ENUMS "$tmp/enums" <prims/lunarray.h | block OPS "$tmp/ops" >"$tmp/lunarray.h"
block SKELETONS "$tmp/skeletons" <prims/lunarray_bind.h >"$tmp/lunarray_bind.h"
result=0
for header in lunarray.h lunarray_bind.h; do
    if [ "${1:-}" = --write ]; then
        cat "$tmp/$header" >"prims/$header"
    elif ! cmp -s "$tmp/$header" "prims/$header"; then
        diff "prims/$header" "$tmp/$header" >&2 || true
        echo "prims/$header does not agree with prims/table: run  sh tests/lint/header.sh --write" >&2
        result=1
    fi
done
if [ "${1:-}" = --write ]; then
    echo "prims/lunarray.h is written. What else a new row takes: CONTRIBUTING.md, \"A new operation\""
fi
exit $result
