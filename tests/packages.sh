#!/bin/sh
# Tries what make deb and make dist make, and the Containerfile, in empty roots: what a user installs, runs, builds against
# and removes again. Needs root, debootstrap, debhelper, lintian and Debian's archive: make packages-check, no part of make
# test.
# usage: BUILD=build sh tests/packages.sh [packages] [dist] [container]
set -eu
for tool in debootstrap dh lintian chroot; do
    command -v $tool >/dev/null || { echo "packages.sh: $tool is missing: apt-get install debootstrap debhelper lintian" >&2; exit 1; }
done
[ "$(id -u)" = 0 ] || { echo "packages.sh: roots are made by root alone" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'umount "$scratch"/*/proc 2>/dev/null || true; rm -rf "$scratch"' EXIT

# A root of Debian's base packages, at $scratch/NAME.
root() {
    [ -d "$scratch/base" ] || debootstrap --variant=minbase bookworm "$scratch/base" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
    cp -a "$scratch/base" "$scratch/$1"
    cp -L /etc/resolv.conf "$scratch/$1/etc/resolv.conf"
    mount -t proc proc "$scratch/$1/proc"
}
within() { env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$scratch/$1" sh -ec "$2"; }
gives() { # name, expected, command
    said=$(within "$1" "$3")
    [ "$said" = "$2" ] || { echo "FAILED: $3"; echo "$said"; exit 1; }
    echo "ok: $3"
}

packages() {
    make -s deb
    (cd "$BUILD/deb" && lintian --allow-root --fail-on error,warning ./*.changes)
    root deb
    cp "$BUILD"/deb/*.deb "$scratch/deb/tmp" && rm "$scratch"/deb/tmp/*dbgsym*
    within deb 'apt-get update -qq && find / -xdev | sort >/tmp/before
        apt-get install -y -qq --no-install-recommends /tmp/*.deb lua5.4 >/dev/null 2>&1'
    gives deb 28 "lunarray -e 'print(((lun.index(4) + 1) * 2):sum())'"
    gives deb 10 "lua5.4 -e 'print(require(\"lunarray\").index(4):sum())'"
    within deb 'apt-get install -y -qq --no-install-recommends gcc libc6-dev pkg-config cmake make >/dev/null 2>&1'
    mkdir "$scratch/deb/host" && cp tests/packages/* "$scratch/deb/host"
    gives deb 6 'cd host && cc host.c $(pkg-config --cflags --libs lunarray) -o a && ./a'
    gives deb "6
6" 'cd host && cmake -S . -B b >/dev/null && cmake --build b >/dev/null && b/shared && b/static'
    within deb 'apt-get purge -y -qq lunarray lua-lunarray "liblunarray*" >/dev/null 2>&1'
    gives deb "" 'find / -xdev -name "*lunarray*" ! -path "/tmp/*" ! -path "/host/*" ! -path "/proc/*" ! -path "/var/log/*"'
}

# The archive, in a root that has glibc's libraries alone, in a folder with a blank, by a user who may write to /tmp alone.
dist() {
    make -s dist
    bare=$scratch/bare home='/l un'
    mkdir -p "$bare/proc" "$bare/tmp" "$bare$home"
    chmod 1777 "$bare/tmp"
    mount -t proc proc "$bare/proc"
    for name in libc.so.6 libm.so.6 libmvec.so.1 libdl.so.2 libpthread.so.0 librt.so.1 libresolv.so.2; do
        file=$(cc -print-file-name=$name)
        install -D "$file" "$bare/lib/$name"
    done
    loader=$(ldd "$BUILD/lunarray" | sed -n 's/^[[:space:]]*\(\/[^ ]*ld-linux[^ ]*\) .*/\1/p')
    install -D "$loader" "$bare$loader"
    tar -xJf "$BUILD"/lunarray-*-linux-*.tar.xz -C "$bare$home" --strip-components=1
    ln -s "$home/share/doc/lunarray/examples" "$bare/examples" # they take data from there
    bare() { env -i PATH="$PATH" HOME=/tmp LD_LIBRARY_PATH=/lib chroot --userspec=65534:65534 "$bare" "$home/bin/lunarray" "$@"; }
    [ "$(bare -e 'print(((lun.index(4) + 1) * 2):sum())')" = 28 ]
    [ "$(bare --sandbox -e 'print(os.execute, lun.ones(3):sum())')" = "nil	3.0" ]
    ran=0
    for example in "$bare$home"/share/doc/lunarray/examples/*.lua; do
        ! grep -q '^-- Needs ' "$example" || continue
        set -- $(sed -n 's#^-- *build/lunarray ##p' "$example" | head -n 1)
        bare "$@" >"$scratch/log" 2>&1 </dev/null || { cat "$scratch/log"; exit 1; }
        ran=$((ran + 1))
    done
    echo "ok: the archive in a bare root: $ran examples"
    [ "${LUNARRAY_DUCKDB:-}" ] || return 0
    set --
    for file in $(echo "$LUNARRAY_DUCKDB" | tr : ' '); do # the library, and what stands before it
        set -- "$@" $(ldd "$file" | sed -n 's/.*=> \(\/[^ ]*\(libstdc++\|libgcc_s\)[^ ]*\) .*/\1/p')
        cp -L "$file" "$bare$home/lib" && duckdb="${duckdb:+$duckdb:}$home/lib/${file##*/}"
    done
    [ $# = 0 ] || cp -L "$@" "$bare$home/lib"
    set -- 'lun.save("/tmp/t.parquet", lun.table{x = lun.index(3)}); print(lun.load("/tmp/t.parquet").x:sum())'
    [ "$(env LD_LIBRARY_PATH="/lib:$home/lib" PATH="$PATH" HOME=/tmp LUNARRAY_DUCKDB="$duckdb" \
        chroot --userspec=65534:65534 "$bare" "$home/bin/lunarray" -e "$1")" = 6 ]
    echo "ok: Parquet by a library beside it"
}

# The lines of the Containerfile, done in roots in place of images.
container() {
    sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' Containerfile | while read -r word rest; do
        case $word in
            FROM) case $rest in *" AS "*) stage=${rest##* AS } ;; *) stage=final ;; esac; root "$stage" ;;
            RUN) within "$stage" "$rest" >"$scratch/log" 2>&1 </dev/null || { tail -n 20 "$scratch/log"; exit 1; } ;;
            COPY) case $rest in
                    --from=*) from=${rest#--from=}; set -- ${from#* }; mkdir -p "$scratch/$stage$2"
                        cp -a "$scratch/${from%% *}$1/." "$scratch/$stage$2" ;;
                    *) mkdir -p "$scratch/$stage/src"; tar -c --exclude=./.git --exclude='./build*' . | tar -x -C "$scratch/$stage/src" ;;
                esac ;;
        esac
    done
    gives final 28 "$(sed -n 's/ENTRYPOINT \["\(.*\)"\]/\1/p' Containerfile) -e 'print(((lun.index(4) + 1) * 2):sum())'"
}

for part in ${*:-packages dist container}; do $part; done
