#!/bin/sh
# The program for arm64, built by a cross compiler without warnings and run by qemu-user: golden results, interpreted and
# compiled, and examples that print what they print here. Compiler, emulator and libraries that this machine lacks come from
# its own apt sources into $BUILD/arm64; nothing is installed. Where they cannot be had it says "skipped: why".
# usage: BUILD=build sh tests/arm64.sh      MAKE: the make to build with
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
mkdir -p "$BUILD/arm64" || exit 1
dir=$(cd "$BUILD/arm64" && pwd) || exit 1
host=$dir/host root=$dir/root
passed=0 failed=0

skip() {
    echo "skipped: arm64: $1"
    exit 0
}

# apt with lists and packages of its own: folder dpkg's-status [architecture]
apt_of() {
    mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial"
    {
        echo "Dir::State \"$1/state\"; Dir::State::status \"$2\"; Dir::Cache \"$1/cache\";"
        echo "APT::Install-Recommends \"false\"; Debug::NoLocking \"1\"; APT::Sandbox::User \"\";"
        if [ $# -gt 2 ]; then echo "APT::Architecture \"$3\"; APT::Architectures { \"$3\"; };"; fi
    } >"$1/apt.conf"
}

# Downloads packages that are missing, with all that they need, and unpacks them: apt's-folder to package...
unpack() {
    from=$1 to=$2
    shift 2
    APT_CONFIG=$from/apt.conf apt-get update -qq
    APT_CONFIG=$from/apt.conf apt-get install -y -qq --download-only "$@" || return 1
    mkdir -p "$to"
    for package in "$from"/cache/archives/*.deb; do
        if [ -e "$package" ]; then dpkg -x "$package" "$to" || return 1; fi
    done
    rm -rf "$from/cache" "$from/state"
}

fetch() {
    apt_of "$dir/apt-host" /var/lib/dpkg/status
    unpack "$dir/apt-host" "$host" gcc-aarch64-linux-gnu qemu-user || return 1
    : >"$dir/nothing"
    apt_of "$dir/apt-arm64" "$dir/nothing" arm64
    unpack "$dir/apt-arm64" "$root" libc6-dev libxxhash-dev libhwloc-dev liblua5.4-dev libpng-dev zlib1g-dev \
        opencl-headers libgomp1 || return 1
    # What is absolute there is below this folder here.
    find "$root" -type l | while read -r link; do
        target=$(readlink "$link")
        case $target in /*) ln -sfn "$root$target" "$link" ;; esac
    done
    touch "$dir/ready"
}

# A program of the downloaded tools, else of this machine, as $dir/bin/NAME: name options...
tool() {
    name=$1
    shift
    path=$host/usr/bin/$name
    if [ ! -x "$path" ]; then path=$(command -v "$name") || return 1; fi
    mkdir -p "$dir/bin"
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s %s "$@"\n' "$host/usr/lib/x86_64-linux-gnu" "$path" "$*" >"$dir/bin/$name"
    chmod +x "$dir/bin/$name"
}

# One result: name status
result() {
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL  arm64: $1"
    fi
}

case $(uname -m) in x86_64) ;; *) skip "this machine is $(uname -m), not x86-64" ;; esac
command -v apt-get >/dev/null 2>&1 || skip "needs apt-get for a cross compiler and libraries"
if [ ! -e "$dir/ready" ]; then
    fetch >"$dir/fetch.log" 2>&1 || skip "its packages cannot be had: $(tail -n 1 "$dir/fetch.log")"
fi
tool aarch64-linux-gnu-gcc "--sysroot=$root" && tool aarch64-linux-gnu-ar && tool qemu-aarch64 "-L $root" ||
    skip "no cross compiler or no qemu-aarch64"

if ! ${MAKE:-make} --no-print-directory -j2 BUILD="$dir/build" CC="${CCACHE:+$CCACHE }$dir/bin/aarch64-linux-gnu-gcc" \
    AR="$dir/bin/aarch64-linux-gnu-ar" LUA_INCDIR="$root/usr/include/lua5.4" LIBEDIT= WERROR=-Werror \
    "$dir/build/lunarray" >"$dir/make.log" 2>&1; then
    tail -n 30 "$dir/make.log"
    echo "0 passed, 1 failed"
    exit 1
fi
result "builds without warnings" 0

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export LUNARRAY_CACHE_DIR="$scratch/kernels"

# The program there, with a compiler or interpreted: sync|off arguments...
emulated() {
    jit=$1
    shift
    LUNARRAY_JIT=$jit LUNARRAY_CC=$dir/bin/aarch64-linux-gnu-gcc timeout 120 "$dir/bin/qemu-aarch64" "$dir/build/lunarray" "$@"
}

for jit in off sync; do
    emulated $jit tests/arm64.lua >"$scratch/got" 2>&1 </dev/null
    while IFS= read -r line; do
        case $jit:$line in "off:C text "*) continue ;; esac # which needs the compiler
        grep -qxF "$line" "$scratch/got"
        result "golden, LUNARRAY_JIT=$jit: $line" $?
    done <tests/golden/arm64.txt
done
if [ "$failed" -gt 0 ]; then sed 's/^/      /' "$scratch/got"; fi
for example in saxpy heat life; do
    "$BUILD/lunarray" "examples/$example.lua" >"$scratch/here" 2>/dev/null </dev/null &&
        emulated sync "examples/$example.lua" >"$scratch/there" 2>"$scratch/errors" </dev/null &&
        cmp "$scratch/here" "$scratch/there"
    result "examples/$example.lua" $?
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
