#!/bin/sh
# Eight everyday workloads beside NumPy, polars and JAX: medians of all rounds, as the table of README.md.
# usage: sh bench/peers.sh   (ROUNDS, REPS, THREADS, PYTHON can be set; libraries that PYTHON lacks are left out:
# python3 -m venv /tmp/peers && /tmp/peers/bin/pip install numpy polars jax && PYTHON=/tmp/peers/bin/python sh bench/peers.sh)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
LUNARRAY_BACKEND=openmp
LUNARRAY_JIT=sync
LUNARRAY_THREADS=${THREADS:-2}
POLARS_MAX_THREADS=$LUNARRAY_THREADS
export LUNARRAY_BACKEND LUNARRAY_JIT LUNARRAY_THREADS POLARS_MAX_THREADS
python=${PYTHON:-python3}
names="fused distance mandelbrot sort group csv stencil"

"$BUILD/lunarray" -e '
local t = {}
for k, name in ipairs { "a", "b", "c", "d", "e", "f" } do
    t[name] = lun.random(500000, { seed = k, dist = k < 4 and "uniform" or "normal" })
end
lun.save("'"$scratch"'/t.csv", lun.table(t))'

# A process from its start to its end: name of the library, command...
process() {
    library=$1
    shift
    for _ in 1 2 3; do
        begin=$(date +%s%N)
        "$@" >"$scratch/said" 2>&1 || return 0
        end=$(date +%s%N)
        echo "$begin $end" | awk '{ printf "start %.9f\n", ($2 - $1) / 1e9 }' >>"$scratch/$library"
    done
}

for _ in $(seq "${ROUNDS:-3}"); do
    # shellcheck disable=SC2086 # words
    "$BUILD/lunarray" bench/peers.lua "$scratch/t.csv" "${REPS:-5}" $names >>"$scratch/lunarray"
    for library in numpy polars jax; do
        # shellcheck disable=SC2086 # words
        "$python" bench/peers.py "$library" "$scratch/t.csv" "${REPS:-5}" $names >>"$scratch/$library" 2>>"$scratch/errors" || true
    done
    process lunarray env LUNARRAY_JIT=auto "$BUILD/lunarray" -e 'print((lun.range(1, 1000000) ^ 2):sum())'
    process numpy "$python" -c 'import numpy as np; print((np.arange(1, 1000001.0) ** 2).sum())'
    process polars "$python" -c 'import polars as pl; print((pl.Series(range(1, 1000001)).cast(pl.Float64) ** 2).sum())'
    process jax "$python" -c 'import jax, jax.numpy as jnp; print((jnp.arange(1, 1000001.0) ** 2).sum())'
done

row() {
    printf '| %s |' "$2"
    for library in lunarray numpy polars jax; do
        sed -n "s/^$1 //p" "$scratch/$library" 2>/dev/null >"$scratch/figures" || true
        if [ -s "$scratch/figures" ]; then
            printf ' %s |' "$(median "$scratch/figures" | awk '{ ms = $1 * 1e3; printf ms < 100 ? "%.3g ms" : "%.0f ms", ms }')"
        else
            printf ' |'
        fi
    done
    printf '\n'
}

echo "$(lscpu | sed -n 's/^Model name: *//p'), $LUNARRAY_THREADS threads; $("$python" -c '
import importlib.metadata as m
for name in ("numpy", "polars", "jax"):
    try: print(name, m.version(name), end="; ")
    except m.PackageNotFoundError: pass' 2>"$scratch/said" || true)"
echo
echo '| | Lunarray | NumPy | polars | JAX |'
echo '|---|---|---|---|---|'
row fused '`(A + B) * (C + D)`, 2^24 `f64`'
row distance '`((A - B) ^ 2):sum()`, 2^24 `f64`'
row mandelbrot 'a plain function with a loop: 1024 x 768 points of Mandelbrot, 200 rounds'
row sort 'sort 10^7 `f64`'
row group 'means of 10^7 rows by 10^5 integer keys'
row csv 'load a csv of 500,000 rows, 6 columns'
row stencil 'ten five-point stencils on 2048 x 2048 `f64`'
row start 'a process: start, sum of 10^6 squares, end'
