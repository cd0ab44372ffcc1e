#!/bin/sh
# Completes the tree of make dist: the libraries that its files need beside them, but for glibc's; says which glibc they ask
# for at most; packs it. Lua's library is there for hosts, whose liblunarray.so.0 loads it at the first script.
# usage: CC=cc OBJCOPY=objcopy READELF=readelf sh packaging/dist.sh TREE
set -eu
tree=$1
glibc='^(linux-vdso|ld-linux.*|libc|libm|libmvec|libdl|libpthread|librt|libresolv)\.so'

# Lines "name path" of what a file needs.
needed() { ldd "$1" | sed -n 's/^[[:space:]]*\([^ ]*\) => \([^ ]*\) (.*/\1 \2/p'; }

linked="$tree/bin/lunarray $(find "$tree/lib" -name '*.so*' -type f)"
lua=$(${CC:-cc} -print-file-name=liblua5.4.so.0)
{
    for file in $linked; do needed "$file"; done
    case $lua in /*) echo "liblua5.4.so.0 $lua" && needed "$lua" ;; esac
} | LC_ALL=C sort -u | while read -r name path; do
    if ! echo "$name" | grep -qE "$glibc" && [ ! -e "$tree/lib/$name" ]; then
        install -m 755 "$path" "$tree/lib/$name"
    fi
done
"${OBJCOPY:-objcopy}" -g "$tree/lib/liblunarray.a"

newest=$(for file in $linked "$tree"/lib/*.so*; do
    [ -L "$file" ] || "${READELF:-readelf}" -V "$file"
done | grep -o 'GLIBC_[0-9.]*' | sort -u -t_ -k2 -V | tail -n 1)
cat >"$tree/README" <<EOF
Lunarray for Linux. It runs from any folder and needs glibc ${newest#GLIBC_} or later; /proc has to be mounted.

    bin/lunarray script.lua       a script; without one, the prompt
    bin/lunarray --info           backends and devices that are found
    share/doc/lunarray/docs       the documentation, examples beside it
    lib/cmake, lib/pkgconfig      for C and C++ programs: docs/embedding.md

A C compiler, OpenCL drivers and MPI are used where the machine has them.
EOF
(cd "$(dirname "$tree")" && XZ_OPT=-9e tar -cJf "$(basename "$tree").tar.xz" --sort=name --owner=0 --group=0 --numeric-owner "$(basename "$tree")")
echo "$tree.tar.xz: $(du -k "$tree.tar.xz" | cut -f1) kB, needs ${newest}"
