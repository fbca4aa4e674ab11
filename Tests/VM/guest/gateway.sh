# What scenarios with the gateway share: a page's requests, and how it is let in.
# shellcheck shell=bash

readonly origin=https://till.example.org

# http METHOD PATH [BODY [HEADER]...]: a page's request; prints the answer.
http() {
    local method=$1 path=$2 body=${3-}
    shift "$(($# < 3 ? $# : 3))"
    {
        printf '%s %s HTTP/1.1\r\nHost: localhost:817\r\nConnection: close\r\n' "$method" "$path"
        [ "$#" -eq 0 ] || printf '%s\r\n' "$@"
        [ -z "$body" ] || printf 'Content-Type: application/json\r\nContent-Length: %s\r\n' "${#body}"
        printf '\r\n%s' "$body"
    } | timeout 60 socat -t 60 - TCP:127.0.0.1:817,shut-none
}
# page_gets PATTERN ARGUMENT...: the answer to `http ARGUMENT...` matches.
page_gets() {
    local pattern=$1 answer
    shift
    answer=$(http "$@") || fail "no answer to $*"
    grep -q -- "$pattern" <<<"$answer" || fail "$*: $answer"
}

# name_page: the operator's configuration has this page in it.
name_page() { printf '[origin %s]\nrole = masked\n' "$origin" >>/etc/swiped/swiped-web.conf; }

# ask_to_pair: the page's ticket is $ticket then, and what an operator has to confirm $code.
ask_to_pair() {
    local asked
    asked=$(http POST /v1/pairings '{}' "Origin: $origin")
    code=$(sed -nE 's/.*"code":"([0-9-]+)".*/\1/p' <<<"$asked")
    ticket=$(sed -nE 's/.*"pairing":"([^"]+)".*/\1/p' <<<"$asked")
}

# let_in: an operator says so; the page's $token is in the headers $paired then.
let_in() {
    swipectl web pair "$code" || fail "root could not let a page in"
    token=$(http POST /v1/pairings/token "{\"pairing\":\"$ticket\"}" "Origin: $origin" | sed -nE 's/.*"token":"([^"]+)".*/\1/p')
    [ -n "$token" ] || fail "no token after the code was confirmed"
    # shellcheck disable=SC2034
    readonly paired=("Origin: $origin" "Authorization: Bearer $token")
}
