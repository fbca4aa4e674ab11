#!/bin/sh
request='{"id":1,"method":"subscribe","params":{"events":["swipe"]}}'
echo "$request" | socat -,ignoreeof "UNIX-CONNECT:${1:-/run/swiped/swiped.sock}" |
    while IFS= read -r line; do
        case $line in *'"event":"swipe"'*) ;; *) continue ;; esac
        number=$(echo "$line" | sed -n 's/.*"pan":{"masked":"\([0-9*]*\)".*/\1/p')
        kind=$(echo "$line" | sed -n 's/.*"card":{"kind":"\([a-z0-9_]*\)".*/\1/p')
        echo "swiped: ${number:-${kind:-unreadable}}"
    done
