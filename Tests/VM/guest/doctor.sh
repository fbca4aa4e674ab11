# What scenarios with the doctor share: to break something, and to see that it names just that.
# shellcheck shell=bash

# shellcheck disable=SC2034
readonly extra=/etc/swiped/swiped.conf.d/50-scenario.conf

wrong=0
# names WHAT CHECK...: of all that it calls a fault. Another user's doctor is asked by $ASK.
names() {
    ${ASK-} swipectl doctor --json >"$WORK/doctor" 2>"$WORK/errors" || true
    judged "$1" '"fault":true' "${@:2}"
}
# explains READER WHAT CHECK...: all that it says of one reader, faults or not.
explains() {
    swipectl doctor "$1" --json >"$WORK/doctor" 2>"$WORK/errors" || true
    judged "$2" '"fault":' "${@:3}"
}
# judged WHAT PATTERN CHECK...
judged() {
    local what=$1 pattern=$2 expected got
    shift 2
    expected=$(printf '%s\n' "$@" | sort | paste -sd ' ' -)
    got=$(grep -oE '"check":"[a-z-]+","title":"[^"]*",'"$pattern" "$WORK/doctor" | cut -d '"' -f 4 | sort -u | paste -sd ' ' - || true)
    echo "$what: ${got:-nothing}"
    [ "$expected" != "$got" ] || return 0
    wrong=$((wrong + 1))
    echo "failed: $what: expected ${expected:-nothing}"
    cat "$WORK/errors" "$WORK/doctor"
    journalctl -q -u swiped.service -n 12 -o cat
}

# configure TEXT: in force when this returns. An empty text is none.
configure() {
    printf '%b' "$1" >"$extra"
    chmod 644 "$extra"
    apply
}
node() { grep -lx "HID_UNIQ=$1" /sys/class/hidraw/*/device/uevent 2>/dev/null | cut -d / -f 5; }
# plug NAME SERIAL [MODEL [IDS]]: udev is through with it then, and its node is $NODE.
plug() {
    [ -e "$WORK/$1.commands" ] || reader "$1" "$2" "${3-magtek}" usb "${4-}"
    tell "$1" plug
    eventually "$PATIENCE_SECONDS" node "$2" >"$WORK/node" || fail "no node of $1"
    udevadm settle
    NODE=/dev/$(cat "$WORK/node")
}
is_gone() { [ -z "$(node "$1")" ]; }
# pull NAME SERIAL
pull() {
    tell "$1" unplug
    eventually "$UNPLUG_SECONDS" is_gone "$2" || fail "$1 is still there"
}

# judge: all are tried before one that was wrong fails the scenario.
judge() { [ "$wrong" = 0 ] || fail "$wrong of them are wrong"; }
