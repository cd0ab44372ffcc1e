#!/bin/sh
# The digest of the bits by arm64: the program alone, which needs no library but the C library's, built by a cross compiler and
# run by qemu-user; 20 of the 100 lines.  The tools are this machine's, or those that tests/arm64.sh has downloaded; where
# there are none it says "skipped: why".
# usage: BUILD=build sh tests/bits/arm64.sh      MAKE: the make to build with; LINES: how many lines of the digest
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
cc= run=
for place in "$BUILD/arm64/bin/" ""; do
    if command -v "${place}aarch64-linux-gnu-gcc" >/dev/null && command -v "${place}qemu-aarch64" >/dev/null; then
        cc=$(command -v "${place}aarch64-linux-gnu-gcc") run=$(command -v "${place}qemu-aarch64")
        break
    fi
done
if [ -z "$cc" ]; then
    echo "skipped: bits: arm64: needs gcc-aarch64-linux-gnu and qemu-user, or what tests/arm64.sh downloads"
    exit 0
fi
mkdir -p "$BUILD/arm64"
if ! ${MAKE:-make} --no-print-directory BUILD="$BUILD/arm64/bits" CC="${CCACHE:+$CCACHE }$cc" LDFLAGS=-static NEEDS_OK= \
    WERROR=-Werror "$BUILD/arm64/bits/bits/digest" >"$BUILD/arm64/bits.log" 2>&1; then
    tail -n 30 "$BUILD/arm64/bits.log"
    exit 1
fi
DIGEST=$BUILD/arm64/bits/bits/digest RUN=$run LEVELS=base LINES=${LINES:-20} sh tests/bits/bits.sh
