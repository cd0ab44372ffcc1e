#!/bin/sh
# Turns Lua files into one C table: sh interp/state/embed.sh COMPILE lua/lunarray/init.lua ... > embedded.c
# Each row is {module name, chunk name, bytes, length}; interp/state/modules.c reads the table.
# The bytes are what COMPILE (lua/compile.c) writes; where it does not run, as in a build for another
# machine, they are the file. Uses only sh, od, sed and awk. Knows nothing of what the files say.
set -eu
compile=$1
shift
bytes=$(mktemp)
trap 'rm -f "$bytes"' EXIT
# A shell runs an empty file, and says that all is well.
{ "$compile" "$1" >"$bytes" 2>/dev/null && [ -s "$bytes" ]; } || compile=cat

# lua/lunarray/format/csv.lua -> lunarray.csv; lua/lunarray/init.lua -> lunarray
module_name() {
    echo "$1" | sed -e 's,^lua/,,' -e 's,\.lua$,,' -e 's,/init$,,' -e 's,/,.,g'
}

echo '/* Made by interp/state/embed.sh from lua/; do not edit. */'
echo '#include "state/modules.h"'
number=0
for file in "$@"; do
    number=$((number + 1))
    echo "static const unsigned char file_$number[] = {"
    # A zero ends each array, so that an empty file is a legal one too.
    "$compile" "$file" >"$bytes"
    od -An -v -tu1 "$bytes" |
        awk '{ gsub(/[ \t]+/, ","); sub(/^,/, ""); sub(/,$/, ""); print $0 "," }'
    echo '0};'
done
echo 'const struct lun__embedded lun__embedded[] = {'
number=0
for file in "$@"; do
    number=$((number + 1))
    echo "    {\"$(module_name "$file")\", \"@$file\", file_$number, sizeof file_$number - 1},"
done
echo '    {0, 0, 0, 0}};'
