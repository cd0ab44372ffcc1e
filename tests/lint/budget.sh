#!/bin/sh
# The lines that each room may have (budget.txt): a room that has more fails, and so does one without a row or a row without a
# room. Raising a number is a commit of its own that says why; after lines have gone, `--write` lowers the numbers to what is
# there. Proves first that it can see a room that grew.
# usage: sh tests/lint/budget.sh [--write]
set -eu
cd "$(dirname "$0")/../.."

# "room lines" of the tree in the current directory, a line for each folder with sources.
count() {
    find prims backends interp lua -name '*.[ch]' -o -name '*.hpp' -o -name '*.def' -o -name '*.lua' | LC_ALL=C sort |
        while read -r path; do echo "${path%/*} $(wc -l <"$path")"; done |
        awk '{ lines[$1] += $2 } END { for (room in lines) print room, lines[room] }' | LC_ALL=C sort
}

# Compares budget.txt's rows with what count gives: budget counted
compare() {
    awk 'FNR == NR { sub(/#.*/, ""); if (NF) budget[$1] = $2; next }
         { there[$1] }
         !($1 in budget) { print $1 " has no row in tests/lint/budget.txt (" $2 " lines)"; bad = 1; next }
         $2 > budget[$1] { print $1 " has " $2 " lines, its budget is " budget[$1]; bad = 1 }
         END { for (room in budget) if (!(room in there)) { print room " has a budget and no file"; bad = 1 }
               exit bad }' "$1" "$2"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

printf 'prims/a 10\nprims/b 5\n' >"$scratch/budget"
for plant in 'prims/a 11;prims/b 5' 'prims/a 10;prims/b 5;prims/c 1' 'prims/a 10'; do
    echo "$plant" | tr ';' '\n' >"$scratch/plant"
    if compare "$scratch/budget" "$scratch/plant" >/dev/null; then
        echo "the check itself is broken: '$plant' was accepted"
        exit 1
    fi
done
printf 'prims/a 10\nprims/b 4\n' >"$scratch/plant"
compare "$scratch/budget" "$scratch/plant" || { echo "the check itself is broken"; exit 1; }

count >"$scratch/counted"
if [ "${1:-}" = --write ]; then
    { sed -n '/^#/p' tests/lint/budget.txt; cat "$scratch/counted"; } >"$scratch/new"
    cp "$scratch/new" tests/lint/budget.txt
    exit 0
fi
compare tests/lint/budget.txt "$scratch/counted"
