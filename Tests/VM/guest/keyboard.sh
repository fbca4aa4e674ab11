# Readers that type, and whoever types beside them. Sourced after `begin`.
# shellcheck shell=bash

readonly extra=/etc/swiped/swiped.conf.d/27-scenario.conf
# shellcheck disable=SC2034
readonly CARD='%B4111111111111111^DOE/JANE^29121010000000000000?;4111111111111111=29121010000000000?'

# Whoever looks 50 times a second costs the emulator more than the keys do.
PAUSE=0.1

# typed TEXT: boot reports, US.
typed() {
    local i c modifiers usage
    for ((i = 0; i < ${#1}; i++)); do
        c=${1:i:1}
        modifiers=00
        case $c in
            [A-Z]) modifiers=02 usage=$(printf %02x $(($(printf %d "'$c") - 61))) ;;
            [a-z]) usage=$(printf %02x $(($(printf %d "'$c") - 93))) ;;
            [1-9]) usage=$(printf %02x $((c + 29))) ;;
            0) usage=27 ;;
            %) modifiers=02 usage=22 ;;
            ^) modifiers=02 usage=23 ;;
            '?') modifiers=02 usage=38 ;;
            ';') usage=33 ;;
            =) usage=2e ;;
            /) usage=38 ;;
            $'\r') usage=28 ;;
        esac
        printf '%s00%s0000000000\n%016d\n' "$modifiers" "$usage" 0
    done
}
typed "$CARD"$'\r' >"$WORK/swipe"
# Up to a key that is let go: one that is held down keeps a keyboard from being taken.
head -n 102 "$WORK/swipe" >"$WORK/half"
tail -n +103 "$WORK/swipe" >"$WORK/rest"
# One track: what waits for silence, until the reader has shown where it puts Enter.
typed "${CARD#*\?}" >"$WORK/endless"
typed "${CARD#*\?}"$'\r' >"$WORK/single"
typed aaaaaaaaaaaaaaaaaaaa >"$WORK/person"
printf '%016d\n' 0 >"$WORK/released"
echo 0200000000000000 >"$WORK/shift"

# event_node SERIAL: of the keyboard with that number.
event_node() {
    local file
    file=$(grep -lx -- "$1" /sys/class/input/event*/device/uniq 2>/dev/null) && echo "/dev/input/$(cut -d / -f 5 <<<"$file")"
}
# listen NAME NODE: counts beside the daemon; `keys NAME` says how many.
listen() {
    /vm/tools/key-listener "$2" "$WORK/$1.count" 2>"$WORK/$1.errors" &
    keep "$1" $!
    eventually "$PATIENCE_SECONDS" test -s "$WORK/$1.count" || fail "nobody listens at $2"
}
keys() { cat "$WORK/$1.count"; }
# listen_libinput: what a desktop gets of all keyboards, also of those that are plugged in later; `libinput_keys` says how many keys.
listen_libinput() {
    stdbuf -oL /usr/libexec/libinput/libinput-debug-events --show-keycodes >"$WORK/libinput" 2>"$WORK/libinput.errors" &
    keep libinput $!
    eventually "$PATIENCE_SECONDS" grep -q DEVICE_ADDED "$WORK/libinput" || fail "no libinput: $(cat "$WORK/libinput.errors")"
}
libinput_keys() { grep -c 'KEYBOARD_KEY.*pressed' "$WORK/libinput" || true; }

# repeat COUNT FILE: its boot reports in one line, so often.
repeat() { awk -v count="$1" '{ line = line $0 } END { while (count-- > 0) print line }' "$2"; }
# step WORDS: what the scenario has come to, beside its own words as well, which come when it is over.
step() { echo "$*, after $(cut -d ' ' -f 1 /proc/uptime) s" | tee -a "$PROGRESS"; }
# busy: milliseconds of the processor so far, of all and of the daemon.
busy() {
    awk -v ticks="$(getconf CLK_TCK)" '
        /^cpu / { printf "%d ", ($2 + $3 + $4 + $6 + $7 + $8) * 1000 / ticks }
        FILENAME != "/proc/stat" { sub(/.*\) /, ""); printf "%d\n", ($12 + $13) * 1000 / ticks }' /proc/stat "/proc/$(daemon_pid)/stat"
}
# type_swipes NAME MS PAUSE FILE: one swipe after the other without this shell, which costs the emulator more than they do: looked at
# every two seconds. How far it is goes beside the scenario's own words, which come when it is over.
type_swipes() {
    local name=$1 before told=0 count
    shift
    before=$(answers "$name")
    echo "texts $*" >"$WORK/$name.commands"
    until answered "$name" "$before"; do
        sleep 2
        count=$(grep -c ' swipes$' "$WORK/$name.log" || true)
        [ "$count" = "$told" ] || step "$(tail -n 1 "$WORK/$name.log")"
        told=$count
    done
    tail -n 1 "$WORK/$name.log" | grep -q ': done$' || fail "reader $name: $(tail -n 3 "$WORK/$name.log")"
}
[ -c "${PROGRESS-}" ] || PROGRESS=/dev/null

# plug NAME SERIAL: and what udev does of it.
plug() {
    tell "$1" plug
    eventually "$PATIENCE_SECONDS" event_node "$2" >/dev/null || fail "no keyboard $2"
    udevadm settle
}
readonly READY='"event":"ready".*"reader":"keyboard-TYPES01"' SWIPE='"event":"swipe".*411111\*\*\*\*\*\*1111'
# Keys were missing.
# shellcheck disable=SC2034
readonly REFUSED='"event":"swipe".*"hint":"partial"'
# configure LINES: of the section that names it.
configure() {
    printf '[keyboard-reader till]\nkeyboard = c216:0180\n%s' "$1" >"$extra"
    chmod 644 "$extra"
    apply
}
listed() { as member swipectl readers --json | grep "\"id\":\"keyboard-$1\""; }
gone() { ! listed "$1" >/dev/null; }

taken() { listed TYPES01 | grep -q '"state":"ready"'; }
# refused SERIAL WORDS
refused() { eventually "$PATIENCE_SECONDS" is_refused "$@" || fail "not refused: $(listed "$1")"; }
is_refused() { listed "$1" | grep '"state":"unsupported"' | grep -q "$2"; }
# settle: what begins within a second behind the taking may be the rest of a swipe that went elsewhere, and is refused.
settle() { sleep 1.5; }
becomes_ready() {
    eventually "$PATIENCE_SECONDS" taken || fail "not taken: $(listed TYPES01)"
    settle
}
# says WORDS: what people are told of how it is held.
says() { as member swipectl readers keyboard-TYPES01 | grep -q "^held .*$1" || fail "it is not held like that: $1"; }
replug() {
    tell msr unplug
    eventually "$PATIENCE_SECONDS" gone TYPES01 || fail "still there: $(listed TYPES01)"
    plug msr TYPES01
}
stop_daemon() { systemctl stop swiped.socket swiped.service; }
start_daemon() { systemctl start swiped.socket swiped.service; }
# types NAME COUNT: so many have come to that listener.
types() { eventually "$PATIENCE_SECONDS" types_now "$@" || fail "listener $1 got $(keys "$1"), not $2"; }
types_now() { [ "$(keys "$1")" -eq "$2" ]; }

# in_layout LAYOUT [LINES]: the reader's, as the daemon knows it; plugged in anew.
in_layout() {
    printf '[access]\nfull = user:member\n' >"$access"
    configure "layout = $1"$'\n'"${2-}"
    replug
    becomes_ready
}
readonly access=/etc/swiped/swiped.conf.d/26-scenario.conf
# texts FROM: of each swipe behind so many the texts of its tracks, one behind the other; a dash where nothing was read.
texts() {
    grep '"event":"swipe"' "$WORK/till.lines" | tail -n "+$(($1 + 1))" | awk '{
        said = ""
        while (match($0, /"text":"[^"]*"/)) {
            said = said substr($0, RSTART + 8, RLENGTH - 9)
            $0 = substr($0, RSTART + RLENGTH)
        }
        print said == "" ? "-" : said
    }'
}
count() { lines till '"event":"swipe"'; }
# read_back WHAT MS PAUSE FILE: what is typed is what is read, swipe by swipe; `EXPECTED` has the texts.
read_back() {
    local before
    before=$(count)
    type_swipes msr "$2" "$3" "$4"
    sleep 1.5
    texts "$before" >"$WORK/seen"
    cmp -s "$WORK/expected" "$WORK/seen" && return
    diff "$WORK/expected" "$WORK/seen" | head -n 6
    fail "$1: not what was typed"
}
# type_as LAYOUT WAYS <texts: into `typed`.
type_as() {
    # shellcheck disable=SC2086
    /vm/tools/typist "$1" ${2-} >"$WORK/typed"
}
