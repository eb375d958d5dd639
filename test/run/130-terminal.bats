#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# process.terminal: sizes, the console socket, the terminal of a foreground run.
load ../lib/run
support=$BATS_TEST_DIRNAME/../support

receiver_start() { # [SIZE]
    rm -f "$WORK/console.sock"
    "$support/console_receiver.py" "$WORK/console.sock" "$@" >"$WORK/console.out" &
    receiver=$!
    wait_until 5 test -S "$WORK/console.sock"
}

received() { # what came out of the terminal, without carriage returns
    wait_until 10 eval '! kill -0 "$receiver" 2>/dev/null'
    tr -d '\r' <"$WORK/console.out"
}

terminal_args() {
    config_edit '.process.terminal = true'
    config_args "$@"
}

@test "runc-1269: consoleSize is set before the program starts" {
    terminal_args stty size
    config_edit '.process.consoleSize = {height: 33, width: 101}'
    receiver_start
    runa run --detach --console-socket "$WORK/console.sock" --bundle "$BUNDLE" sized </dev/null >/dev/null 2>&1
    [ "$(received)" = "33 101" ]
}

@test "runc-1269: without consoleSize the size is that of the caller's terminal" {
    terminal_args stty size
    expect_status 0 "$support/pty_run.py" 40x90 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" sized </dev/null
    expect_match '40 90'
}

@test "runc-1269: a resize of the master reaches the program as SIGWINCH" {
    terminal_args sh -c 'trap "stty size; exit" WINCH; echo ready; while :; do sleep 0.05; done'
    receiver_start 50x120
    runa run --detach --console-socket "$WORK/console.sock" --bundle "$BUNDLE" sized </dev/null >/dev/null 2>&1
    [ "$(received)" = $'ready\n50 120' ]
}

@test "create hands the terminal over, start runs in it" {
    terminal_args sh -c 'tty; test -t 0 && test -t 1 && test -t 2 && echo three; readlink /proc/self/fd/0; ls -1 /dev/pts'
    receiver_start
    runa create --console-socket "$WORK/console.sock" --bundle "$BUNDLE" late </dev/null >/dev/null 2>&1
    runa start late
    run received
    expect_output $'/dev/pts/0\nthree\n/dev/pts/0\n0\nptmx'
}

@test "/dev/console is the terminal" {
    terminal_args sh -c 'echo through >/dev/console; stat -c %t:%T /dev/console /dev/pts/0'
    receiver_start
    runa run --detach --console-socket "$WORK/console.sock" --bundle "$BUNDLE" console </dev/null >/dev/null 2>&1
    run received
    expect_output $'through\n88:0\n88:0'
}

@test "the terminal is the controlling one: Ctrl-C interrupts" {
    terminal_args sh -c 'trap "echo interrupted; exit 5" INT; echo ready; while :; do sleep 0.1; done'
    # shellcheck disable=SC2016
    expect_status 5 sh -c '{ sleep 1.5; printf "\003"; sleep 5; } | "$@"' sh \
        "$support/pty_run.py" 24x80 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" typed
    expect_match 'interrupted'
}

@test "what is typed arrives, the exit code comes back, the last output is whole" {
    terminal_args sh -c 'read line; echo "got <$line>"; seq 1 5000; exit 3'
    # shellcheck disable=SC2016
    run sh -c 'printf "hello\r" | "$@"' sh "$support/pty_run.py" 24x80 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" typed
    [ "$status" = 3 ]
    expect_match 'got <hello>'
    [[ ${lines[-1]} == 5000* ]]
}

@test "a foreground run in a terminal that is a pipe outside still works" {
    terminal_args sh -c 'test -t 1 && echo terminal'
    expect_status 0 runa run --bundle "$BUNDLE" piped </dev/null
    [ "$(tr -d '\r' <<<"$output")" = terminal ]
}

@test "the terminal belongs to the user of the process" {
    terminal_args sh -c 'stat -c "%u %a" /dev/pts/0; echo writes >/dev/pts/0; echo again >/dev/stdout'
    config_edit '.process.user = {uid: 1500, gid: 1500}'
    receiver_start
    runa run --detach --console-socket "$WORK/console.sock" --bundle "$BUNDLE" owned </dev/null >/dev/null 2>&1
    run received
    expect_match '^1500 620'
    expect_match 'writes'
}

@test "create and run --detach with a terminal need a console socket" {
    terminal_args true
    refused 'console-socket' runa create --bundle "$BUNDLE" x
    refused 'console-socket' runa run --detach --bundle "$BUNDLE" x
}

@test "a console socket that is none, or whose owner is gone, is refused" {
    terminal_args true
    refused 'console-socket' runa create --console-socket "$WORK/none" --bundle "$BUNDLE" x
    : >"$WORK/file"
    refused 'console-socket' runa create --console-socket "$WORK/file" --bundle "$BUNDLE" x
    receiver_start
    kill "$receiver"
    wait "$receiver" || :
    refused 'console-socket' runa create --console-socket "$WORK/console.sock" --bundle "$BUNDLE" x
}

@test "a console socket with a path above 108 bytes works" {
    local deep
    deep=$WORK/$(printf 'd%.0s' {1..90})
    mkdir "$deep"
    terminal_args echo long
    receiver_start
    runa run --detach --console-socket "$deep/../console.sock" --bundle "$BUNDLE" x </dev/null >/dev/null 2>&1
    [ "$(received)" = long ]
}
