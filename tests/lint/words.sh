#!/bin/sh
# The words of OpenCL C stand in backends/render/words.def alone: the renderer's texts have them as @name. Proves
# first that it can see one. user/c_prelude.c and common.c may contain them: they are names for users' texts there.
set -eu
cd "$(dirname "$0")/../.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Identifiers of the second column that C does not have.
sed -n 's/^LUN_WORD([a-z0-9_]*, *"\([^"]*\)",.*/\1/p' backends/render/words.def |
    tr -c 'A-Za-z0-9_\n' '\n' |
    grep -vxE 'char|short|int|long|static|inline|volatile|pragma|OFF|__attribute__|[0-9]*' |
    sort -u >"$scratch/words"

# Prints the string literals of a file that contain such a word; true if there are any.
look() {
    sed -e 's/#include.*//' -e 's/\\"//g' -e 's/@[a-z0-9_]*//g' "$1" | grep -on '"[^"]*"' |
        grep -wF -f "$scratch/words" | sed "s,^,$1:," | grep .
}

printf 'puts("    barrier(CLK_LOCAL_MEM_FENCE);");\n' >"$scratch/plant.c"
printf 'puts("    @local_barrier;"); /* barrier */\n' >"$scratch/clean.c"
if ! look "$scratch/plant.c" >/dev/null || look "$scratch/clean.c" >/dev/null; then
    echo "the check itself is broken"
    exit 1
fi

result=0
for file in $(find backends/render -name '*.c' ! -path '*/user/c_prelude.c' ! -path '*/user/common.c'); do
    if look "$file"; then result=1; fi
done
exit $result
