# Encoders of software that answer as the MSR606's manual says (devices/reader/encoder.c), cards that pass them, and what clients see.
# shellcheck shell=bash

readonly extra=/etc/swiped/swiped.conf.d/50-scenario.conf
# shellcheck disable=SC2034
readonly REPLUGGED_SECONDS=$((15 * SLOWNESS))
# How many cards where many are wanted.
# shellcheck disable=SC2034
swipes=40
! is_long || swipes=1000
# shellcheck disable=SC2034
[ ! -e /vm/swipes ] || swipes=$(cat /vm/swipes)
seed=605
# The client whose lines count.
ear=till

# configure TEXT: beside who may see cards and test readers.
configure() {
    printf '[access]\nfull = user:member\nadmin = user:root, user:member\n%s\n' "$1" >"$extra"
    chmod 644 "$extra"
    apply
}

# state NAME: what the encoder has been told so far.
state() {
    tell "$1" state
    grep '^pending ' "$WORK/$1.log" | tail -n 1
}
# is NAME WORDS: its state, and that nothing was ever sent to it that changes a card or that it does not know.
is() {
    local is
    is=$(state "$1")
    case $is in "$2 "*' harm 0 unknown 0 '*) ;; *) fail "encoder $1 is not '$2': $is" ;; esac
}
becomes() { eventually "$PATIENCE_SECONDS" is_now "$@" || fail "encoder $1 does not become '$2': $(state "$1")"; }
is_now() { case $(state "$1") in "$2 "*) ;; *) return 1 ;; esac; }

# seen: of each swipe so far its direction, where something was read, and the texts of its tracks.
seen() {
    grep '"event":"swipe"' "$WORK/$ear.lines" | awk '{
        count = split($0, parts, "\"track\":")
        for (i = 1; i <= 3; i++) text[i] = "-"
        for (i = 2; i <= count; i++)
            if (match(parts[i], /"text":"[^"]*"/)) text[substr(parts[i], 1, 1)] = substr(parts[i], RSTART + 8, RLENGTH - 9)
        direction = match($0, /"direction":"[a-z]*"/) ? substr($0, RSTART + 13, RLENGTH - 14) : "-"
        if (text[1] text[2] text[3] == "---") direction = "-"
        print direction, text[1], text[2], text[3]
    }'
}
have_come() { [ "$(swipe_count)" -ge "$1" ]; }
swipe_count() { lines "$ear" '"event":"swipe"'; }

# swipe NAME COUNT: so many cards pass, each as soon as it is asked for; each is seen once, in its order, as it was.
swipe() {
    local before
    before=$(swipe_count)
    seed=$((seed + 1))
    : >"$WORK/expected"
    tell "$1" swipes "$2" "$seed" "$WORK/expected"
    PAUSE=0.5 eventually $((20 + $2 / 4)) have_come $((before + $2)) || true
    sleep 1
    seen | tail -n "+$((before + 1))" | diff "$WORK/expected" - >"$WORK/differences" ||
        fail "of $2 cards (seed $seed): $(head -n 20 "$WORK/differences")"
    echo "$2 cards of $1: each seen once, as it was; unread $(grep -c -- '- - - -' "$WORK/expected" || true)"
}

# goes NAME: its attachment ends, and leaves nothing.
goes() {
    eventually "$UNPLUG_SECONDS" no_readers || fail "$1 is not gone: $(swipectl readers --json)"
    same "readers that came and went" "$(lines "$ear" '"event":"connect"')" "$(lines "$ear" '"event":"disconnect"')"
}
ready_count() { lines "$ear" '"event":"ready"'; }
