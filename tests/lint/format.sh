#!/bin/sh
# Every C file is as clang-format leaves it (make format), and no line is longer than 100 columns, which
# clang-format leaves as they are in comments and macros. Excepted: rows of tables (*.def), aligned by
# hand, and the head of an example, which says what it prints.
set -eu
cd "$(dirname "$0")/../.."
files() { # pattern: files of that name
    for room in prims backends interp tests bench examples; do
        if [ -d $room ]; then find $room -name "$1"; fi
    done
}
files '*.[ch]' | xargs clang-format --dry-run -Werror --ferror-limit=3
{ files '*.[ch]'; files '*.def'; } | xargs awk '
    FNR == 1 { head = FILENAME ~ /^examples\// }
    /^ \*\// { head = 0 }
    FILENAME ~ /\.def$/ && !/^ *\/?\*/ { next }
    length($0) > 100 && !head {
        print FILENAME ":" FNR ": " length($0) " columns, of at most 100"
        bad = 1
    }
    END { exit bad }'
