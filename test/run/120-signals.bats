#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Signals: those that reach a foreground run, and what of the caller's dispositions must not reach the process.
load ../lib/run
support=$BATS_TEST_DIRNAME/../support

odd_caller() { # WHAT... -- ARG...: run ARG in the container, called by inherit.py
    local words=()
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    shift
    config_args "$@"
    timeout 20 "$support/inherit.py" "${words[@]}" -- "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" odd </dev/null
}


@test "crun-1442: SIGWINCH, SIGURG and SIGCHLD do not end a run without a terminal" {
    local signal
    config_args sh -c 'sleep 1; exit 9'
    "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" resized </dev/null &
    local run=$!
    wait_until 5 container_is resized running
    for signal in WINCH WINCH URG CHLD CONT; do
        kill "-$signal" "$run"
        sleep 0.05
    done
    expect_wait 9 "$run"
}

@test "signals to a foreground run reach the process" {
    local signal
    config_args sh -c 'for s in TERM INT HUP QUIT USR1 USR2; do trap "echo $s; exit 21" $s; done; echo ready; while :; do sleep 0.05; done'
    for signal in TERM INT HUP QUIT USR1 USR2; do
        rm -f "$WORK/out"
        # exec: no shell between; SIGINT and SIGQUIT are ignored in a background job of a shell without job control
        "$support/inherit.py" -- "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" told >"$WORK/out" </dev/null &
        local run=$!
        wait_until 10 grep -qs ready "$WORK/out"
        kill "-$signal" "$run"
        expect_wait 21 "$run"
        grep -qx "$signal" "$WORK/out"
    done
}

@test "bubblewrap-705: a caller that ignores SIGCHLD gets the end and the status" {
    expect_status 0 odd_caller ignore=SIGCHLD -- true
    expect_status 7 odd_caller ignore=SIGCHLD -- sh -c 'exit 7'
    expect_status 0 odd_caller ignore=SIGCHLD -- sh -c 'sh -c "exit 4" & wait $!; [ $? = 4 ] && echo waited'
    expect_output waited
}

@test "bubblewrap-705: ignored and blocked signals of the caller are none of the process" {
    expect_status 0 odd_caller ignore=SIGCHLD ignore=SIGPIPE ignore=SIGUSR1 ignore=SIGINT block=SIGTERM block=SIGUSR2 \
        block=SIGCHLD -- grep -E '^Sig(Blk|Ign)' /proc/self/status
    expect_output $'SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000'
}

@test "bubblewrap-705: nor are they after create and start" {
    config_args grep -E '^Sig(Blk|Ign)' /proc/self/status # no shell: busybox's ignores SIGQUIT here and there
    "$support/inherit.py" ignore=SIGCHLD ignore=SIGPIPE block=SIGUSR2 -- "$RUNA" --root "$ROOT" create --bundle "$BUNDLE" odd \
        </dev/null >"$WORK/out" 2>&1
    "$support/inherit.py" ignore=SIGCHLD block=SIGTERM -- "$RUNA" --root "$ROOT" start odd
    wait_until 5 container_is odd stopped
    [ "$(cat "$WORK/out")" = $'SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000' ]
}

@test "hooks of a caller with ignored signals start with default ones" {
    config_edit --arg out "$WORK/out" '.hooks.createRuntime = [{path: "/bin/sh", args: ["sh", "-c",
        ("grep -E \"^Sig(Blk|Ign)\" /proc/self/status >" + $out)]}]'
    expect_status 0 odd_caller ignore=SIGCHLD ignore=SIGPIPE block=SIGUSR2 -- true
    [ "$(cat "$WORK/out")" = $'SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000' ]
}

@test "a reader that goes away does not hang the run" {
    config_args yes
    run timeout 10 sh -c '"$0" --root "$1" run --bundle "$2" piped | head -c 10' "$RUNA" "$ROOT" "$BUNDLE"
    [ "$status" = 0 ]
    wait_until 5 eval '[ -z "$(container_ids)" ]'
}
