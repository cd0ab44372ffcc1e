#!/bin/sh
# Matrix products: bench/matmul.lua beside OpenBLAS (bench/matmul.c), in turn. Prints the least time of all rounds, how
# many times as long ours takes, and which share of the machine's peak that is.
# usage: sh bench/matmul.sh   (ROUNDS, REPS, THREADS="1 2", DTYPES, SHAPES="m,k,n ..." can be set)
set -eu
cd "$(dirname "$0")/.."
. bench/alone.sh
LUNARRAY_BACKEND=openmp
export LUNARRAY_BACKEND

blas=yes
${CC:-gcc} -O3 -march=native -ffp-contract=fast -DBLAS -o "$BUILD/bench/matmul" bench/matmul.c -lopenblas 2>/dev/null || {
    echo "no OpenBLAS here (Debian: libopenblas-dev): ours alone"
    blas=
    ${CC:-gcc} -O3 -march=native -ffp-contract=fast -o "$BUILD/bench/matmul" bench/matmul.c
}

echo 'BEGIN { n = int(2e10 / work); print (n < 3 ? 3 : n > 200 ? 200 : n) }' >"$scratch/reps"

least() {
    sort -g "$1" | head -1
}

shapes=${SHAPES:-16,16,16 64,64,64 256,256,256 512,512,512 1024,1024,1024 2047,2047,2047 2048,2048,2048 4096,4096,4096
    100000,64,64 64,100000,64 64,64,100000}
printf '%-20s %-5s %8s %10s %10s %10s %8s %10s %10s\n' "m x k x n" dtype threads "ours ms" "transposed" "BLAS ms" ratio \
    "ours GF/s" "% of peak"
for dtype in ${DTYPES:-f32 f64}; do
    : >"$scratch/peaks"
    for threads in ${THREADS:-1 2}; do
        for shape in $shapes; do
            # shellcheck disable=SC2046
            set -- $(echo "$shape" | tr , ' ')
            work=$(awk "BEGIN { print 2 * $1 * $2 * $3 }")
            reps=${REPS:-$(awk -v work="$work" -f "$scratch/reps")}
            "$BUILD/bench/matmul" peak "$dtype" >>"$scratch/peaks" # of a busy machine: the most that was seen
            : >"$scratch/ours"; : >"$scratch/turned"; : >"$scratch/blas"
            round=1
            while [ "$round" -le "${ROUNDS:-3}" ]; do
                LUNARRAY_THREADS=$threads "$BUILD/lunarray" bench/matmul.lua "$1" "$2" "$3" "$dtype" "$reps" >>"$scratch/ours"
                LUNARRAY_THREADS=$threads "$BUILD/lunarray" bench/matmul.lua "$1" "$2" "$3" "$dtype" "$reps" t >>"$scratch/turned"
                if [ "$blas" ]; then
                    "$BUILD/bench/matmul" blas "$threads" "$1" "$2" "$3" "$dtype" "$reps" >>"$scratch/blas"
                else
                    echo 0 >>"$scratch/blas"
                fi
                round=$((round + 1))
            done
            awk -v name="$1 x $2 x $3" -v dtype="$dtype" -v threads="$threads" -v work="$work" \
                -v peak="$(sort -g "$scratch/peaks" | tail -1)" -v ours="$(least "$scratch/ours")" -v turned="$(least "$scratch/turned")" -v blas="$(least "$scratch/blas")" 'BEGIN {
                printf "%-20s %-5s %8d %10.3f %10.3f %10.3f %8.2f %10.1f %10.0f\n", name, dtype, threads, ours * 1e3,
                    turned * 1e3, blas * 1e3, (blas > 0 ? ours / blas : 0), work / ours / 1e9,
                    100 * work / ours / 1e9 / peak / threads }'
        done
    done
done
