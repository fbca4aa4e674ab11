# What scenarios are written in: readers, clients, and waiting for what they show.
# shellcheck shell=bash

readonly WORK=/run/scenario
# The published report of MagTek 99875475, appendix D, example 3.
# shellcheck disable=SC2034
readonly PUBLISHED_REPORT=/vm/vectors/MagTek/published/v5_hid856_level2.hex
# Under the host's clock a second is what a busy host makes of it.
SLOWNESS=1
[ ! -e /vm/wall-clock ] || SLOWNESS=20
readonly SLOWNESS
# How long something may take that happens at once, in the guest's time.
readonly PATIENCE_SECONDS=$((10 * SLOWNESS))
# A mute reader holds the kernel for 5 s, each request.
readonly UNPLUG_SECONDS=20

# is_long: whether scripts/vm-test was told --long.
is_long() { [ -e /vm/long ]; }

fail() { echo "failed: $*"; exit 1; }

# begin: an empty folder and no reader of the scenario before, whose cables come out only when the kernel gets to it.
# Whatever this shell starts ends with it.
begin() {
    rm -rf "$WORK"
    mkdir -p "$WORK"
    chmod 755 "$WORK"
    trap finish EXIT
    eventually "$UNPLUG_SECONDS" no_readers || fail "readers left: $(swipectl readers --json)"
}
no_readers() { [ -z "$(ls /dev/hidraw* 2>/dev/null)" ] && [ -z "$(swipectl readers --json 2>/dev/null)" ]; }

finish() {
    local name
    for name in "$WORK"/*.pid; do [ ! -e "$name" ] || kill -KILL "$(cat "$name")" 2>/dev/null || true; done
}

# at_end COMMANDS: when the scenario ends, however it does. Its readers go first: were one of the commands to fail, they would stay.
at_end() {
    # shellcheck disable=SC2064
    trap "finish; $1" EXIT
}

# keep NAME PID: ended with the scenario, and without a word of the shell's. Were two to have one name, one of them would stay.
keep() {
    [ ! -e "$WORK/$1.pid" ] || ! kill -0 "$(cat "$WORK/$1.pid")" 2>/dev/null || fail "two are called $1"
    echo "$2" >"$WORK/$1.pid"
    disown "$2"
}

# eventually SECONDS COMMAND...: until it succeeds; tried every PAUSE seconds where that is set.
eventually() {
    local end=$(($(date +%s%N) + $1 * 1000000000))
    shift
    until "$@"; do
        [ "$(date +%s%N)" -lt "$end" ] || return 1
        sleep "${PAUSE:-0.02}"
    done
}

# reader NAME [SERIAL [MODEL [BUS [IDS]]]]: a reader of software that `tell NAME ...` drives; not plugged in yet.
reader() {
    local name=$1 serial=${2:-B0A1B2C3} model=${3:-magtek} bus=${4:-usb} ids=${5-}
    mkfifo "$WORK/$name.commands"
    : >"$WORK/$name.log"
    /vm/devices/reader "$serial" "$model" "$bus" ${ids:+"$ids"} <>"$WORK/$name.commands" >>"$WORK/$name.log" 2>&1 &
    keep "$name" $!
}

# tell NAME COMMAND...: returns when the reader has obeyed.
tell() {
    local name=$1 before
    shift
    before=$(answers "$name")
    echo "$*" >"$WORK/$name.commands"
    eventually "$PATIENCE_SECONDS" answered "$name" "$before" || fail "reader $name does not answer: $*"
    grep ': \(done\|failed\)$' "$WORK/$name.log" | tail -n 1 | grep -q ': done$' || fail "reader $name: $(tail -n 3 "$WORK/$name.log")"
}
answers() { grep -c ': \(done\|failed\)$' "$WORK/$1.log" || true; }
answered() { [ "$(answers "$1")" -gt "$2" ]; }

# as USER COMMAND...: with the groups that the user has.
as() { (exec_as "$@"); }

# exec_as USER COMMAND...: in place of this shell, so that in the background $! is the command itself.
exec_as() {
    local user=$1
    shift
    exec setpriv --reuid "$user" --regid "$user" --init-groups -- "$@"
}

# client NAME [USER]: keeps the events that a user's client gets, from now on; `ask NAME LINE` sends its requests.
client() {
    local name=$1 user=${2:-member}
    mkfifo "$WORK/$name.requests"
    exec_as "$user" socat -t 86400 - UNIX-CONNECT:/run/swiped/swiped.sock >"$WORK/$name.lines" 2>"$WORK/$name.errors" \
        <>"$WORK/$name.requests" &
    keep "$name" $!
    ask "$name" '{"id":1,"method":"subscribe"}'
    expect "$name" 1 '^{"id":1,"result":'
}
ask() { echo "$2" >"$WORK/$1.requests"; }

# lines NAME PATTERN: how many lines have come that match.
lines() { grep -c -- "$2" "$WORK/$1.lines" || true; }
has() { [ "$(lines "$1" "$3")" -ge "$2" ]; }

# expect NAME COUNT PATTERN [SECONDS]: so many lines that match, in all, before time is up.
expect() {
    eventually "${4:-$PATIENCE_SECONDS}" has "$@" && return
    tail -n 20 "$WORK/$1.lines"
    fail "$1 got $(lines "$1" "$3") of $2 lines like $3"
}

# last NAME PATTERN: the newest line that matches.
last() { grep -- "$2" "$WORK/$1.lines" | tail -n 1; }

# same WHAT EXPECTED GOT
same() {
    [ "$2" = "$3" ] && return
    printf 'failed: %s\n  expected %s\n  got      %s\n' "$1" "$2" "$3"
    exit 1
}

# event_names NAME: of all events so far, in order.
event_names() { sed -nE 's/^\{"event":"([a-z_]+)".*/\1/p' "$WORK/$1.lines"; }

# apply: what the configuration says now holds when this returns. `systemctl reload` alone comes back before that (systemd
# waits for it from version 253 on), and a client that connects meanwhile has the roles of before.
apply() {
    systemctl reload swiped.service
    swipectl reload >/dev/null || fail "the configuration was not taken"
}

daemon_pid() { systemctl show -P MainPID swiped.service; }

# milliseconds: CLOCK_MONOTONIC, as in an event's mono_ns; the guest is never suspended.
milliseconds() { awk '{printf "%d", $1 * 1000}' /proc/uptime; }

# event_milliseconds LINE: when the event happened.
event_milliseconds() { sed -E 's/.*"mono_ns":([0-9]+)[0-9]{6},.*/\1/' <<<"$1"; }

# in_milliseconds LIMIT WHAT NUMBER: at_most, for a time.
in_milliseconds() { at_most $(($1 * SLOWNESS)) "milliseconds $2" "$3"; }

# at_most LIMIT WHAT NUMBER
at_most() {
    echo "$2: $3"
    [ "$3" -le "$1" ] || fail "$2: $3, more than $1"
}

# drop_in TEXT: changes the daemon's unit until the scenario ends.
drop_in() {
    mkdir -p /run/systemd/system/swiped.service.d
    printf '%s\n' "$1" >/run/systemd/system/swiped.service.d/scenario.conf
    systemctl daemon-reload
    systemctl restart swiped.service
}
