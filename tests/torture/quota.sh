#!/bin/sh
# A CPU quota of 1 in a real control group: the program chooses one thread, and takes about as long as with --threads 1.
# The time of eight threads is reported beside it. Needs root, a writable control group file system, and two CPUs.
set -u
BUILD=${BUILD:-build}
out=${TORTURE_SCRATCH:-/tmp}/quota
name="a quota of one CPU"

group=
for root in /sys/fs/cgroup/cpu /sys/fs/cgroup; do # version 1, then 2
    if [ -w "$root/cgroup.procs" ] && mkdir "$root/lunarray-$$" 2>/dev/null; then
        group=$root/lunarray-$$
        break
    fi
done
leave() { [ -z "$group" ] || rmdir "$group"; }
trap leave EXIT
if [ -n "$group" ] && [ -w "$group/cpu.cfs_quota_us" ]; then
    echo 100000 >"$group/cpu.cfs_period_us" && echo 100000 >"$group/cpu.cfs_quota_us"
elif [ -n "$group" ] && [ -w "$group/cpu.max" ]; then
    echo "100000 100000" >"$group/cpu.max"
else
    printf 'ok\t%s\tleft out: no control group can be made here\n' "$name"
    exit 0
fi
if [ "$(nproc)" -lt 2 ]; then
    printf 'ok\t%s\tleft out: one CPU\n' "$name"
    exit 0
fi

cat >"$out.lua" <<'LUA'
local x = lun.random(4000000, { seed = 1 }):eval()
local function now() local f = io.open "/proc/uptime" local t = f:read "n" f:close() return t end
local best = math.huge
for _ = 1, 5 do
    local start = now()
    for _ = 1, tonumber(arg[1]) do x:sin():sum() end
    best = math.min(best, now() - start)
end
local threads = 0
for _ in io.popen("ls /proc/" .. io.open "/proc/self/stat":read "n" .. "/task"):lines() do threads = threads + 1 end
print(best, threads)
LUA
rounds=$(awk -v f="${TORTURE:-0.01}" 'BEGIN { n = int(100 * f); print (n < 4 ? 4 : n > 100 ? 100 : n) }')
# Runs it in the group with an environment.
within() {
    sh -c 'echo $$ >"$0/cgroup.procs" && shift && exec env LUNARRAY_BACKEND=openmp LUNARRAY_JIT=sync "$@"' "$group" - "$@" \
        "$BUILD/lunarray" "$out.lua" "$rounds"
}
within A=1 >"$out.all" && within LUNARRAY_THREADS=1 >"$out.one" && within LUNARRAY_THREADS=8 >"$out.many" || {
    printf 'FAIL\t%s\tthe program fails\n' "$name"
    exit 0
}
# shellcheck disable=SC2046 # words
set -- $(cat "$out.all" "$out.one" "$out.many")
awk -v name="$name" -v own="$1" -v threads="$2" -v one="$3" -v many="$5" 'BEGIN {
    # times are reported only; the one check is a bound that holds on a busy machine
    good = threads == 1 && own < 2 * one + 0.1
    printf "%s\t%s\t%d thread by itself: %.2f s; 1 thread by wish: %.2f s; 8 by wish: %.2f s\n", good ? "ok" : "FAIL", name,
        threads, own, one, many }'
