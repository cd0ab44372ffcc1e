#!/bin/sh
# Every C file is as clang-format leaves it (make format); the tables (*.def) are aligned by hand.
set -eu
cd "$(dirname "$0")/../.."
for room in prims backends interp tests bench examples; do
    if [ -d $room ]; then find $room -name '*.[ch]'; fi
done | xargs clang-format --dry-run -Werror --ferror-limit=3
