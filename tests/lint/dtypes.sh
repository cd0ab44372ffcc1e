#!/bin/sh
# What a dtype is stands in its row (prims/table/dtypes.def) and is asked of that (prims/table/dtype.h): no comparison with
# a dtype's name and no case of one stands outside prims/table, so that a new dtype is one row. A name as a value (the dtype
# of a result, a row of a table) is fine. Proves first that it can see a test by name.
set -eu
cd "$(dirname "$0")/../.."

names=$(sed -n 's/^LUN_DTYPE(\([A-Z0-9]*\),.*/\1/p' prims/table/dtypes.def | tr '\n' '|' | sed 's/|$//')

# Prints the tests by name in the C files given; true if there are any. An operator may end the line before.
look() {
    awk -v names="$names" '
    BEGIN {
        one = "(\\(lun_dtype\\) *)?LUN_(" names ")"
        operator = "([=!]=|[^<>-][<>]|[<>]=)"
        test = operator " *" one "([^A-Za-z0-9_]|$)|(^|[^A-Za-z0-9_])LUN_(" names ") *([=!]=|[<>])|" \
               "(^|[^A-Za-z0-9_])case +\\(?" one "([^A-Za-z0-9_]|$)"
    }
    FNR == 1 { held = "" }
    {
        line = held $0
        if (line ~ test) { sub(/^ */, ""); print FILENAME ":" FNR ": " $0; found = 1 }
        held = match($0, /([=!]=|[<>]=?|case|LUN_[A-Z0-9]+)[ \t]*$/) ? substr($0, RSTART > 1 ? RSTART - 1 : 1) " " : ""
    }
    END { exit !found }' "$@"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The text must be refused (or accepted). expect no|yes text
expect() {
    printf '%b\n' "$2" >"$scratch/plant.c"
    verdict=yes
    if look "$scratch/plant.c" >/dev/null; then verdict=no; fi
    if [ "$verdict" != "$1" ]; then
        echo "the check itself is broken: '$2' gave $verdict, expected $1"
        exit 1
    fi
}
expect no 'if (t == LUN_F32)'
expect no 'return t != (lun_dtype)LUN_BF16 && x;'
expect no 'return LUN_BOOL == t;'
expect no 'return t >= LUN_F32;'
expect no 'return t<LUN_F32;'
expect no '    case LUN_I32:'
expect no 'return row->dtype ==\n       LUN_U64;'
expect no 'return LUN_I8\n       == t;'
expect no 'x = f(t) == LUN_I64 ? 1 : 2;'
expect yes 'lun_dtype t = LUN_F32;'
expect yes 'return is_wide ? LUN_F64 : LUN_F32;'
expect yes 'f(LUN_I64, a);\nif (a == b)'
expect yes 'x.dtype = LUN_BOOL;'
expect yes 'if (kind == LUN_IR_OP && op == LUN_OP_ADD)'
expect yes 'return e->kind == LUN_KIND_FLOAT;'

# shellcheck disable=SC2046 # no blanks in the names
if look $(find prims backends interp -name '*.[ch]' ! -path 'prims/table/*' | LC_ALL=C sort); then exit 1; fi
