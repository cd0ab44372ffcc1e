#!/bin/sh
# The numbers of the order of combination stand in prims/ir/combine_order.h alone: 16384, 65536, their neighbours and powers of two
# are refused elsewhere, in code and in texts; so are 64 and 256 in texts of the files that write combinations, 256 in the files
# of products, 8 and 64 in the interpreter's loops. A number that has nothing to do with the order is named below, by file,
# with what it is. Proves first that it can see one.
set -eu
cd "$(dirname "$0")/../.."

# file: what its number is
others="
backends/algorithms/aggregate_groups.c rows taken in turn while they are in the cache
backends/algorithms/arrange_groups.c rows of a share, elements of a group that one worker sorts
backends/algorithms/compress_chunks.c elements of a chunk that is counted and then written
backends/algorithms/group_codes.c keys of a part
backends/algorithms/hash_keys.c keys of a part
backends/algorithms/join_matches.c rows of a part
backends/algorithms/merge_runs.c elements of a part
backends/algorithms/select.c elements from which threads share a segment
backends/algorithms/sort/sort_count.c counters of 16 bits
backends/algorithms/sort/sort_parts.h elements of a worker's share
backends/algorithms/sorted_rows.c elements of a block
backends/algorithms/unique.c elements from which they are hashed
backends/gpu/coherence.c rounds of a probe
backends/gpu/gpu_device.c bytes of a text
backends/mpi/moves.c bytes of a piece
backends/opencl/cl_device.c bytes of a text
backends/product/block_product.c kilobytes of a panel
backends/render/body/packed_loop.c rounds without a question
backends/render/renderer.h bits of a set
backends/render/versions/private_memory.c bytes of private memory
interp/arrow/ipc_codec.c bytes that a byte of zstd may come to
interp/csv/float.c fixed-point logarithms
interp/json/token.c characters beyond those of two bytes of UTF-16
interp/luafn/ssa/unroll.c values of unrolled loops
interp/program/protected_call.c instructions between two looks
interp/program/repl_history.c bytes of an entry
lua/lunarray/format/arrowfile.lua rows of a batch
lua/lunarray/format/file.lua bytes of a piece
lua/lunarray/format/io.lua bytes from which ranks read
lua/lunarray/format/npz.lua bytes from which ranks read
lua/lunarray/format/raw.lua bytes from which ranks write
lua/lunarray/ranks/pack.lua bytes from which an array travels by itself
lua/lunarray/table/date.lua fixed-point arithmetic of calendars
lua/lunarray/table/object.lua rows of a part that a script is given
prims/api/write/scatter.c values worth a second thread
prims/base/infile.c bytes
prims/base/layout/strided.c bytes in the nearest cache
prims/ctext/token/source_text.c bytes of a block
prims/eval/fast_path.c elements of a small evaluation
prims/graph/backward_slice.c elements of a small part
prims/kernels/teams_kernel.c bytes of private memory
prims/ranks/collectives.c bytes of a long message
prims/sets/shared_algorithm.c values that are joined on the host
prims/steps/teams_step.c bytes
prims/table/algorithm.c values that fit first
prims/table/dtype.c elements in the nearest cache
"

# Prints the numbers in the files given, comments left out; true if there are any. $1: the pattern.
look() {
    pattern=$1
    shift
    awk -v pattern="$pattern" '
    FNR == 1 { inside = 0 }
    {
        line = $0
        if (FILENAME ~ /\.lua$/) sub(/--.*/, "", line)
        else {
            while (1) {
                if (inside) { if (!match(line, /\*\//)) { line = ""; break } line = substr(line, RSTART + 2); inside = 0 }
                if (!match(line, /\/\*/)) break
                rest = substr(line, RSTART + 2); head = substr(line, 1, RSTART - 1)
                if (match(rest, /\*\//)) line = head " " substr(rest, RSTART + 2)
                else { line = head; inside = 1; break }
            }
        }
        if (line ~ pattern) { sub(/^ */, ""); print FILENAME ":" FNR ": " $0; found = 1 }
    }
    END { exit !found }' "$@"
}

edge='(^|[^0-9A-Za-z_.])'
behind='($|[^0-9A-Za-z_.])'
large="$edge(1638[345]|6553[67]|1 ?<< ?1[46]|0x(4000|3fff|10000))$behind"
block="$edge(255|256)$behind" # of files that add up products in the order of k
group="$edge(8|63|64)$behind" # of those that combine chunks
small="\"[^\"]*[^][0-9A-Za-z_.(](64|63|256|255)[^0-9A-Za-z_.)]"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The text must be refused (or accepted): expect no|yes pattern text
expect() {
    printf '%b\n' "$3" >"$scratch/plant.c"
    verdict=yes
    if look "$2" "$scratch/plant.c" >/dev/null; then verdict=no; fi
    if [ "$verdict" != "$1" ]; then
        echo "the check itself is broken: '$3' gave $verdict, expected $1"
        exit 1
    fi
}
expect no "$large" 'enum { PART = 65536 };'
expect no "$large" 'int64_t chunks = (n + 16383) / 16384;'
expect no "$large" 'for (i = 0; i < 1 << 14; i++)'
expect yes "$large" '/* chunks of 16384\n * and 65536 */ int x = 163840;'
expect no "$block" 'INNER = 256 };'
expect no "$group" 'for (int l = 0; l < 8; l++)'
expect yes "$group" 'uint64_t x = y & 0xff; z = LUN_SCAN_GROUP;'
expect no "$small" 'puts("for (k = 0; k < 64; k++)");'
expect yes "$small" 'puts("for (k = 0; k < " LUN_ORDER_TEXT(LUN_LANES) "; k++)");'

status=0
files=$(git ls-files prims backends interp lua | grep -E '\.(c|h|def|lua)$' | grep -vx 'prims/ir/combine_order.h')
for file in $(printf '%s\n' "$others" | awk 'NF { print $1 }'); do
    files=$(printf '%s\n' "$files" | grep -vxF "$file")
done
# shellcheck disable=SC2086 # names without spaces
if look "$large" $files; then
    echo "a number of the order of combination is that of prims/ir/combine_order.h; another one is named in tests/lint/order.sh"
    status=1
fi
if look "$small" backends/render/chunk/*.c interp/luafn/ssa/team_methods.c lua/lunarray/block/block[lrst]*.lua; then
    echo "texts quote the numbers of prims/ir/combine_order.h: LUN_ORDER_TEXT"
    status=1
fi
if look "$block" backends/product/*.[ch] backends/gpu/gpu_product.c backends/render/opencl/move/product_kernel.c ||
    look "$group" backends/reference/loops_of.h backends/reference/interp.c; then
    echo "the order of combination is written by the names of prims/ir/combine_order.h"
    status=1
fi
exit $status
