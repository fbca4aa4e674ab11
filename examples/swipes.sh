#!/bin/sh
request='{"id":1,"method":"subscribe","params":{"events":["swipe"]}}'
socket=${1:-${SWIPED_SOCKET:-/run/swiped/swiped.sock}}
echo "$request" | socat -,ignoreeof "UNIX-CONNECT:$socket" |
    while IFS= read -r line; do
        case $line in *'"event":"swipe"'*) ;; *) continue ;; esac
        number=$(echo "$line" | sed -n 's/.*"pan":{"masked":"\([0-9*]*\)".*/\1/p')
        kind=$(echo "$line" | sed -n 's/.*"card":{"kind":"\([a-z0-9_]*\)".*/\1/p')
        echo "swiped: ${number:-${kind:-unreadable}}" || { pkill -P $$ socat; exit 1; }
    done
exit 1 # the connection has ended, or there is no daemon
