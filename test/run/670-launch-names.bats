#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# launch: two of one name, names of our own, sources tampered with, and what the caller's environment asks for.
load ../lib/run
load ../lib/launch

setup_file() {
    images_load debian-small
}

range() { # ID
    awk '{ print $2 }' "/proc/$(container_pid "$1")/uid_map"
}

@test "a second launch of a name, with another state root, leaves the first its files and its ids" {
    launch -d --name twin debian-small -- sh -c 'echo mine >/root/work; exec sleep 100'
    wait_until 5 test -s "$DATA/sandboxes/twin/upper/root/work"
    mkdir -m 700 "$WORK/other"
    expect_status 1 "$RUNA" --root "$WORK/other" launch --data-root "$DATA" --policy "$POLICY" --rm --name twin debian-small -- true
    expect_match 'under this name'
    [ "$(cat "$DATA/sandboxes/twin/upper/root/work")" = mine ]
    [ -e "$DATA/holds/twin" ]
    launch -d --name third debian-small -- sleep 100
    [ "$(range twin)" != "$(range third)" ]
    expect_status 0 "$RUNA" --root "$WORK/other" delete --force --data-root "$DATA" twin
    [ "$(cat "$DATA/sandboxes/twin/upper/root/work")" = mine ]
    grep -q ' twin$' "$DATA/ids"
}

@test "ten launches of one name at once: one runs, and keeps what it has" {
    local n pids=()
    for n in 1 2 3 4 5 6 7 8 9 10; do
        launch -d --name one debian-small -- sh -c 'echo mine >/root/work; exec sleep 100' </dev/null >>"$WORK/out" 2>/dev/null &
        pids+=($!)
    done
    wait "${pids[@]}" || :
    [ "$(cat "$WORK/out")" = one ]
    wait_until 5 test -s "$DATA/sandboxes/one/upper/root/work"
    grep -q "^$(range one) one\$" "$DATA/ids"
    [ -e "$DATA/holds/one" ]
}

@test "a sandbox called as the unpacker's own ids keeps its ids" {
    launch -d --name unpack debian-small -- sleep 100
    busybox_image again '{}'
    launch -d --name later debian-small -- sleep 100
    [ "$(range unpack)" != "$(range later)" ]
    image rm again
}

@test "-v: a link that an earlier sandbox left in its workspace is not followed" {
    mkdir -p "$WORK/ws/a/b" "$WORK/secret/b"
    echo secret >"$WORK/secret/b/file"
    sandbox -v "$WORK/ws:/ws" -- sh -c "rm -r /ws/a; ln -s '$WORK/secret' /ws/a; ln -s '$WORK/secret/b' /ws/last"
    refused 'symbolic link' sandbox -v "$WORK/ws/last:/x" -- cat /x/file
    refused 'symbolic link' sandbox -v "$WORK/ws/a/b:/x" -- cat /x/file
    cd "$WORK/ws"
    refused 'symbolic link' sandbox -v last:/x -- cat /x/file
    refused 'symbolic link' sandbox -v "/proc/self/cwd:/x" -- true
}

@test "-v: a source that changes between folder and link while launch looks never leads out" {
    local n
    mkdir "$WORK/ws" "$WORK/ws/sub" "$WORK/secret"
    touch "$WORK/secret/secret"
    ln -s "$WORK/secret" "$WORK/ws/link"
    python3 - "$WORK/ws/sub" "$WORK/ws/link" <<'END' &
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
a, b = (os.fsencode(name) for name in sys.argv[1:])
end = time.time() + 20
while time.time() < end:
    libc.renameat2(-100, a, -100, b, 2)
    time.sleep(0.0002)
END
    for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sandbox -v "$WORK/ws/sub:/x" -- sh -c 'if [ -e /x/secret ]; then echo reached; else echo kept; fi' 2>/dev/null || :
    done >"$WORK/said"
    kill $!
    wait $! || :
    grep -q kept "$WORK/said" # not all of them were refused
    ! grep -q reached "$WORK/said" || false
}

@test "nothing of NOTIFY_SOCKET and LISTEN_FDS reaches a sandbox" {
    NOTIFY_SOCKET=/run/notify LISTEN_FDS=1 LISTEN_FDNAMES=name expect_status 0 sandbox \
        sh -c 'env | grep -E "NOTIFY|LISTEN"; ls /run | grep notify; grep -c notify /proc/self/mountinfo; ls /proc/1/fd' 3</etc/passwd
    expect_output $'0\n0\n1\n2'
}
