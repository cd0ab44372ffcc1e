#!/bin/sh
# An internal function (lun__ and luafn_, shared by files) says its file: behind lun__ its name begins with the name of the
# file that defines it, as luaK_ does in lcode.c; lun__pad_box stands in a file named pad. The singular, the plural and the
# verb's forms will do (lun__node_take of nodes, lun__lower of lowering), the word of the room may stand before it, and
# prefix.txt has the words of files whose functions say another one. Functions that open a part of the Lua module are
# lun__open_FILE, as Lua's luaopen_ are. Proves first, on lists of its own, that it can see a violation. Reads the objects of
# $BUILD (build), which must be built.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
table=tests/lint/prefix.txt

# Reads the table and lines "OBJECT SYMBOL"; prints names that do not say their file, and words of the table that say two
# files, or none.
check() {
    awk '
    function note(w) { if (w != "") base[w] }
    function forms(w,   x, cut) {
        split("", base); split("", form)
        note(w)
        if (w ~ /ices$/) note(substr(w, 1, length(w) - 4) "ex")
        if (w ~ /ies$/) note(substr(w, 1, length(w) - 3) "y")
        if (w ~ /es$/) note(substr(w, 1, length(w) - 2))
        if (w ~ /s$/) note(substr(w, 1, length(w) - 1))
        if (w ~ /ing$/) { note(substr(w, 1, length(w) - 3)); note(substr(w, 1, length(w) - 3) "e") }
        if (w ~ /e[rd]$/) { note(substr(w, 1, length(w) - 2)); note(substr(w, 1, length(w) - 1)) }
        for (x in base) {
            cut = x
            sub(/e$/, "", cut)
            form[x]; form[x "s"]; form[x "es"]; form[cut "ing"]; form[x "ing"]; form[cut "ed"]
            if (x ~ /y$/) form[substr(x, 1, length(x) - 1) "ies"]
        }
    }
    function begins(name, word) { return name == word || index(name, word "_") == 1 }
    function says(object, name,   stem, x, d, i, n, words) {
        n = split(stated[object], words, " ")
        for (i = 1; i <= n; i++) if (begins(name, words[i])) { used[object, words[i]]; return 1 }
        stem = object
        sub(/.*\//, "", stem)
        forms(stem)
        for (x in form) {
            if (begins(name, x)) return 1
            for (d = object; sub(/\/[^\/]*$/, "", d);) if (d in room && begins(name, room[d] x)) return 1
        }
        if (object ~ /^interp\/bind\// && sub(/^open_/, "", name)) {
            sub(/^lua_/, "", stem)
            forms(stem)
            for (x in form) if (begins(name, x)) return 1
        }
        return 0
    }
    FILENAME == TABLE {
        sub(/#.*/, "")
        if ($1 == "skip") skip[$2]
        else if ($1 == "room") room[$2] = $3
        else if (NF) {
            for (i = 2; i <= NF; i++) {
                word = ($1 ~ /\/luafn\// ? "luafn_" : "lun__") $i
                if (word in of) { print TABLE ": " word " is the word of " of[word] " and of " $1; bad = 1 }
                of[word] = $1
                stated[$1] = stated[$1] " " $i
            }
        }
        next
    }
    {
        name = $2
        if (!sub(/^(lun__|luafn_)/, "", name)) next
        for (x in skip) if (index($1, x) == 1) next
        if (!says($1, name)) { print $1 ": " $2 " does not say its file"; bad = 1 }
    }
    END {
        for (object in stated) {
            n = split(stated[object], words, " ")
            for (i = 1; i <= n; i++)
                if (!((object, words[i]) in used)) { print TABLE ": no function of " object " begins with " words[i]; bad = 1 }
        }
        exit bad
    }' TABLE="$1" "$1" "$2"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The functions must be refused (or accepted): expect no|yes "OBJECT SYMBOL; OBJECT SYMBOL" [lines of the table]
expect() {
    { echo "room a/r r_"; echo "skip a/gone/"; echo "${3:-}"; } | tr ';' '\n' >"$scratch/table"
    echo "$2" | tr ';' '\n' | sed 's/^ *//' >"$scratch/plant"
    verdict=yes
    check "$scratch/table" "$scratch/plant" >/dev/null || verdict=no
    if [ "$verdict" != "$1" ]; then
        echo "the check itself is broken: '$2' with '${3:-}' gave $verdict, expected $1"
        exit 1
    fi
}
expect yes "a/pad lun__pad; a/pad lun__pad_box; a/nodes lun__node_take; a/lowering lun__lower; a/store lun__stored"
expect no "a/pad lun__padding_box_of; a/pad lun__box"
expect no "a/pad lun__paddle"
expect yes "a/r/pad lun__r_pad_box; a/r/x/pad lun__r_pad_box"
expect no "a/r/pad lun__r_box"
expect no "a/pad lun__r_pad_box"
expect yes "a/gone/pad lun__box"
expect yes "a/pad lun_box; a/pad lunarray_box"
expect yes "a/pad lun__box_of" "a/pad box"
expect no "a/pad lun__box_of; a/case lun__box_in" "a/pad box; a/case box"
expect no "a/pad lun__pad" "a/pad box"
expect no "a/luafn/pad luafn_box"
expect yes "interp/bind/lua_pad lun__open_pad"
expect no "interp/bind/lua_pad lun__open_box"

if [ ! -d "$build/obj/prims" ]; then
    echo "$build/obj has no objects: build first"
    exit 1
fi
# only objects of sources that are there: a removed file leaves its object behind
find "$build/obj/prims" "$build/obj/backends" "$build/obj/interp" -name '*.o' | LC_ALL=C sort | while read -r object; do
    source=${object#"$build"/obj/}
    source=${source%.o}
    case $source in *_base | *_avx2 | *_avx512) test -e "$source.c" || source=${source%_*} ;; esac
    if [ -e "$source.c" ]; then echo "$object"; fi
done | xargs nm -A | awk -v prefix="$build/obj/" '$(NF - 1) == "T" {
    object = substr($1, length(prefix) + 1)
    sub(/\.o:.*/, "", object)
    if (object ~ /_(base|avx2|avx512)$/ && system("test -e " object ".c")) sub(/_[a-z0-9]*$/, "", object)
    print object, $NF
}' >"$scratch/functions"
# and those that a header defines
git ls-files prims backends interp | grep '\.h$' | xargs awk '
    /^(static|inline) / { head = 1 }
    head && match($0, /(lun__|luafn_)[a-z0-9_]+\(/) {
        object = FILENAME
        sub(/\.h$/, "", object)
        print object, substr($0, RSTART, RLENGTH - 1)
        head = 0
    }
    /[;{]/ { head = 0 }' >>"$scratch/functions"
check "$table" "$scratch/functions"
