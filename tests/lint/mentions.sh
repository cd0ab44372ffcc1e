#!/bin/sh
# A file that a comment or a page names is there: paths below a folder of the product (store/pool.c), in comments of C and Lua
# and in docs/, and names alone (pool.c) in docs/architecture. Proves first that it can see one that is not there.
set -eu
cd "$(dirname "$0")/../.."

# The names in the files given that are no tracked file's end, as FILE: NAME; true if there are any. $1: a list of tracked files
look() {
    list=$1
    shift
    awk '
    FILENAME == ARGV[1] {
        n = split($0, part, "/")
        for (i = n; i > 0; i--) { path = i == n ? part[i] : part[i] "/" path; there[path] = 1 }
        for (i = 1; i < n; i++) folder[part[i]] = 1
        next
    }
    FNR == 1 { inside = 0 }
    {
        text = $0
        if (FILENAME ~ /\.lua$/) { if (!match(text, /--/)) next; text = substr(text, RSTART) }
        else if (FILENAME ~ /\.(c|h|def|hpp)$/) {
            if (text ~ /#[ ]*include/) next
            if (!inside && !match(text, /\/\*/)) next
            if (!inside) text = substr(text, RSTART)
            inside = !match(text, /\*\//)
            if (!inside) text = substr(text, 1, RSTART)
        }
        page = FILENAME ~ /^docs\/architecture/
        while (match(text, /[A-Za-z0-9_.\/-]+\.(c|h|def|lua)/)) {
            name = substr(text, RSTART, RLENGTH); after = substr(text, RSTART + RLENGTH, 1)
            text = substr(text, RSTART + RLENGTH)
            if (after ~ /[A-Za-z0-9_]/ || name ~ /^[.\/-]|[A-Z]/) continue
            slash = index(name, "/")
            if (slash ? !(substr(name, 1, slash - 1) in folder) : !page) continue
            if (!(name in there)) { print FILENAME ": " name; found = 1 }
        }
    }
    END { exit !found }' "$list" "$@"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git ls-files >"$scratch/list"

# The text must be refused (or accepted): expect no|yes text
expect() {
    printf '%b\n' "$2" >"$scratch/plant.c"
    verdict=yes
    if look "$scratch/list" "$scratch/plant.c" >/dev/null; then verdict=no; fi
    if [ "$verdict" != "$1" ]; then
        echo "the check itself is broken: '$2' gave $verdict, expected $1"
        exit 1
    fi
}
expect no '/* see store/nowhere.c\n */'
expect no '/* first\n * prims/nowhere.h */'
expect yes '/* store/pool.c, prims/store/pool.c, pool.c; gone.c; sys/nowhere.h */ run("store/nowhere.c");'

# shellcheck disable=SC2046 # names without spaces
if look "$scratch/list" $(git ls-files prims backends interp lua tests bench examples docs |
    grep -E '\.(c|h|def|hpp|lua|md)$' | grep -v '^tests/fuzz/corpus'); then
    echo "these files are not there"
    exit 1
fi
