#!/bin/sh
# A file that says in a comment that it "knows no X" (neither X nor Y, nothing of X) does not: X is a word of knows.txt, whose
# names stand nowhere in its code. Proves first that it can see one that does. The rooms of SKIP are not looked at.
set -eu
cd "$(dirname "$0")/../.."
SKIP='^prims/(sets|placing|spread|api/spmd)/|^prims/ranks/(link|regions)|^prims/(backend|work)\.h|^backends/mpi/|^interp/bind/spmd/'

# FILE WORD, a line each, of what the files given say that they do not know.
said() {
    awk '
    function words(text,   n, part, i, w) {
        gsub(/ nor | and |, and |, /, "|", text)
        n = split(text, part, "|")
        for (i = 1; i <= n; i++) {
            w = part[i]
            sub(/^(no|nothing of) /, "", w)
            if (w == "") continue
            gsub(/ /, "_", w)
            print file, w
        }
    }
    function look(   text) {
        gsub(/[ \t\n]+/, " ", comment)
        while (match(comment, /[Kk]nows (no|neither|nothing of) [^.;:]*/)) {
            text = substr(comment, RSTART, RLENGTH)
            comment = substr(comment, RSTART + RLENGTH)
            sub(/^[Kk]nows (no|neither|nothing of) /, "", text)
            sub(/ *$/, "", text)
            words(text)
        }
    }
    FNR == 1 { inside = 0; file = FILENAME }
    {
        line = $0
        if (!inside && match(line, /\/\*/)) { inside = 1; comment = ""; line = substr(line, RSTART + 2) }
        if (!inside) next
        ended = match(line, /\*\//)
        if (ended) line = substr(line, 1, RSTART - 1)
        sub(/^ *\* ?/, "", line)
        comment = comment " " line
        if (ended) { inside = 0; look() }
    }' "$@"
}

# The code of a file: no comments, no texts but the names of headers.
code() {
    awk '
    {
        line = $0; out = ""
        while (line != "") {
            if (inside) {
                if (!match(line, /\*\//)) break
                line = substr(line, RSTART + 2); inside = 0
            } else if (match(line, /\/\*/)) {
                out = out substr(line, 1, RSTART - 1); line = substr(line, RSTART + 2); inside = 1
            } else { out = out line; break }
        }
        sub(/\/\/.*/, "", out)
        if (out !~ /# *include/) gsub(/"([^"\\]|\\.)*"/, "\"\"", out)
        print out
    }' "$1"
}

# True if what FILE WORD says is so.
holds() {
    word=${2%s}
    case $2 in s | *ss) word=$2 ;; esac
    names=$(sed -n "s/^$word  *//p" tests/lint/knows.txt)
    if [ -z "$names" ]; then
        echo "$1: knows no '$2': that is no word of tests/lint/knows.txt"
        return 1
    fi
    beside=${1%.h}.c
    for file in "$1" $(test "$beside" != "$1" && test -f "$beside" && echo "$beside"); do
        if found=$(code "$file" | grep -oE -e "$names"); then
            echo "$1: knows no '$2': $file has $(echo "$found" | head -n 1)"
            return 1
        fi
    done
}

check() {
    said "$@" | {
        result=0
        while read -r file word; do holds "$file" "$word" || result=1; done
        return $result
    }
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The text must be refused (or accepted): expect no|yes text
expect() {
    printf '%b\n' "$2" >"$scratch/plant.c"
    verdict=yes
    check "$scratch/plant.c" >/dev/null || verdict=no
    if [ "$verdict" != "$1" ]; then
        echo "the check itself is broken: '$2' gave $verdict, expected $1"
        exit 1
    fi
}
while read -r word names; do
    case $word in '' | '#'*) continue ;; esac
    echo | grep -qE -e "$names" || test $? -eq 1 || exit 1
done <tests/lint/knows.txt
expect no '/* plant.c - x.\n * Knows no\n * engine. */\nlun_engine *e;'
expect no '/* plant.c - x. Knows neither nodes nor queues; y. */\nlun_queue *q;'
expect no '/* plant.c - x. Knows no weather. */'
expect no '/* plant.c - x. Knows no IR. */\n#include "ir/ir.h"'
expect yes '/* plant.c - x. Knows no array and no engine. */\nchar *s = "lun_array"; /* lun_engine */\n#include "node.h"'

# shellcheck disable=SC2046 # names without spaces
check $(git ls-files prims backends interp | grep -E '\.(c|h)$' | grep -vE "$SKIP")
