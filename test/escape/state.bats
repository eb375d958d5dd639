#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The state directory and the verbs that wait: what strangers may put there, and who may keep whom waiting.
load ../lib/run

@test "TB7: a directory that a stranger put into a sticky state root is no container" {
    local victim
    ROOT=$WORK/sticky
    mkdir -m 1777 "$ROOT"
    sleep 100 &
    victim=$!
    printf '#!/bin/sh\n: >%s\n' "$WORK/owned" >"$WORK/hook"
    chmod 755 "$WORK/hook"
    config_edit --arg path "$WORK/hook" '.hooks.poststop = [{path: $path}]'
    mkdir "$ROOT/evil"
    cp "$BUNDLE/config.json" "$ROOT/evil/"
    awk '{ print $1, $22 }' "/proc/$victim/stat" >"$ROOT/evil/init"
    echo '{"version":1,"id":"evil","bundle":"/","rootfs":"","created":"","cgroup":"","owner":"","uid":0,"sandbox":false}' \
        >"$ROOT/evil/state.json"
    chown -R 1000:1000 "$ROOT/evil"

    expect_status 1 runa state evil
    expect_match 'belongs to uid 1000'
    expect_status 1 runa kill evil KILL
    expect_status 1 runa delete --force evil
    expect_status 255 runa exec evil true
    kill -0 "$victim"
    [ ! -e "$WORK/owned" ]
    chown -R 0:0 "$ROOT/evil"
    chmod 777 "$ROOT/evil"
    expect_status 1 runa delete --force evil
    expect_match 'written by others'
    kill -0 "$victim"
    kill "$victim"
    rm -r "$ROOT/evil"
}

@test "G13: delete by force while the container is being created leaves nothing that runs" {
    local pid
    config_args sleep 100
    runa run --detach --bundle "$BUNDLE" young
    pid=$(container_pid young)
    # As at the beginning of a create: locked, and nothing written yet.
    exec {lock}<"$ROOT/young"
    flock "$lock"
    mkdir "$WORK/aside"
    mv "$ROOT/young"/* "$WORK/aside/"
    runa delete --force young {lock}<&- &
    sleep 0.5
    mv "$WORK/aside"/* "$ROOT/young/"
    exec {lock}<&-
    expect_wait 0 $!
    [ ! -e "/proc/$pid" ]
    [ -z "$(container_ids)" ]
}

@test "create does not fail because somebody asks for its state" {
    local n
    config_args true
    (while :; do runa list -q >/dev/null; done) &
    for n in 1 2 3 4 5 6 7 8 9 10; do
        runa create --bundle "$BUNDLE" "asked$n"
        runa delete "asked$n"
    done
    kill $!
    wait $! || :
}

# A container's processes may stop whatever lives beside them; the operator's command must not hang by it.
@test "TB1: an exec whose process is kept from going on ends by SIGTERM" {
    local pid
    config_args sleep 100
    runa run --detach --bundle "$BUNDLE" slow
    runa pause slow
    runa exec --ignore-paused slow touch /reached 2>"$WORK/said" &
    pid=$!
    sleep 0.5
    kill -TERM "$(pgrep -P "$pid" || echo "$pid")"
    expect_wait 255 "$pid"
    grep -q interrupted "$WORK/said"
    runa resume slow
    sleep 0.2
    [ ! -e "$BUNDLE/rootfs/reached" ]
    [ "$(runa ps --format json slow | jq length)" = 1 ]
}

# Not being dumpable hides an exec's process from all but CAP_SYS_PTRACE in the host's user namespace; a container may
# have that, and must not find the host's procfs or the state of containers in that process.
@test "TB1: the process of an exec has no descriptor of the host" {
    local pid fd kind server asker
    config_args sleep 100
    runa run --detach --bundle "$BUNDLE" peer
    # It waits for a parent that waits for a console socket whose queue is full.
    python3 - "$WORK/console" <<'END' &
import socket, sys, time
server, client = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen(0)
client.connect(sys.argv[1])
time.sleep(60)
END
    server=$!
    wait_until 5 test -S "$WORK/console"
    sleep 0.2
    runa exec --tty --detach --console-socket "$WORK/console" peer true 2>/dev/null &
    asker=$!
    wait_until 5 eval '[ "$(runa ps --format json peer | jq length)" = 2 ]'
    sleep 0.2
    pid=$(runa ps --format json peer | jq "max")
    [ "$pid" != "$(container_pid peer)" ]
    for fd in "/proc/$pid/fd"/*; do
        kind=$(stat -L -f -c %T "$fd" 2>/dev/null) || continue
        echo "$fd $kind $(readlink "$fd")"
        [ "$kind" != proc ]
        [ "$kind" != cgroup2fs ]
        [ ! -e "$fd/state.json" ]
        [ ! -e "$fd/peer/state.json" ]
    done
    kill "$server"
    wait "$server" "$asker" || :
}
