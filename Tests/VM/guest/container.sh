# podman in the guest, and the lines of docs/release.md that run the daemon in a container. Sourced after `begin`.
# shellcheck shell=bash

# What podman and the daemon's start may take the emulator.
readonly ENGINE_SECONDS=$((60 * SLOWNESS))
[ -c "${PROGRESS-}" ] || PROGRESS=/dev/null

# step WORDS: what the scenario has come to, beside its own words as well, which come when it is over.
step() { echo "$*, after $(cut -d ' ' -f 1 /proc/uptime) s" | tee -a "$PROGRESS"; }

# begin_engine: what the packages would have set up, were they installed, and the image.
begin_engine() {
    modprobe overlay
    mkdir -p /var/lib/containers /var/tmp
    # pivot_root takes no root of a file system that the kernel has unpacked into memory.
    printf '[engine]\nno_pivot_root = true\n' >/etc/containers/containers.conf
    id messagebus >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin messagebus
    systemctl daemon-reload
    systemctl start dbus.socket dbus.service
    [ ! -e /vm/image.tar ] || podman load --quiet --input /vm/image.tar
    # Twice in memory is once too often.
    rm -f /vm/image.tar
    step "the image is loaded"
}

# page NUMBER: runs what is in that block of the page's section: 1 makes the image, 2 is the way into the container, 3 the way back.
page() {
    awk -v number="$1" '/^## / {inside = $0 == "## In a container"} inside && /^```/ {fences++; next}
        inside && fences == 2 * number - 1' /vm/release.md >"$WORK/page.$1"
    [ -s "$WORK/page.$1" ] || fail "the page has no block $1"
    sudo() { "$@"; }
    export -f sudo
    bash -eu "$WORK/page.$1" || fail "block $1 of the page ends with status $?: $(cat "$WORK/page.$1")"
}
begin_container() {
    page 2
    PAUSE=0.5 eventually "$ENGINE_SECONDS" is_up || fail "the daemon in the container does not answer: $(container_says)"
}
is_up() { as member swipectl status >/dev/null 2>&1; }
container_pid() { podman inspect --format '{{.State.Pid}}' swiped; }
container_says() { podman logs swiped 2>&1; }
is_ready() { swipectl readers --json | grep "\"id\":\"$1\"" | grep -q '"state":"ready"'; }

# end_engine: the machine's own service as it was, however far the scenario came.
end_engine() {
    podman rm --force --all >/dev/null 2>&1 || true
    systemctl unmask --quiet swiped.socket swiped.service
    systemctl start swiped.socket swiped.service
    systemctl stop dbus.socket dbus.service 2>/dev/null || true
}
