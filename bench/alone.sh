# shellcheck shell=sh
# What a benchmark that runs by itself begins with, in the project's directory: `. bench/alone.sh`. Sets BUILD, and
# scratch, a directory that is removed when the script ends and holds its kernels.
BUILD=${BUILD:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
LUNARRAY_CACHE_DIR=$scratch/cache
export BUILD LUNARRAY_CACHE_DIR
mkdir -p "$BUILD/bench"

# Of the numbers in a file, one a line.
median() {
    sort -g "$1" | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}

# Makes the module by which scripts read the time of the processor, as C programs do.
make_clock() {
    for dir in /usr/include/lua5.4 /usr/local/include/lua5.4 /usr/include /usr/local/include; do
        if [ -e "$dir/lua.h" ]; then
            ${CC:-gcc} -O3 -shared -fPIC -isystem "$dir" -o "$BUILD/bench/clock.so" bench/clock.c
            return
        fi
    done
}
