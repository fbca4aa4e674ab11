# What scenarios with a reader of software on a headset jack share. The reader is at the other end of the kernel's loopback card:
# what the daemon plays goes through it, and what it says comes back, a frame for a frame.
# shellcheck shell=bash

readonly JACK=audio-Loopback
readonly JACK_EXTRA=/etc/swiped/swiped.conf.d/50-scenario.conf JACK_ACCESS=/etc/swiped/swiped.conf.d/40-scenario.conf
# How many packets scripts/vm-test was told to send in each combination.
JACK_PACKETS=$(cat /vm/packets 2>/dev/null || echo 10)
readonly JACK_PACKETS JACK_PROGRESS=$PROGRESS
# Seconds of the guest that a packet may take with all that belongs to it, at the slowest speed.
readonly JACK_PACKET_SECONDS=8

# begin_jack: a card whose jack is empty, and the client `till`, which may see all of a card that it has claimed.
begin_jack() {
    begin
    at_end end_jack
    modprobe snd-aloop pcm_substreams=1
    card=$(readlink -f /proc/asound/Loopback | sed 's/.*card//')
    jack out
    printf '[access]\nfull = user:member\n' >"$JACK_ACCESS"
    chmod 644 "$JACK_ACCESS"
    apply
    client till
}
end_jack() {
    rm -f "$JACK_EXTRA" "$JACK_ACCESS"
    systemctl reload swiped.service
    # A scenario that failed has left its reader in the jack.
    silence_jack
    eventually 5 modprobe -q -r snd-aloop || true
}
silence_jack() { for name in arecord jack-reader aplay; do pkill -KILL -x "$name" || true; done; }

# jack in|out
jack() { /vm/tools/card-control "$card" jack 'Mic Jack' "$1" >/dev/null; }

# await_reader SETTINGS: lines of its section.
await_reader() {
    printf '[audio-reader desk]\ndevice = hw:CARD=Loopback,DEV=0\ninitializing_message =\ntimeout_message =\n%s\n' "$1" \
        >"$JACK_EXTRA"
    chmod 644 "$JACK_EXTRA"
    apply
}

# insert KIND RATE [BAUD [SEED]]: the sound of such a reader; the jack does not tell of it yet.
insert() {
    rm -f "$WORK/jack.commands"
    mkfifo "$WORK/jack.commands"
    : >"$WORK/jack.log"
    { arecord -q -D hw:CARD=Loopback,DEV=1 -t raw -f S16_LE -r "$2" -c 2 -B 100000 2>>"$WORK/sound.log" |
        /vm/devices/jack-reader "$1" "$2" "$WORK/jack.commands" "${@:3}" 2>>"$WORK/jack.log" |
        aplay -q -D hw:CARD=Loopback,DEV=1 -t raw -f S16_LE -r "$2" -c 1 -B 100000 2>>"$WORK/sound.log"; } &
    pipeline=$!
    eventually "$PATIENCE_SECONDS" grep -q 'plugged in' "$WORK/jack.log" || fail "no reader: $(cat "$WORK/jack.log")"
}
withdraw() {
    command_reader quit
    wait "$pipeline" || true
}
# command_reader WORDS: without waiting for one that is gone.
command_reader() { echo "$1" 1<>"$WORK/jack.commands"; }

# words_since LINE: the names of the events of `till` after its first so many lines, without those of claims.
words_since() {
    tail -n "+$(($1 + 1))" "$WORK/till.lines" | sed -nE 's/^\{"event":"([a-z_]+)".*/\1/p' | grep -v '^claim' |
        tr '\n' ' ' | sed 's/ $//'
}
line_count() { wc -l <"$WORK/till.lines"; }
# since LINE NAME: whether an event of that name has come after so many lines.
since() { tail -n "+$(($1 + 1))" "$WORK/till.lines" | grep -q "^{\"event\":\"$2\""; }
# await LINE NAME [SECONDS]
await() {
    eventually "${3:-20}" since "$1" "$2" && return
    fail "no $2; since then: $(words_since "$1"); $(tail -n 3 "$WORK/jack.log"; tail -n 3 "$WORK/sound.log")"
}

# request METHOD [PARAMETERS]: asks, and fails where it is refused.
requests=100
request() {
    requests=$((requests + 1))
    ask till "{\"id\":$requests,\"method\":\"$1\",\"params\":{\"reader\":\"$JACK\"${2-}}}"
    expect till 1 "^{\"id\":$requests,\"result\""
}

# swipe_and_compare WHAT COUNT: the reader swipes so many cards, each as soon as it is asked for one. What comes is what was sent,
# by its key serial number and by every byte that is encrypted. How many came is in `right`.
swipe_and_compare() {
    local before said wrong
    before=$(line_count) said=$(wc -l <"$WORK/jack.log")
    request claim
    command_reader "swipes $2"
    # Whoever looks at a log 50 times a second costs the emulator more than the sound does.
    PAUSE=1 eventually $(($2 * JACK_PACKET_SECONDS + 20)) is_over "$said" || true
    has_swiped "$said" ||
        fail "$1: not all was swiped: $(tail -n 3 "$WORK/jack.log"; tail -n 3 "$WORK/sound.log")"
    tail -n "+$((said + 1))" "$WORK/jack.log" | sed -nE 's/^swipe [0-9]+: done ([0-9A-F]+ [0-9A-F]+)$/\1/p' >"$WORK/sent"
    same "$1: swipes made" "$2" "$(sort -u "$WORK/sent" | wc -l)"
    # The last is still on its way.
    PAUSE=0.2 eventually "$PATIENCE_SECONDS" has_come "$before" || true
    PAUSE=0.2 eventually "$PATIENCE_SECONDS" is_ready || fail "$1: it is not ready for the next"
    arrived "$before" >"$WORK/arrived"
    wrong=$(grep -vxFc -f "$WORK/sent" "$WORK/arrived" || true)
    right=$(sort -u "$WORK/arrived" | grep -xFc -f "$WORK/sent" || true)
    same "$1: cards taken that nobody swiped" 0 "$wrong"
    same "$1: cards taken twice" 0 "$(sort "$WORK/arrived" | uniq -d | wc -l)"
}
has_swiped() { tail -n "+$(($1 + 1))" "$WORK/jack.log" | grep -q '^swipes: done'; }
is_over() { has_swiped "$1" || ! kill -0 "$pipeline" 2>/dev/null; }
is_ready() { swipectl readers --json | grep -q '"is_ready_for_swipe":true'; }
has_come() { arrived "$1" | grep -qxF -- "$(tail -n 1 "$WORK/sent")"; }
# arrived LINE: a line for each card after so many lines.
arrived() {
    tail -n "+$(($1 + 1))" "$WORK/till.lines" | sed -nE '/"data":\{"card":\{/!b
        s/.*"ksn":"([0-9A-F]+)".*"ciphertext":"([0-9A-F]+)".*"ciphertext":"([0-9A-F]+)".*/\1 \2\3/p;t
        s/.*"ksn":"([0-9A-F]+)".*"ciphertext":"([0-9A-F]+)".*/\1 \2/p'
}

# pull_out: in that order, whatever came before.
pull_out() {
    local before
    before=$(line_count)
    jack out
    await "$before" disconnect
    same "the way out" "unready deactivate disconnect" "$(words_since "$before" | sed -E 's/.*(unready deact)/\1/')"
}

# unimag_at RATE: a UniMag at each speed, from its plug to its end, over a channel with 20 dB, clocks off by 1 % and an offset
# that wanders; plugged in anew for each hundred of swipes.
unimag_at() {
    local baud count done=0 profiles=/etc/swiped/scenario.profiles
    declare -A arrivals=([9600]=0 [4800]=0 [2400]=0)
    while [ "$done" -lt "$JACK_PACKETS" ]; do
        count=$((JACK_PACKETS - done < 100 ? JACK_PACKETS - done : 100))
        for baud in 9600 4800 2400; do
            unimag_life "$1" "$baud" "$count" "$done"
            arrivals[$baud]=$((arrivals[$baud] + right))
            # Beside the scenario's own words, which come when it is over.
            echo "     $1 Hz, $baud baud: ${arrivals[$baud]} of $((done + count)) right, 0 wrong ($(busy))" | tee "$JACK_PROGRESS"
        done
        done=$((done + count))
    done
    rm -f "$profiles"
    for baud in 9600 4800 2400; do
        at_most "$(losses $((baud == 2400 ? 1 : 10)))" "$1 Hz, $baud baud: swipes lost of $done" $((done - arrivals[$baud]))
    done
}
# busy: what the emulator had to do so far; the rest of the guest's time costs it nothing.
busy() {
    awk '$1 == "cpu" {printf "%d s busy of ", ($2 + $4 + $7 + $8) / 100} FILENAME ~ /uptime/ {printf "%d s", $1}' \
        /proc/stat /proc/uptime
}
# losses PER_MILLE: so many may be lost; one always.
losses() {
    local number=$((JACK_PACKETS * $1 / 1000))
    echo $((number > 0 ? number : 1))
}
# unimag_life RATE BAUD COUNT SEED
unimag_life() {
    local before
    printf '[profile bench]\nlike = unimag-9600-48000-48000-1\nbaud = %s\ncapture_rate = %s\nplayback_rate = %s\n' \
        "$2" "$1" "$1" >"$profiles"
    chmod 644 "$profiles"
    await_reader $'type = unimag\nactivate_without_prompting = yes\nswipe_timeout_s = 5\nprofile_file = '"$profiles"
    insert unimag "$1" "$2" "$4"
    before=$(line_count)
    jack in
    await "$before" ready
    same "the way in at $1 Hz, $2 baud" "connect update activate ready" "$(words_since "$before")"
    swipe_and_compare "$1 Hz, $2 baud" "$3"
    pull_out
    withdraw
}
