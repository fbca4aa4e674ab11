# Steps, their logs and the tally: what scripts/test and its siblings print.
#
# A step is one command with one log file. While it runs its last log line is shown (a terminal) or
# repeated now and then (a pipe, CI), so that nobody wonders whether a long build hangs.
# shellcheck shell=bash

# Seconds between two signs of life where there is no terminal.
readonly HEARTBEAT_SECONDS=30
# Lines of a failed step's log that are shown at once; the file keeps them all.
readonly FAILURE_LINES=60

passed=0
failed=0
skipped=0
log_folder=

say() { printf '%s\n' "$*" >&2; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# keep_logs FOLDER: starts with an empty folder of logs.
keep_logs() {
    log_folder=$1
    rm -rf "$log_folder"
    mkdir -p "$log_folder"
}

# last_line FILE: its last non-empty line, cut to the terminal.
last_line() {
    local columns=${COLUMNS:-100}
    tail -c 4096 "$1" 2>/dev/null | tr '\r' '\n' | grep -av '^[[:space:]]*$' | tail -n 1 | cut -c "1-$((columns - 24))" || true
}

# show_progress PID NAME LOG: returns when the process has ended.
show_progress() {
    local pid=$1 name=$2 log=$3 start=$SECONDS next=$HEARTBEAT_SECONDS
    while kill -0 "$pid" 2>/dev/null; do
        if [ -t 2 ]; then
            printf '\r\033[K  ..   %4d s  %s: %s' $((SECONDS - start)) "$name" "$(last_line "$log")" >&2
        elif [ $((SECONDS - start)) -ge "$next" ]; then
            say "  ..   $(printf '%4d' $((SECONDS - start))) s  $name: $(last_line "$log")"
            next=$((next + HEARTBEAT_SECONDS))
        fi
        sleep 0.5
    done
    if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

# explain_failure LOG: the lines that say what failed: what a sanitizer found, a test's issues, a compiler's errors, else the end.
explain_failure() {
    grep -a -E -A 12 '(WARNING|ERROR): [A-Za-z]*Sanitizer: ' "$1" ||
        grep -a -E -A 4 '✘ .* recorded an issue|(^|[^ -]+: )error: ' "$1" || tail -n "$FAILURE_LINES" "$1"
}

# run_logged NAME LOG COMMAND...: runs it with its output in LOG; prints one line with the time it took.
run_logged() {
    local name=$1 log=$2 status=0 start=$SECONDS
    shift 2
    ( "$@" ) >"$log" 2>&1 </dev/null &
    local pid=$!
    show_progress "$pid" "$name" "$log"
    wait "$pid" || status=$?
    local word="ok  "
    [ "$status" -eq 0 ] || word="FAIL"
    say "  $word $(printf '%4d' $((SECONDS - start))) s  $name"
    if [ "$status" -ne 0 ]; then
        # Not `head`: who still writes then ends with a signal, and with it a script that is strict about pipes.
        explain_failure "$log" | sed -n "1,${FAILURE_LINES}s/^/       | /p" >&2
        say "       all of it: $log"
    fi
    return "$status"
}

# check NAME COMMAND...: a step that counts as one.
check() {
    local name=$1 log
    log=$log_folder/$(tr -c 'a-z0-9\n' '-' <<<"${1,,}").log
    shift
    if run_logged "$name" "$log" "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# begin KEY COMMAND...: begins it in the background. `outcome KEY` waits for it, repeats what it said and returns what it returned.
declare -A besides=()
begin() {
    local key=$1 status=0
    shift
    rm -f "$log_folder/$key.status"
    {
        "$@" || status=$?
        echo "$status" >"$log_folder/$key.status"
    } >"$log_folder/$key.beside.log" 2>&1 </dev/null &
    besides[$key]=$!
}

# beside KEY COMMAND...: the same, for what the steps after it leave of the processors.
beside() { begin "$1" at_leisure "${@:2}"; }

# at_leisure COMMAND...: not by its niceness: the package manager sets that of the compilers to 0 again where it may.
at_leisure() {
    chrt --idle --pid 0 "$BASHPID" || true
    "$@"
}

outcome() {
    tail -n +1 -s 0.2 -f --pid="${besides[$1]}" "$log_folder/$1.beside.log"
    return "$(cat "$log_folder/$1.status" 2>/dev/null || echo 1)"
}

# after KEY COMMAND...: runs it once what `beside KEY` began has ended well; returns 1 where that failed.
after() {
    local key=$1
    shift
    while kill -0 "${besides[$key]}" 2>/dev/null; do sleep 1; done
    [ "$(cat "$log_folder/$key.status" 2>/dev/null)" = 0 ] || { say "not run: there is no outcome of '$key'"; return 1; }
    "$@"
}

# failed_tests LOG: their names, as swift-testing gives them.
failed_tests() { sed -nE 's/^[^ ]+ +Test (.*) failed after .*/\1/p' "$1" | grep -av '^run with ' || true; }

# failed_as_filter LOG: what chooses the tests that failed in it: by their names, or by their files where they have titles. Nothing where
# that is not known: the run broke off, or a test with a title failed in a file of helpers.
failed_as_filter() {
    local name file filter=
    [ "$(grep -ac 'Test run started' "$1")" = "$(grep -ac 'Test run with .* after' "$1")" ] || return 0
    while read -r name; do
        if [ "${name:0:1}" != '"' ]; then
            filter+="|/${name%%(*}\\("
            continue
        fi
        file=$(grep -aF "Test $name " "$1" | sed -nE 's/.* recorded an issue .*at ([A-Za-z+]+Tests)\.swift:[0-9]+:[0-9]+: .*/\1/p' | sed -n 1p)
        [ -n "$file" ] || return 0
        filter+="|/${file//+/\\+}\\.swift:"
    done < <(failed_tests "$1" | sed -E 's/ with [0-9]+ test cases?$//')
    printf '%s' "${filter#|}"
}

# tests NAME COMMAND...: a step that runs swift-testing; every test in it counts. Many of ours wait for other programs, sound
# and devices; so what failed is run once more, one test at a time, and counts as it ends then. What passed only then is named:
# it is unsteady, and somebody has to find out why. The caller's TESTS is the program with all of them.
tests() {
    local name=$1 log first status=0 test filter again
    log=$log_folder/$(tr -c 'a-z0-9\n' '-' <<<"${1,,}").log
    shift
    run_logged "$name" "$log" "$@" || status=$?
    first=$log
    if [ "$status" -ne 0 ]; then
        first=${log%.log}.first.log
        mv "$log" "$first"
        filter=$(failed_as_filter "$first")
        again=("$@" --no-parallel)
        [ -z "$filter" ] || again=(timeout "$TEST_SECONDS" "${TESTS[@]}" --no-parallel --filter "$filter")
        status=0
        run_logged "$name, once more" "$log" "${again[@]}" || status=$?
        failed_tests "$first" | while read -r test; do
            failed_tests "$log" | grep -axF -- "$test" >/dev/null || say "       unsteady: $test"
        done
        [ -n "$filter" ] || first=$log
    fi
    count_tests "$first" "$log" "$status"
}

# tallied NAME COMMAND...: a step that ends in a tally of its own, "N passed, N failed", which is added to ours.
tallied() {
    local name=$1 log status=0 numbers all bad left_out
    log=$log_folder/$(tr -c 'a-z0-9\n' '-' <<<"${1,,}").log
    shift
    run_logged "$name" "$log" "$@" || status=$?
    numbers=$(tail -n 1 "$log" | sed -nE 's/^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?$/\1 \2 \4/p')
    # One that broke off before its tally, or failed without a failed step, is one failure.
    if [ -z "$numbers" ] || { [ "$status" -ne 0 ] && [ "$(cut -d' ' -f2 <<<"$numbers")" -eq 0 ]; }; then
        numbers="0 1 0"
    fi
    read -r all bad left_out <<<"$numbers"
    passed=$((passed + all))
    failed=$((failed + bad))
    skipped=$((skipped + ${left_out:-0}))
}

# summarized LOG: how many tests it says were run, in all its runs.
summarized() { sed -nE 's/.*Test run with ([0-9]+) tests? .*(passed|failed) after.*/\1/p' "$1" | awk '{n += $1} END {print n + 0}'; }

# count_tests ALL LAST STATUS: adds what swift-testing said in the log ALL to the tally; what failed at last is in LAST. One that broke
# off before its summary, or failed without a failed test, is one failure.
count_tests() {
    local all bad left_out
    all=$(summarized "$1")
    bad=$(failed_tests "$2" | grep -ac . || true)
    left_out=$(grep -acE '^[^ ]+ +Test .* skipped' "$1" || true)
    if [ "$3" -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
        all=$((all + 1))
    elif [ "$all" -eq 0 ] || [ "$(summarized "$2")" -eq 0 ]; then
        say "  FAIL        no test ran: $2"
        bad=1
        all=$((all + 1))
    fi
    failed=$((failed + bad))
    skipped=$((skipped + left_out))
    passed=$((passed + all - bad - left_out))
}

# tally: the last line of everything that tests. Returns whether all went well.
tally() {
    local line="$passed passed, $failed failed"
    [ "$skipped" -eq 0 ] || line="$line, $skipped skipped"
    printf '%s\n' "$line"
    [ "$failed" -eq 0 ]
}
