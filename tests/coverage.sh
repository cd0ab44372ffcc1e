#!/bin/sh
# The lines and branches that a run of an instrumented tree (make coverage) has reached, by folder, and the functions
# that no test has called (docs/architecture/coverage.md). Every line is in index.html of the tree.
# usage: sh tests/coverage.sh directory [again]     again: from the lists that are there
set -u
cd "$(dirname "$0")/.." || exit 1
tree=$1
csv=$tree/coverage.csv
[ "${2:-}" = again ] || gcovr --root . --filter prims/ --filter backends/ --filter interp/ --exclude-unreachable-branches \
    --exclude-throw-branches --gcov-ignore-parse-errors --csv "$csv" --html-details "$tree/index.html" "$tree/obj" || exit 1

awk -F, 'NR > 1 {
        split($1, part, "/")
        room = part[1] "/"
        if (part[3] != "")
            room = room part[2] "/"
        if (!(room in lines))
            order[++n] = room
        for (k = 0; k < 2; k++) {
            name = k ? "all" : room
            lines[name] += $2; hit[name] += $3; branches[name] += $5; taken[name] += $6; files[name]++
        }
    }
    END {
        print "| folder | files | lines | reached | branches | taken |"
        print "|---|---|---|---|---|---|"
        order[++n] = "all"
        for (i = 1; i <= n; i++) {
            r = order[i]
            printf "| %s | %d | %d | %.1f %% | %d | %.1f %% |\n", r, files[r], lines[r], 100 * hit[r] / lines[r],
                branches[r], branches[r] ? 100 * taken[r] / branches[r] : 100
        }
    }' "$csv"

echo
echo "functions that no test has called:"
find "$tree/obj/prims" "$tree/obj/backends" "$tree/obj/interp" -name '*.gcda' | sort | while read -r data; do
    gcov -f -n "$data" 2>/dev/null
done | awk '/^Function/ { f = $2; next }
    /^File/ { file = $2; next }
    f != "" && /^Lines executed:0.00%/ { gsub(/\047/, "", f); print "  " f }
    { f = "" }' | sort -u
