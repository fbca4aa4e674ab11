# A virtual machine for tests: Debian's own kernel and systemd, booted from memory under QEMU's emulator.
#
# There is no disk and no network: with virtual time (-icount sleep=off) the guest's idle seconds cost nothing and
# a busy host does not change what the guest measures, as long as nothing outside feeds the guest.
# shellcheck shell=bash

# shellcheck disable=SC2034
readonly VM_PACKAGES=(qemu-system-x86 mmdebstrap cpio kmod python3 gcc libc6-dev)
# What the guest's system is made of beside the essential packages.
readonly GUEST_PACKAGES=systemd,systemd-sysv,udev,kmod,procps,socat,alsa-utils,libasound2,libhidapi-hidraw0,libxkbcommon0,libnettle8,mosquitto,mosquitto-clients
# Drivers that the devices of the guest need, and what lays a container's files over those of its image.
readonly GUEST_MODULES=(vhci-hcd usbhid hid-generic uhid uinput evdev snd-aloop snd-usb-audio cdc-acm usbserial overlay)
# A card that only plays, which PCs alone have: another machine's kernel lacks it, and its guest goes without.
readonly PC_MODULE=snd-pcsp
GUEST_MEBIBYTES=1536
# All of the guest is in memory, an image of a container too: as a file, while it is read, and unpacked.
# shellcheck disable=SC2034
readonly CONTAINER_MEBIBYTES=4096
# What Debian asks of a PC, and a source of randomness: all that newer ones have costs the emulator a fifth of its time (vectors of 32
# bytes, five levels of pages).
readonly GUEST_PROCESSOR=qemu64,+rdrand
# Only where the machine itself hangs: its scenarios have limits of their own, in its own time. Seconds of a processor, not of the
# clock: beside other work it may take as long as it takes.
readonly VM_SECONDS=1800 VM_LONG_SECONDS=5400
# And for each packet of a reader of sound, at three speeds.
readonly VM_PACKET_SECONDS=20
# A machine that has taken no time of a processor for so long waits for something that does not come.
readonly VM_IDLE_SECONDS=300

# What compiles the readers of software.
guest_gcc() { gcc "$@"; }

# fetch_kernel FOLDER: Debian's kernel image, unpacked there but installed nowhere.
fetch_kernel() {
    local folder=$1 package
    [ ! -e "$folder/vmlinux" ] || return 0
    package=$(apt-cache depends linux-image-amd64 | awk '/Depends:/ {print $2; exit}')
    [ -n "$package" ] || { say "apt knows no kernel: apt-get update"; return 1; }
    # What an attempt that was cut short has left would be one kernel too many.
    rm -rf "$folder"
    mkdir -p "$folder"
    (cd "$folder" && apt-get download "$package")
    dpkg-deb --fsys-tarfile "$folder"/linux-image-*.deb |
        tar -x -C "$folder" --wildcards './boot/vmlinuz-*' './lib/modules/*'
    rm "$folder"/linux-image-*.deb
    unpack_kernel "$folder"/boot/vmlinuz-* "$folder/vmlinux"
}

# unpack_kernel BZIMAGE ELF: the emulator would need seconds to unpack it each time.
# The header's offsets are those of the x86 boot protocol: setup_sects, payload_offset, payload_length.
unpack_kernel() {
    python3 - "$1" "$2" <<'PYTHON'
import lzma, struct, sys
image = open(sys.argv[1], "rb").read()
payload = ((image[0x1F1] or 4) + 1) * 512 + struct.unpack_from("<I", image, 0x248)[0]
length = struct.unpack_from("<I", image, 0x24C)[0]
kernel = lzma.LZMADecompressor(format=lzma.FORMAT_XZ).decompress(image[payload : payload + length])
assert kernel[:4] == b"\x7fELF"
open(sys.argv[2], "wb").write(kernel)
PYTHON
}

# copy_modules KERNEL ROOT: the drivers that the guest needs and what they depend on.
copy_modules() {
    local kernel=$1 root=$2 version module file
    version=$(basename "$kernel"/lib/modules/*)
    [ -e "$kernel/lib/modules/$version/modules.dep" ] || depmod -b "$kernel" "$version"
    {
        for module in "${GUEST_MODULES[@]}"; do modprobe -d "$kernel" -S "$version" --show-depends "$module"; done
        modprobe -d "$kernel" -S "$version" --show-depends "$PC_MODULE" 2>/dev/null || true
    } | awk '$1 == "insmod" {print $2}' | sort -u | while read -r file; do
        install -D -m 644 "$file" "$root/usr/lib/modules/${file#*/lib/modules/}"
    done
    cp "$kernel/lib/modules/$version"/modules.{builtin,order,builtin.modinfo} "$root/usr/lib/modules/$version/"
    depmod -b "$root/usr" -o "$root/usr" "$version" 2>/dev/null || depmod -b "$root" "$version"
}

# build_system FOLDER: the guest's system as an archive that the kernel unpacks into memory. One that was made of other packages
# or drivers than are named here now is made anew.
build_system() {
    local folder=$1 root=$1/root suite recipe
    recipe="$GUEST_PACKAGES ${GUEST_MODULES[*]} $PC_MODULE $(basename "$1"/kernel/lib/modules/*) whole-packages"
    if [ -e "$folder/system.cpio" ] && [ "$(cat "$folder/system.recipe" 2>/dev/null)" = "$recipe" ]; then return 0; fi
    rm -f "$folder/system.cpio"
    suite=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
    rm -rf "$root"
    mmdebstrap --quiet --mode=root --variant=minbase --include="$GUEST_PACKAGES" \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' "$suite" "$root" /etc/apt/sources.list.d/debian.sources
    # Of our own packages all is to be installed.
    rm -f "$root/etc/dpkg/dpkg.cfg.d/99mmdebstrap"
    rm -rf "$root"/usr/share/{zoneinfo,i18n,info} "$root"/var/lib/apt "$root"/var/cache/* \
        "$root"/usr/lib/x86_64-linux-gnu/gconv "$root"/usr/lib/locale
    copy_modules "$folder/kernel" "$root"
    ln -sf sbin/init "$root/init"
    echo vm >"$root/etc/hostname"
    # Nothing that wakes up by itself: only the scenarios are to happen.
    local unit
    for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer \
        systemd-timesyncd.service getty@tty1.service serial-getty@ttyS0.service; do
        ln -sf /dev/null "$root/etc/systemd/system/$unit"
    done
    (cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) >"$folder/system.cpio.part"
    printf '%s\n' "$recipe" >"$folder/system.recipe"
    mv "$folder/system.cpio.part" "$folder/system.cpio"
    rm -rf "$root"
}

# What `libinput debug-events` is made of beside the guest's system; GTK and Python, which other tools of the package need, are left out.
LIBINPUT_PACKAGES=(libinput-tools libinput10 libinput-bin libevdev2 libmtdev1 libwacom9 libgudev-1.0-0 libglib2.0-0)

# download NAME...: packages of the guest's Debian, into the folder that this is in.
download() { apt-get download -q "$@"; }

# fetch_libinput FOLDER NAME...: Debian's program that prints what a desktop gets of keyboards, into a root of a file system.
fetch_libinput() {
    [ -e "$1/usr/libexec/libinput/libinput-debug-events" ] || unpack_packages "$@"
}

# podman, without what gives containers networks of their own, and what it needs beside the guest's system. systemd's bus, over which
# it has groups of processes made, as on other machines.
# shellcheck disable=SC2034
readonly PODMAN_PACKAGES=(podman conmon crun golang-github-containers-common golang-github-containers-image libgpgme11 libassuan0
    libdevmapper1.02.1 libsubid4 libyajl2 libglib2.0-0 dbus dbus-bin dbus-daemon dbus-system-bus-common dbus-session-bus-common
    libdbus-1-3 libexpat1 libapparmor1)

# fetch_podman FOLDER: into a root of a file system.
fetch_podman() {
    [ -e "$1/usr/bin/podman" ] || unpack_packages "$1" "${PODMAN_PACKAGES[@]}"
}

# unpack_packages FOLDER NAME...: Debian's packages as a new root of a file system. Nothing is set up, and none of their units begins by
# itself. In the guest /lib is a link.
unpack_packages() {
    local folder=$1 package
    shift
    rm -rf "$folder"
    mkdir -p "$folder/packages"
    (cd "$folder/packages" && download "$@") || return 1
    for package in "$folder"/packages/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder" --exclude './usr/lib/udev' --exclude './lib/udev' --exclude './*.wants' \
            --exclude './usr/share/doc' --exclude './usr/share/man' --exclude './usr/share/locale' \
            --transform 's,^\./lib\($\|/\),./usr/lib\1,' || return 1
    done
    rm -rf "$folder/packages"
}

# add_payload SYSTEM PAYLOAD INITRD: an archive behind an archive is unpacked over it.
add_payload() {
    local system=$1 payload=$2 initrd=$3
    cp "$system" "$initrd"
    (cd "$payload" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) >>"$initrd"
}

# processor_ticks PID: the time of processors that a process has had, in hundredths of a second; nothing where it has ended.
processor_ticks() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" {print $12 + $13}'; }

# limited SECONDS COMMAND...: ends it with status 124 once it has had so many seconds of processors, or none for VM_IDLE_SECONDS.
limited() {
    local seconds=$1 pid ticks last=-1 since=$SECONDS
    shift
    # It ends with this shell, whatever ends that.
    setpriv --pdeathsig KILL "$@" </dev/null &
    pid=$!
    while :; do
        sleep 0.5
        ticks=$(processor_ticks "$pid") || ticks=
        [ -n "$ticks" ] || break
        if [ "$ticks" != "$last" ]; then last=$ticks since=$SECONDS; fi
        if [ "$ticks" -gt $((seconds * 100)) ] || [ $((SECONDS - since)) -gt "$VM_IDLE_SECONDS" ]; then
            kill -KILL "$pid"
            wait "$pid" 2>/dev/null || true
            return 124
        fi
    done
    wait "$pid"
}

# boot SECONDS CLOCK KERNEL INITRD CONSOLE RESULTS: returns the status that the guest leaves in its debug-exit port, 124 where
# it had to be stopped, 125 where it died.
boot() {
    local seconds=$1 clock=$2 kernel=$3 initrd=$4 console=$5 results=$6 status=0
    # shellcheck disable=SC2054
    local machine=(-accel tcg,thread=single -smp 1 -icount shift=1,sleep=off -rtc clock=vm,base=2026-01-01)
    # shellcheck disable=SC2054
    [ "$clock" = virtual ] || machine=(-accel tcg,thread=multi -smp 2 -rtc base=2026-01-01)
    limited "$seconds" qemu-system-x86_64 \
        "${machine[@]}" -seed 42 \
        -cpu "$GUEST_PROCESSOR" -m "$GUEST_MEBIBYTES" -M q35 -nodefaults -no-user-config -display none -no-reboot -monitor none \
        -serial "file:$console" -serial "file:$results" -device isa-debug-exit,iobase=0xf4,iosize=0x04 \
        -kernel "$kernel" -initrd "$initrd" \
        -append "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable no_timer_check systemd.show_status=0" ||
        status=$?
    if [ "$status" -eq 124 ]; then return 124; fi
    if [ $((status & 1)) -eq 1 ]; then return $((status >> 1)); fi
    return 125
}
