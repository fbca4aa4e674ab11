# What breaks things for a scenario that must notice: words for the files in sabotage/, and how all of it is undone.
# shellcheck shell=bash

readonly RULES=/usr/lib/udev/rules.d/70-swiped.rules SPOILED=/run/sabotage
UNITS=(swiped.service swiped.socket swiped-web.service swiped-web.socket swiped-web-control.socket)

# override UNIT TEXT: until mend_all.
override() {
    mkdir -p "/run/systemd/system/$1.d"
    printf '%s\n' "$2" >"/run/systemd/system/$1.d/sabotage.conf"
    start_anew
}

start_anew() {
    systemctl daemon-reload
    systemctl stop "${UNITS[@]}" 2>/dev/null
    systemctl reset-failed "${UNITS[@]}" 2>/dev/null
    systemctl start "${UNITS[@]}"
}

# spoil_rules EXPRESSION: of sed, over the readers' udev rules; it must change them.
spoil_rules() {
    sed "$1" "$RULES" >"$SPOILED/rules"
    ! cmp -s "$SPOILED/rules" "$RULES" || return 1
    cp "$RULES" "$SPOILED/rules.whole"
    cp "$SPOILED/rules" "$RULES"
    udevadm control --reload
}

# beside COMMANDS: run at the same time as the scenario.
beside() {
    setsid bash -c "$1" >/dev/null 2>&1 &
    echo $! >>"$SPOILED/beside"
}

# What only one file needs.
mend() { :; }

mend_all() {
    local group unit
    while read -r group; do kill -KILL -- "-$group"; done 2>/dev/null <"$SPOILED/beside"
    for unit in "${UNITS[@]}" swiped-mqtt.service; do rm -f "/run/systemd/system/$unit.d/sabotage.conf"; done
    [ ! -e "$SPOILED/rules.whole" ] || cp "$SPOILED/rules.whole" "$RULES"
    udevadm control --reload
    systemctl kill --signal CONT swiped.service 2>/dev/null
    mend
    start_anew
}
