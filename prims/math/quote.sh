#!/bin/sh
# Texts as C strings, without comments, empty lines and runs of spaces: sh prims/math/quote.sh FILE ... > math_texts.h
# The string of folder/exp_f64.seq is text_exp_f64_seq.
set -eu
for file in "$@"; do
    printf 'static const char text_%s[] =\n' "$(basename "$file" | tr . _)"
    awk '{
        text = text $0 "\n"
    }
    END {
        while ((from = index(text, "/*")) > 0) {
            rest = substr(text, from)
            text = substr(text, 1, from - 1) substr(rest, index(rest, "*/") + 2)
        }
        lines = split(text, line, "\n")
        for (i = 1; i <= lines; i++) {
            sub(/^[ \t]+/, "", line[i])
            sub(/[ \t]+$/, "", line[i])
            gsub(/  +/, " ", line[i])
            if (line[i] == "") continue
            gsub(/\\/, "&&", line[i])
            gsub(/"/, "\\\"", line[i])
            printf "    \"%s\\n\"\n", line[i]
        }
        print "    ;"
    }' "$file"
done
