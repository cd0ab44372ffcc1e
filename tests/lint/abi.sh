#!/bin/sh
# What a program has compiled in of the public headers must stay as it was released: tests/abi.txt lists constants, sizes and offsets
# of members, and the functions' parameters. New lines may come, and structs that begin with their size may grow. TEXTS=write
# writes the list as it is now, for a release. A small C program, made from the headers, tells them. Public structs begin with their
# size, all but those in `frozen`.
set -eu
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A header without comments and conditions, in lines that end a declaration or begin or end a body.
plain() {
    ${CC:-cc} -fpreprocessed -dD -E -P "$1" | grep -v '^#' | tr '\n\t' '  ' | sed 's/;/;\n/g; s/{/{\n/g; s/}/\n}/g' | sed 's/  */ /g; s/^ //; s/ $//'
}

# Lines "constant NAME", "size NAME", "offset STRUCT MEMBER" and "function TEXT".
items() {
    sed -n 's/^#define \(LUN_[A-Z_]*\)  *[-0-9(].*/constant \1/p' "$1"
    plain "$1" | awk '
        /^(typedef )?enum ?[a-z_]* ?{$/ { enum = 1; next }
        /^typedef struct [a-z_]+ {$/ { name = $3; depth = 1; print "size", name; next }
        enum && /^}/ { enum = 0; next }
        enum { n = split($0, values, ","); for (i = 1; i <= n; i++) { sub(/=.*/, "", values[i]); gsub(/ /, "", values[i]); if (values[i] != "") print "constant", values[i] } next }
        depth && /{$/ { depth++; next }
        depth == 1 && /^}/ { depth = 0; next }
        depth == 2 && /^}/ { depth = 1; sub(/^} */, "") }
        depth == 1 {
            sub(/;$/, "")
            if (match($0, /\(\*[a-z_]+\)/)) { print "offset", name, substr($0, RSTART + 2, RLENGTH - 3); next }
            n = split($0, members, ",")
            for (i = 1; i <= n; i++) { sub(/\[.*/, "", members[i]); sub(/ $/, "", members[i]); sub(/^.*[ *]/, "", members[i]); if (members[i] != "") print "offset", name, members[i] }
            next
        }
        /^LUN_API .*;$/ { sub(/^LUN_API /, ""); sub(/;$/, ""); print "function", $0 }'
}

# Values of this build.
tell() {
    for header in lunarray.h lunarray_bind.h; do items "prims/$header"; done | grep -v ' LUN_[A-Z_]*COUNT$\| LUN_VERSION' >"$scratch/items"
    printf 'constant LUN_COUNT\n' >>"$scratch/items"
    {
        echo '#include <stdio.h>'
        echo '#include "lunarray.h"'
        echo '#include "lunarray_bind.h"'
        echo 'int main(void) {'
        awk '$1 == "constant" { print "printf(\"constant " $2 " %lld\\n\", (long long)" $2 ");" }
            $1 == "size" { print "printf(\"size " $2 " %zu\\n\", sizeof(" $2 "));" }
            $1 == "offset" { print "printf(\"offset " $2 "." $3 " %zu\\n\", offsetof(" $2 ", " $3 "));" }' "$scratch/items"
        echo '}'
    } >"$scratch/tell.c"
    ${CC:-cc} -std=gnu11 -Iprims -o "$scratch/tell" "$scratch/tell.c"
    { "$scratch/tell"; sed -n '/^function /p' "$scratch/items"; } | LC_ALL=C sort -u
}

# Lines of the old list that do not hold any more; sized structs may be larger.
broken() {
    awk 'NR == FNR { now[$0]; if ($1 == "size") bytes[$2] = $3; if ($1 == "offset" && $2 ~ /\.size$/ && $3 == 0) { sub(/\.size$/, "", $2); sized[$2] } next }
        !($0 in now) && !($1 == "size" && $2 in sized && bytes[$2] >= $3)' "$2" "$1"
}

# These are values, which are passed by value and stand in lists; lunarray.h says that they never change.
frozen='lun_value lun_variant lun_string lun_field lun_table_aggregate lun_text_view lun_text_bytes lun_tool_calls'

# The structs of a list that do not begin with their size.
unsized() {
    awk -v frozen="$frozen" '$1 == "size" { all[$2] } $1 == "offset" && $2 ~ /\.size$/ && $3 == 0 { sub(/\.size$/, "", $2); sized[$2] }
        END { n = split(frozen, names, " "); for (i = 1; i <= n; i++) sized[names[i]]; for (name in all) if (!(name in sized)) print name }' "$1" | LC_ALL=C sort
}

tell >"$scratch/now"
if [ "${TEXTS:-}" = write ]; then
    cp "$scratch/now" tests/abi.txt
    exit 0
fi

# It can see what it is for: a constant that has another value, a member that has moved, a struct without size that grew.
printf '%s\n' 'constant A 1' 'size s 8' 'size t 16' 'offset t.size 0' 'offset t.b 8' >"$scratch/old"
printf '%s\n' 'constant A 2' 'constant B 1' 'size s 16' 'size t 24' 'offset t.size 0' 'offset t.b 16' >"$scratch/new"
if [ "$(broken "$scratch/old" "$scratch/new" | cut -d ' ' -f 1,2 | tr '\n' ' ')" != 'constant A size s offset t.b ' ]; then
    echo "the check itself is broken"
    exit 1
fi
if [ "$(unsized "$scratch/new" | tr '\n' ' ')" != 's ' ]; then
    echo "the check for sizes itself is broken"
    exit 1
fi
[ "$(wc -l <"$scratch/now")" -gt 500 ] || { echo "only $(wc -l <"$scratch/now") lines were found in the headers"; exit 1; }
broken tests/abi.txt "$scratch/now" >"$scratch/broken"
if [ -s "$scratch/broken" ]; then
    echo "programs compiled with the released headers rely on these lines of tests/abi.txt; before a release, TEXTS=write sh tests/lint/abi.sh:"
    cat "$scratch/broken"
    exit 1
fi
unsized "$scratch/now" >"$scratch/unsized"
if [ -s "$scratch/unsized" ]; then
    echo "public structs begin with 'size_t size; /* sizeof(NAME) */', which callers set and callees heed (base/sized.h); these do not:"
    cat "$scratch/unsized"
    exit 1
fi
