# The machine of vm.sh as one of arm64: Debian 13 with its own kernel, emulated on amd64. Takes the place of functions of vm.sh.
#
# Nothing of arm64 runs here but under qemu. What the packages of a system do when they are installed is done so once. Not by proot: that of
# Debian 12 does not know the system calls by which a newer C library asks for files.
# shellcheck shell=bash

# shellcheck disable=SC2034
readonly ARM64_VM_PACKAGES=(qemu-system-arm qemu-user-static debootstrap gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
readonly ARM64_SUITE=trixie
# As GUEST_PACKAGES: some are called otherwise there.
readonly ARM64_GUEST_PACKAGES=systemd,systemd-sysv,udev,kmod,procps,socat,alsa-utils,libasound2t64,libhidapi-hidraw0,\
libxkbcommon0,libnettle8t64,libcrypt1,mosquitto,mosquitto-clients
# The processor of a Raspberry Pi 5.
readonly ARM64_PROCESSOR=cortex-a76
# Debian has a kernel with pages of 16 KiB, too: linux-image-arm64-16k.
ARM64_KERNEL=${SWIPED_VM_KERNEL:-linux-image-arm64}
readonly ARM64_KERNEL
# What compiles the readers of software.
guest_gcc() { aarch64-linux-gnu-gcc "$@"; }

# arm64_apt STATE: the options with which apt looks at that suite's packages of arm64, in a state of its own.
arm64_apt() {
    local state=$1
    mkdir -p "$state"/{lists,archives}/partial
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(debian_mirror) $ARM64_SUITE main" >"$state/list"
    printf '%s\n' -o "Dir::State=$state" -o "Dir::Cache=$state" -o "Dir::Etc::sourcelist=$state/list" -o Dir::Etc::sourceparts=- \
        -o Dir::State::status=/dev/null -o APT::Sandbox::User=root -o APT::Architecture=arm64 -o APT::Architectures=arm64
}

# fetch_kernel FOLDER: its image needs no unpacking.
fetch_kernel() {
    local folder=$1 package options
    [ "$(cat "$folder/name" 2>/dev/null)" != "$ARM64_KERNEL" ] || return 0
    rm -rf "$folder"
    mkdir -p "$folder/apt"
    mapfile -t options < <(arm64_apt "$folder/apt")
    apt-get "${options[@]}" update
    package=$(apt-cache "${options[@]}" depends "$ARM64_KERNEL" | awk '/Depends:/ {print $2; exit}')
    [ -n "$package" ] || { say "apt knows no kernel $ARM64_KERNEL"; return 1; }
    (cd "$folder/apt" && apt-get "${options[@]}" download "$package")
    ln -s usr/lib "$folder/lib"
    dpkg-deb --fsys-tarfile "$folder"/apt/linux-image-*.deb |
        tar -x -C "$folder" --wildcards './boot/vmlinuz-*' './usr/lib/modules/*'
    rm -r "$folder/apt"
    (cd "$folder" && ln -sf boot/vmlinuz-* vmlinux)
    echo "$ARM64_KERNEL" >"$folder/name"
}

# What libinput is made of there; libwacom and GLib need libraries that trixie's apt does not bring.
# shellcheck disable=SC2034
LIBINPUT_PACKAGES=(libinput-tools libinput10 libinput-bin libevdev2 libmtdev1t64 libwacom9 libgudev-1.0-0 libglib2.0-0t64 libffi8
    libpcre2-8-0 libatomic1)

# download NAME...: as vm.sh's.
download() {
    local options
    mapfile -t options < <(arm64_apt "$PWD/apt")
    apt-get "${options[@]}" update && apt-get "${options[@]}" download "$@"
}

# emulating ROOT COMMAND...: in the system in ROOT, whose programs the kernel gives to qemu: where it does not do so anyway, in a namespace of
# users that has a list of such programs of its own (Linux 6.7), so that nothing changes for others here.
emulating() {
    local pid
    # shellcheck disable=SC2016
    coproc NAMESPACE { exec unshare --user bash -euc '
        echo
        read -r
        exec unshare --mount --pid --fork --kill-child bash -euc "$0" bash "$@" >&2 </dev/null
    ' '
        formats=/proc/sys/fs/binfmt_misc
        if [ ! -e $formats/qemu-aarch64 ]; then
            mount -t binfmt_misc none $formats
            cat /usr/lib/binfmt.d/qemu-aarch64.conf >$formats/register
        fi
        mount -t proc proc "$1/proc"
        exec chroot "$@"
    ' "$@"; }
    pid=$NAMESPACE_PID
    read -r <&"${NAMESPACE[0]}"
    echo "0 0 4294967295" >"/proc/$pid/uid_map"
    echo "0 0 4294967295" >"/proc/$pid/gid_map"
    echo >&"${NAMESPACE[1]}"
    wait "$pid"
}

# build_root ROOT: unpacked here, and set up under qemu, which takes minutes; kept without drivers.
build_root() {
    local root=$1 lists
    [ "$(cat "$root.made" 2>/dev/null)" != "$ARM64_GUEST_PACKAGES" ] || return 0
    rm -rf "$root"
    debootstrap --foreign --arch=arm64 --variant=minbase --include="$ARM64_GUEST_PACKAGES" "$ARM64_SUITE" "$root" || return 1
    # In some containers it makes a link of it. In what calls itself lxc it tries no nodes of devices, which are there already.
    rm -rf "$root/proc"
    mkdir "$root/proc"
    # The second stage reads the list of all packages again and again, which takes qemu minutes: only what was fetched stays in it.
    lists=("$root"/var/lib/apt/lists/*_Packages)
    awk 'NR == FNR {fetched[$1] = 1; next} $1 == "Package:" {is_one = $2 in fetched} is_one' "$root/debootstrap/debpaths" \
        "${lists[0]}" >"$root/fetched" && mv "$root/fetched" "${lists[0]}"
    emulating "$root" /usr/bin/env -i container=lxc HOME=/root LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
        /debootstrap/debootstrap --second-stage || return 1
    rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/usr/share/{doc,man,locale,zoneinfo,i18n,info} "$root"/var/lib/apt/lists/* \
        "$root"/usr/lib/aarch64-linux-gnu/gconv
    echo "$ARM64_GUEST_PACKAGES" >"$root.made"
}

# build_system FOLDER
build_system() {
    local folder=$1 root=$1/root recipe unit
    recipe="$ARM64_GUEST_PACKAGES ${GUEST_MODULES[*]} $(basename "$1"/kernel/lib/modules/*)"
    if [ -e "$folder/system.cpio" ] && [ "$(cat "$folder/system.recipe" 2>/dev/null)" = "$recipe" ]; then return 0; fi
    rm -f "$folder/system.cpio"
    build_root "$root" || return 1
    rm -rf "$root/usr/lib/modules"
    copy_modules "$folder/kernel" "$root"
    ln -sf sbin/init "$root/init"
    echo vm >"$root/etc/hostname"
    for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer \
        systemd-timesyncd.service getty@tty1.service serial-getty@ttyAMA0.service; do
        ln -sf /dev/null "$root/etc/systemd/system/$unit"
    done
    (cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) >"$folder/system.cpio.part"
    printf '%s\n' "$recipe" >"$folder/system.recipe"
    mv "$folder/system.cpio.part" "$folder/system.cpio"
}

# boot SECONDS CLOCK KERNEL INITRD CONSOLE RESULTS: as vm.sh's. There is no port for a status: the guest writes it behind its results.
boot() {
    local seconds=$1 clock=$2 kernel=$3 initrd=$4 console=$5 results=$6 status=0
    # shellcheck disable=SC2054
    local machine=(-accel tcg,thread=single -smp 1 -icount shift=1,sleep=off -rtc clock=vm,base=2026-01-01)
    # shellcheck disable=SC2054
    [ "$clock" = virtual ] || machine=(-accel tcg,thread=multi -smp 2 -rtc base=2026-01-01)
    limited "$seconds" qemu-system-aarch64 "${machine[@]}" -seed 42 -M virt,gic-version=3 -cpu "$ARM64_PROCESSOR" \
        -m $((GUEST_MEBIBYTES + 512)) -nodefaults -no-user-config -display none -no-reboot -monitor none \
        -serial "file:$console" -chardev "file,id=results,path=$results" -device pci-serial,chardev=results \
        -kernel "$kernel" -initrd "$initrd" -append "console=ttyAMA0 quiet panic=-1 systemd.show_status=0" || status=$?
    if [ "$status" -eq 124 ]; then return 124; fi
    status=$(tr -d '\r' <"$results" | sed -n 's/^ended with status //p' | tail -n 1)
    return "${status:-125}"
}
