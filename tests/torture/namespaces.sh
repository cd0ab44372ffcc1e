#!/bin/sh
# Ranks as machines: network namespaces on a bridge, with Open MPI over TCP between them and nothing else. What they print is
# what as many threads print, and the bytes went over the links. Needs iproute2 and leave to make namespaces.
set -u
self=tests/torture/namespaces.sh
BUILD=${BUILD:-build}
out=${TORTURE_SCRATCH:-/tmp}/namespaces
machines=3
name="ranks in $machines network namespaces"

# Ends with the reason why this cannot be tried here.
skip() {
    printf 'ok\t%s\tskipped: %s\n' "$name" "$1"
    exit 0
}

# Makes the namespaces r1 (10.77.0.1) and so on, and their switch, in a network and a mount namespace of this process alone.
make() {
    mount -t tmpfs none /run && ip netns add switch && ip -n switch link add bridge type bridge &&
        ip -n switch link set bridge up || return 1
    for k in $(seq "$machines"); do
        ip netns add "r$k" && ip link add eth1 netns "r$k" type veth peer name "port$k" netns switch || return 1
        ip -n switch link set "port$k" master bridge && ip -n switch link set "port$k" up || return 1
        ip -n "r$k" addr add "10.77.0.$k/24" dev eth1 && ip -n "r$k" link set lo up && ip -n "r$k" link set eth1 up || return 1
    done
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        ip -n "r$machines" -o link show eth1 | grep -q 'state UP' && return 0
        sleep 0.1
    done
    return 1
}

# Bytes that a namespace has sent: namespace
sent() { ip -n "$1" -s -o link show eth1 | sed 's/.*TX: [^\\]*\\ *\([0-9]*\).*/\1/'; }

# The program on all: what it prints goes to $out/got; fails where it does, or hardly anything was sent. words...
on_all() {
    before=$(sent r1)
    # shellcheck disable=SC2086 # none, or a word
    ip netns exec r1 timeout -k 5 120 mpirun.openmpi $root --mca plm_rsh_agent "$out/agent" --mca btl tcp,self --mca pml ob1 \
        --mca oob_tcp_if_include 10.77.0.0/24 --mca btl_tcp_if_include 10.77.0.0/24 --host "$hosts" -n "$machines" \
        "$BUILD/lunarray" "$@" >"$out/got" 2>"$out/err" </dev/null || return 1
    bytes=$(($(sent r1) - before))
}

# One program, whose threads' output is in $out/want: title words...
check() {
    title=$1
    shift
    if ! on_all "$@"; then
        printf 'FAIL\t%s: %s\t%s\n' "$name" "$title" "$(head -n 1 "$out/err")"
    elif ! cmp -s "$out/want" "$out/got"; then
        printf 'FAIL\t%s: %s\tanother output\n' "$name" "$title"
    elif [ "$bytes" -lt 20000 ]; then
        printf 'FAIL\t%s: %s\tonly %s bytes over the link\n' "$name" "$title" "$bytes"
    else
        printf 'ok\t%s: %s\t%s bytes over the link\n' "$name" "$title" "$bytes"
        return
    fi
    diff "$out/want" "$out/got"
    cat "$out/err"
}

if [ "${1:-}" = inside ]; then
    hosts=$(seq -f "10.77.0.%g:1" -s , "$machines")
    root=$([ "$(id -u)" != 0 ] || echo --allow-run-as-root)
    make >"$out/made" 2>&1 || skip "$(head -n 1 "$out/made")"
    "$BUILD/lunarray" --ranks "$machines" examples/abc_product.lua >"$out/want" 2>/dev/null </dev/null
    check "ABC's product" examples/abc_product.lua
    "$BUILD/lunarray" examples/cg.lua >"$out/want" 2>/dev/null </dev/null
    check "one script on all" --backend mpi examples/cg.lua
    exit 0
fi

mkdir -p "$out" || exit 1
command -v mpirun.openmpi >/dev/null || skip "Open MPI is not installed"
command -v ip >/dev/null || skip "iproute2 is not installed"
unshare -r -n -m true 2>"$out/err" || skip "$(cat "$out/err")"
# What mpirun takes for ssh: options and a host, then a command there.
cat >"$out/agent" <<'END'
#!/bin/sh
while [ $# -gt 0 ] && [ "${1#10.77.0.}" = "$1" ]; do shift; done
namespace=r${1#10.77.0.}
shift
exec ip netns exec "$namespace" sh -c "$*"
END
chmod +x "$out/agent"
exec unshare -r -n -m sh "$self" inside
