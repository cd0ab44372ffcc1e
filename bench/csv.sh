#!/bin/sh
# CSV files of numbers, of numbers and text, of dates: lun.load and lun.save beside pandas' C engine, pyarrow and polars,
# in turn, each in a process of its own. Prints medians of MB/s and peak memory beside what our columns take.
# usage: sh bench/csv.sh   (ROUNDS, SIZE of a file in MB, KINDS of them, PYTHON can be set; one file is there at a time,
# and SIZE=1000 takes several GB of memory; libraries that PYTHON lacks are left out:
# python3 -m venv /tmp/peers && /tmp/peers/bin/pip install pandas pyarrow polars && PYTHON=/tmp/peers/bin/python sh bench/csv.sh)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
files=$scratch/csv
mkdir -p "$files"

for name in ${KINDS:-numbers text dates}; do
    "$BUILD/lunarray" bench/csv.lua make "$files" "${SIZE:-200}" "$name"
    round=1
    while [ "$round" -le "${ROUNDS:-3}" ]; do
        "$BUILD/lunarray" bench/csv.lua "$files/$name.csv" >>"$scratch/lines"
        for library in pandas pyarrow polars; do
            "${PYTHON:-python3}" bench/csv_peers.py "$files/$name.csv" $library >>"$scratch/lines"
        done
        round=$((round + 1))
    done
    rm "$files/$name.csv"
done
awk '{ key = $1 " " $3 " " $2; speed[key] = speed[key] " " $5 / $4; memory[key] = $6; if ($7 > 0) columns[$1] = $7
       if (!seen[key]++) order[++count] = key }
    function median(list,  n, at, i, j, x) {
        n = split(list, at, " ")
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && at[j - 1] + 0 > at[j] + 0; j--) { x = at[j]; at[j] = at[j - 1]; at[j - 1] = x }
        return at[int((n + 1) / 2)]
    }
    END {
        printf "%-9s %-6s %-8s %8s %8s %11s\n", "", "", "", "MB/s", "peak MB", "columns MB"
        for (k = 1; k <= count; k++) {
            split(order[k], part, " ")
            printf "%-9s %-6s %-8s %8.0f %8.0f %11s\n", part[1], part[2], part[3], median(speed[order[k]]),
                memory[order[k]], part[3] == "ours" && part[2] == "load" ? sprintf("%.0f", columns[part[1]]) : ""
        }
    }' "$scratch/lines"
