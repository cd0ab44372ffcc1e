#!/bin/sh
# Each row of prims/table/ops.def has a rule of its derivative in lua/lunarray/gradient/elementwise.lua, or stands in the list of
# those whose derivative is 0, not both; and each rule has a row. Proves first that it can see a row without one.
# usage: sh tests/lint/derivatives.sh
set -eu
cd "$(dirname "$0")/../.."

rules=lua/lunarray/gradient/elementwise.lua

# The names of rows; of rules; of those without.
rows() { sed -n 's/^LUN_OP([A-Z0-9_]*, *\([a-z0-9_]*\),.*/\1/p' "$1" | LC_ALL=C sort; }
ruled() { sed -n 's/^function rules\.\([a-z0-9]*\)(.*/\1/p; s/^rules\.\([a-z0-9]*\) = .*/\1/p' $rules; }
without() { sed -n '/^local none/,/^$/p' $rules | grep -o '"[^"]*"' | tr -d '"' | tr -s ' ' '\n' | sed '/^$/d'; }

# What rows of that file and the rules do not have in common.
differences() {
    { ruled; without; } | LC_ALL=C sort >"$scratch/known"
    rows "$1" | LC_ALL=C diff - "$scratch/known" | sed -n 's/^< /no derivative of the row /p; s/^> /twice, or without a row: /p'
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
{ cat prims/table/ops.def; echo 'LUN_OP(PLANTED, planted, 1)'; } >"$scratch/ops.def"
[ "$(differences "$scratch/ops.def")" = "no derivative of the row planted" ] || {
    differences "$scratch/ops.def"
    echo "derivatives.sh does not see a row without a derivative, or the rows above have none"
    exit 1
}
