# Systems in folders, unpacked and not installed: one with the compiler that Debian has, and one for each release of Debian that
# packages are built for.
#
# The compiler is that of sid, which no released Debian has. It compiles against the headers and libraries of the other system, which
# also has what makes packages. The compiler sees that system as /sysroot; there, 'swift' is a few lines that call the compiler.
# shellcheck shell=bash

# shellcheck disable=SC2034
readonly TREE_TOOLS=(mmdebstrap rsync git)
readonly COMPILER_SUITE=sid
readonly COMPILER_PACKAGES=ca-certificates,git,swiftlang,libstdc++-14-dev,libc6-dev,pkg-config,\
libudev-dev,libhidapi-dev,libasound2-dev,libumockdev-dev,libxkbcommon-dev,libmosquitto-dev,nettle-dev,libcrypt-dev,libsqlite3-dev
# What packages are built with, on this kind of machine, and what for both kinds of machine.
readonly TARGET_TOOLS=(build-essential ca-certificates git rsync dpkg-dev debhelper chrpath fakeroot lintian qemu-user binutils-aarch64-linux-gnu)
readonly TARGET_LIBRARIES=(libc6-dev libgcc-14-dev libstdc++-14-dev pkgconf libudev-dev libhidapi-dev libasound2-dev libcrypt-dev
    libxkbcommon-dev libmosquitto-dev nettle-dev)

# scripts/build-twice builds in this language: the small letter of I is another than i, and its alphabet is not in ASCII's order.
readonly OTHER_LANGUAGE=tr_TR.UTF-8

# ours: the files of this tree, each ended by a NUL.
ours() {
    git ls-files -z --cached --others --exclude-standard | grep -zv '^dist/' |
        while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done
}

# source_tree: git's hash of these files: with nothing changed since, what 'git rev-parse COMMIT^{tree}' says.
source_tree() {
    local index
    index=$(mktemp --dry-run)
    ours | GIT_INDEX_FILE=$index git update-index --add -z --stdin
    GIT_INDEX_FILE=$index git write-tree
    rm "$index"
}

# make_compiler FOLDER: a suite's lists may be older than they say that they are good for. The compiler takes the newest of gcc's
# folders, also one that came without C++'s library: such are taken away.
make_compiler() {
    local folder=$1 gcc
    [ "$(cat "$folder/tree.made" 2>/dev/null)" != "$COMPILER_PACKAGES" ] || return 0
    rm -rf "$folder/tree"
    mkdir -p "$folder"
    mmdebstrap --quiet --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' --include="$COMPILER_PACKAGES" \
        "$COMPILER_SUITE" "$folder/tree"
    for gcc in "$folder"/tree/usr/lib/gcc/*/*; do [ -e "$gcc/libstdc++.so" ] || rm -r "$gcc"; done
    echo "$COMPILER_PACKAGES" >"$folder/tree.made"
}

# foreign_files STATE ARCHITECTURE PACKAGE: the files of the compiler's suite's package for another kind of machine, as tar writes them.
foreign_files() {
    local state=$1 architecture=$2 package=$3
    rm -rf "$state"
    mkdir -p "$state"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(debian_mirror) $COMPILER_SUITE main" >"$state/list"
    apt_apart "$state" "$architecture" -o Acquire::Check-Valid-Until=false update >&2
    (cd "$state" && apt_apart "$state" "$architecture" download "$package" >&2)
    dpkg-deb --fsys-tarfile "$state/$package"_*.deb
    rm -rf "$state"
}

# make_runtime FOLDER ARCHITECTURE: Swift's libraries for another kind of machine, out of the compiler's package for it.
make_runtime() {
    local folder=$1 part
    [ ! -e "$folder/runtime.made" ] || return 0
    rm -rf "$folder/runtime"
    mkdir -p "$folder/runtime"
    for part in swift_static swift clang; do printf './usr/libexec/swift/lib/%s\n' "$part"; done >"$folder/parts"
    foreign_files "$folder/apt" "$2" swiftlang |
        tar -x -C "$folder/runtime" --strip-components=5 --files-from="$folder/parts"
    touch "$folder/runtime.made"
}

# make_shared FOLDER ARCHITECTURE: those libraries as they are loaded, that of swift-testing among them, which no package has to be linked in.
make_shared() {
    local folder=$1
    [ ! -e "$folder/shared.made" ] || return 0
    rm -rf "$folder/shared"
    cp -al "$folder/runtime" "$folder/shared"
    foreign_files "$folder/apt" "$2" libswiftlang |
        tar -x -C "$folder/shared" --strip-components=5 ./usr/libexec/swift/lib/swift/linux
    touch "$folder/shared.made"
}

# make_target FOLDER SUITE
make_target() {
    local folder=$1 suite=$2 name architecture include
    include=$(printf '%s,' "${TARGET_TOOLS[@]}")
    for name in "${TARGET_LIBRARIES[@]}"; do
        for architecture in amd64 arm64; do include+=$name:$architecture,; done
    done
    include+=locales
    [ "$(cat "$folder/tree.made" 2>/dev/null)" != "$include" ] || return 0
    rm -rf "$folder/tree"
    mkdir -p "$folder"
    mmdebstrap --quiet --variant=minbase --architectures=amd64,arm64 --include="$include" \
        --customize-hook="chroot \"\$1\" localedef -i ${OTHER_LANGUAGE%.*} -f UTF-8 $OTHER_LANGUAGE" "$suite" "$folder/tree"
    echo "$include" >"$folder/tree.made"
}

# lay_checkouts PACKAGE SCRATCH: the other packages' sources as SwiftPM has them: without a network, it then takes these. git's objects
# are borrowed from where they were fetched to; SCRATCH is called IN where they are used.
lay_checkouts() {
    local package=$1 scratch=$2 in=$3 borrowed
    mkdir -p "$scratch"
    rsync --archive --delete "$package"/.build/{checkouts,repositories} "$scratch/"
    cp "$package/.build/workspace-state.json" "$scratch/"
    for borrowed in "$scratch"/checkouts/*/.git/objects/info/alternates; do
        [ ! -e "$borrowed" ] || sed -i "s,.*/repositories/,$in/repositories/," "$borrowed"
    done
}

# lay_tree TREE: these files in a folder of their own, as packages are built beside the folder that they are built in. The compiler's products
# there are kept between two runs, and what did not change is not touched: to the compiler a file made anew is another.
lay_tree() {
    local tree=$1
    mkdir -p "$tree"
    ours | rsync --archive --from0 --files-from=- --exclude=/.build ./ "$tree/"
    find "$tree" -mindepth 1 -name .build -prune -o ! -type d -printf '%P\0' | LC_ALL=C sort -z |
        LC_ALL=C comm -z -23 - <(ours | LC_ALL=C sort -z) | (cd "$tree" && xargs -0r rm -f)
}

# lay_pinned TREE SEEN: beside it the other packages in the versions that are pinned. The systems see TREE as SEEN.
lay_pinned() {
    scripts/pin --check && lay_checkouts . "$1/.build" "$2/.build" && cp Package.resolved "$1/"
}

# triple ARCHITECTURE: as Debian's compiler calls Debian's. Swift's own modules go by these names.
triple() {
    case $1 in
        amd64) echo x86_64-pc-linux-gnu ;;
        arm64) echo aarch64-unknown-linux-gnu ;;
        *) return 1 ;;
    esac
}

# What programs are linked with: the libraries of Swift to put into them, or "swift" for those to be loaded.
SWIFT_LIBRARIES=swift_static

# destination ARCHITECTURE: what SwiftPM is told of the system that it compiles for.
destination() {
    cat <<JSON
{
  "version": 1, "sdk": "/sysroot", "toolchain-bin-dir": "/usr/libexec/swift/bin", "target": "$(triple "$1")",
  "extra-cc-flags": ["-fPIC", "--gcc-toolchain=/sysroot/usr"],
  "extra-cpp-flags": ["-lstdc++"],
  "extra-swiftc-flags": [
    "-sdk", "/sysroot", "-resource-dir", "/sysroot/usr/lib/$SWIFT_LIBRARIES", "-use-ld=lld", "-tools-directory", "/usr/libexec/swift/bin",
    "-Xclang-linker", "--gcc-toolchain=/sysroot/usr", "-Xcc", "--gcc-toolchain=/sysroot/usr"
  ]
}
JSON
}

# swift_from_outside ARCHITECTURE: the 'swift' of the target's system.
swift_from_outside() {
    local multiarch
    multiarch=$(dpkg-architecture -f -a"$1" -qDEB_HOST_MULTIARCH)
    cat <<SH
#!/bin/sh
[ "\$1" != build ] || { shift; set -- build --destination /destination.json --disable-automatic-resolution "\$@"; }
exec chroot /compiler env -C "\$PWD" PATH=/usr/bin:/bin PKG_CONFIG_SYSROOT_DIR=/sysroot \\
    PKG_CONFIG_PATH=/sysroot/usr/lib/$multiarch/pkgconfig:/sysroot/usr/share/pkgconfig \\
    PKG_CONFIG_LIBDIR=/sysroot/usr/lib/$multiarch/pkgconfig:/sysroot/usr/share/pkgconfig swift "\$@"
SH
}

# in_trees COMPILER TARGET RUNTIME ARCHITECTURE FOLDER IN COMMAND...: runs it in the target's system, where FOLDER is the folder IN, as the
# owner of FOLDER, with a home in there. Swift's own libraries are in RUNTIME, and looked for in the system root. The view of the files ends
# with it. An owner who is not root keeps one right of root's, chroot: the target's 'swift' needs it.
in_trees() {
    local compiler=$1 target=$2 runtime=$3 architecture=$4 folder=$5 in=$6
    shift 6
    mkdir -p "$folder/home"
    # Its owner may have made a link of it.
    chown --no-dereference --reference="$folder" "$folder/home"
    (
        # The owner of FOLDER has to read these, whoever makes them.
        umask 022
        mkdir -p "$compiler"/sysroot "$compiler$in" "$target/compiler" "$target$in" "$target"/usr/lib/{swift,swift_static,clang}
        destination "$architecture" >"$compiler/destination.json"
        swift_from_outside "$architecture" >"$target/usr/local/bin/swift"
        chmod 755 "$target/usr/local/bin/swift"
    )
    # What these are a copy of belongs to whom it belongs.
    GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' \
        unshare --mount --pid --fork --kill-child --propagation private bash -euc '
            compiler=$1 target=$2 runtime=$3 work=$4 in=$5
            shift 5
            mount --bind "$target" "$compiler/sysroot"
            for part in swift swift_static clang; do mount --bind "$runtime/$part" "$compiler/sysroot/usr/lib/$part"; done
            mount --bind "$work" "$compiler$in"
            for tree in "$compiler" "$target"; do mount -t proc proc "$tree/proc"; mount --rbind /dev "$tree/dev"; done
            mount --bind "$work" "$target$in"
            chroot "$compiler" ldconfig
            mount --rbind "$compiler" "$target/compiler"
            exec chroot "$target" setpriv --reuid "$(stat -c %u "$work")" --regid "$(stat -c %g "$work")" --clear-groups \
                --inh-caps -all,+sys_chroot --ambient-caps -all,+sys_chroot \
                env -u TMPDIR -u LOCPATH "HOME=$in/home" PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
        ' bash "$compiler" "$target" "$runtime" "$folder" "$in" "$@"
}
