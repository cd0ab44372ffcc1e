#!/bin/sh
# The sequences of prims/math/sequences, NAME.seq, are C over the words of math/gnu_words.h and nothing else, or they would not have the
# same bits everywhere: no functions of a library, no loops, no decimal fractions, no types but the four. A name is a word, a
# local one that the text declares, or lun_seq_...; texts.def has a row for each file. Proves first that it can see a violation.
set -eu
cd "$(dirname "$0")/../.."

# Prints what is none of these in the files given; true if there is anything.
look() {
    awk '
    BEGIN {
        split("F64 F32 I64 I32 INLINE COLD TABLE INF INFF QNAN QNANF C CF BITS BITSF REAL REALF LT LTF LE LEF EQ EQF NE NEF " \
              "SEL SELF SELS SELSF ANY ANYF ANYS ANYSF ANYNOT ANYNOTF MIN MINF MAX MAXF FMA FMAF SQRT SQRTF HALVES HALVES2 WORD ROWS if return", list, " ")
        for (k in list) word[list[k]]
    }
    function say(what) { print FILENAME ": " what; found = 1 }
    FNR == 1 { split("", own); inside = 0 }
    {
        text = $0
        if (inside && !sub(/^.*\*\//, "", text)) next
        inside = 0
        while (match(text, /\/\*/)) {
            before = substr(text, 1, RSTART - 1); rest = substr(text, RSTART)
            if (!sub(/^.*\*\//, "", rest)) { inside = 1; rest = "" }
            text = before rest
        }
        if (text ~ /["'\''#\\;]/ && text ~ /["'\''#\\]/) say("a character that no sequence has: " $0)
        line = text
        while (match(line, /(F64|F32|I64|I32) \**[a-z][a-z0-9]*/)) {
            name = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
            sub(/^.* \**/, "", name); own[name]
        }
        while (match(text, /[A-Za-z0-9_.]+([pP][+-][0-9]+f?)?/)) {
            token = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH)
            if (token ~ /^0x[0-9a-f]+$/ || token ~ /^[0-9]+$/) continue
            if (token ~ /^0x[01](\.[0-9a-f]+)?p[+-]?[0-9]+f?$/) continue
            if (token ~ /^lun_seq_[a-z0-9_]+$/ || token in word || token in own) continue
            say(token)
        }
    }
    END { exit !found }' "$@"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
printf 'INLINE F64 lun_seq_a_f64(F64 x)\n{\n    /* 1.5 of it */\n    F64 y = FMA(x, C(0x1.8p+0), x);\n    return y;\n}\n' \
    >"$scratch/clean.seq"
for plant in 'return exp(x);' 'return x * 1.5;' 'for (;;)' 'float y = x;' 'return x + z;'; do
    printf 'INLINE F64 lun_seq_a_f64(F64 x)\n{\n    %s\n}\n' "$plant" >"$scratch/plant.seq"
    if ! look "$scratch/plant.seq" >/dev/null; then
        echo "the check itself is broken: it does not see $plant"
        exit 1
    fi
done
if look "$scratch/clean.seq"; then
    echo "the check itself is broken"
    exit 1
fi

result=0
if look prims/math/sequences/*.seq; then
    result=1
fi
for file in prims/math/sequences/*.seq; do
    name=$(basename "$file" .seq)
    if ! grep -q "^LUN_MATH_TEXT($name," prims/math/texts.def; then
        echo "$file has no row in prims/math/texts.def"
        result=1
    fi
done
exit $result
