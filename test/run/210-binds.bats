#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Binds of what is no directory, devices of the config, masked and read-only paths.
load ../lib/run

inside() { in_container "$1"; }

bind_add() { # SOURCE DESTINATION OPTIONS AS JSON
    config_edit --arg source "$1" --arg destination "$2" ".mounts += [{destination: \$destination, type: \"bind\", source: \$source, options: $3}]"
}

server_start() { # a socket that answers "pong" to each connection
    python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(8)
while True:
    c = s.accept()[0]; c.sendall(b"pong\n"); c.close()' "$WORK/socket" 3>&- &
    server=$!
    wait_until 5 test -S "$WORK/socket"
}

setup_file() {
    "${CC:-gcc}" -static -O2 -o "$BATS_FILE_TMPDIR/unix_read" "$BATS_TEST_DIRNAME/../support/unix_read.c"
}

@test "crun-1463: sockets, FIFOs and files can be bound read-only, with ro and rro" {
    local options
    server_start
    mkfifo "$WORK/fifo"
    echo content >"$WORK/file"
    cp "$BATS_FILE_TMPDIR/unix_read" "$BUNDLE/rootfs/bin/unix_read"
    cp "$BUNDLE/config.json" "$WORK/plain.json"
    for options in '["bind", "ro"]' '["rbind", "rro"]'; do
        cp "$WORK/plain.json" "$BUNDLE/config.json"
        bind_add "$WORK/socket" /run/socket "$options"
        bind_add "$WORK/fifo" /run/fifo "$options"
        bind_add "$WORK/file" /run/file "$options"
        expect_status 0 inside 'test -S /run/socket && test -p /run/fifo && cat /run/file && unix_read /run/socket
            echo x >/run/file
            awk "\$5 ~ \"^/run/\" { print \$5, substr(\$6, 1, 2) }" /proc/self/mountinfo | sort'
        expect_match $'^content\npong\n.*Read-only file system\n/run/fifo ro\n/run/file ro\n/run/socket ro$'
    done
    [ "$(cat "$WORK/file")" = content ]
    kill "$server"
}

@test "crun-1463: each alone starts at once" {
    local what options
    server_start
    mkfifo "$WORK/fifo"
    : >"$WORK/file"
    cp "$BUNDLE/config.json" "$WORK/plain.json"
    for what in socket fifo file; do
        for options in '["bind", "ro"]' '["rbind", "rro"]'; do
            cp "$WORK/plain.json" "$BUNDLE/config.json"
            bind_add "$WORK/$what" "/run/$what" "$options"
            config_args awk '$5 ~ "^/run/" { print substr($6, 1, 2) }' /proc/self/mountinfo
            expect_status 0 timeout 10 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" one </dev/null
            expect_output ro
        done
    done
    kill "$server"
}

@test "a device can be bound" {
    bind_add /dev/zero /dev/nought '["bind"]'
    expect_status 0 inside 'stat -c "%t:%T" /dev/nought; head -c 3 /dev/nought | wc -c'
    expect_output $'1:5\n3'
}

@test "the default devices and links of /dev are there, and nothing else" {
    expect_status 0 inside 'for d in null zero full random urandom tty; do stat -c "%n %F %t:%T %a" /dev/$d; done
        for l in fd stdin stdout stderr ptmx; do echo "$l $(readlink /dev/$l)"; done; ls /dev | grep -v ^core | tr "\n" " "' # core when the kernel has /proc/kcore
    expect_output '/dev/null character special file 1:3 666
/dev/zero character special file 1:5 666
/dev/full character special file 1:7 666
/dev/random character special file 1:8 666
/dev/urandom character special file 1:9 666
/dev/tty character special file 5:0 666
fd /proc/self/fd
stdin /proc/self/fd/0
stdout /proc/self/fd/1
stderr /proc/self/fd/2
ptmx pts/ptmx
fd full mqueue null ptmx pts random shm stderr stdin stdout tty urandom zero '
}

@test "crun-1389: modes of devices and new files do not depend on the caller's umask" {
    config_edit '.root.readonly = false | .linux.devices = [{path: "/dev/xnull", type: "c", major: 1, minor: 3, fileMode: 438}]
        | .linux.resources.devices += [{allow: true, type: "c", major: 1, minor: 3, access: "rwm"}]'
    config_args sh -c 'touch /f; mkdir /d; umask; stat -c %a /dev/xnull /dev/null /f /d; rm -r /f /d'
    expect_status 0 "$BATS_TEST_DIRNAME/../support/inherit.py" umask=077 -- "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" masked
    expect_output $'0022\n666\n666\n644\n755'
    config_edit '.process.user.umask = 63'
    expect_status 0 "$BATS_TEST_DIRNAME/../support/inherit.py" umask=077 -- "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" masked
    expect_output $'0077\n666\n666\n600\n700'
    expect_status 0 "$BATS_TEST_DIRNAME/../support/inherit.py" umask=000 -- "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" masked
    expect_output $'0077\n666\n666\n600\n700'
}

@test "devices of the config: type, numbers, mode, owner, below new directories" {
    config_edit '.linux.devices = [
        {path: "/dev/sub/char", type: "c", major: 1, minor: 5, fileMode: 384, uid: 1500, gid: 1600},
        {path: "/dev/unbuffered", type: "u", major: 1, minor: 7},
        {path: "/dev/pipe", type: "p", fileMode: 436}]'
    expect_status 0 inside 'stat -c "%F %t:%T %a %u %g" /dev/sub/char /dev/unbuffered /dev/pipe'
    expect_output $'character special file 1:5 600 1500 1600\ncharacter special file 1:7 666 0 0\nfifo 0:0 664 0 0'
}

@test "a device that no rule allows cannot be opened" {
    config_edit '.linux.devices = [{path: "/dev/kmsg", type: "c", major: 1, minor: 11, fileMode: 438}]'
    expect_status 1 inside 'cat /dev/kmsg'
    expect_match 'Operation not permitted'
}

without_dev() {
    config_edit '.mounts |= map(select(.destination | startswith("/dev") | not)) |
        .linux.maskedPaths = ["/proc/kcore", "/proc/keys", "/proc/not-there", "/sys/firmware"] | .linux.readonlyPaths = ["/proc/sys"]'
    rm -rf "$BUNDLE/rootfs/dev/null"
}

# The run is either refused, or the masks are true null devices that give and keep nothing.
masks_hold() {
    run inside 'wc -c </proc/keys; for f in /proc/keys /proc/kcore; do [ ! -e $f ] || stat -c %t:%T $f; done; ls /sys/firmware | wc -l; echo into >/proc/keys; cat /tmp/x 2>/dev/null
        touch /sys/firmware/x || echo covered; echo x >/proc/sys/kernel/domainname || echo read-only'
    if [ "$status" = 1 ] && [[ $output != *$'\n'* ]]; then
        return 0
    fi
    expect_match $'^0\n1:3\n(1:3\n)?0\n'
    expect_match covered
    expect_match read-only
    [[ $output != *into* ]]
}

@test "runc-ghsa-9493: a /dev/null of the image that is a link is not what masks" {
    without_dev
    echo secret >"$BUNDLE/rootfs/tmp/x"
    ln -s /tmp/x "$BUNDLE/rootfs/dev/null"
    masks_hold
    [ "$(cat "$BUNDLE/rootfs/tmp/x")" = secret ]
    rm "$BUNDLE/rootfs/dev/null"
    ln -s /proc/sysrq-trigger "$BUNDLE/rootfs/dev/null"
    masks_hold
}

@test "runc-ghsa-9493: a /dev/null of the image that is a file is not what masks" {
    without_dev
    echo planted >"$BUNDLE/rootfs/dev/null"
    masks_hold
    [ "$(cat "$BUNDLE/rootfs/dev/null" 2>/dev/null)" = planted ] || [ -c "$BUNDLE/rootfs/dev/null" ]
}

@test "runc-ghsa-9493: a missing /dev/null does not unmask" {
    without_dev
    masks_hold
}

@test "masked files read empty, directories are empty and read-only, missing ones are ignored" {
    mkdir -p "$BUNDLE/rootfs/secret"
    echo s >"$BUNDLE/rootfs/secret/file"
    echo s >"$BUNDLE/rootfs/etc/secret"
    config_edit '.linux.maskedPaths += ["/secret", "/etc/secret", "/not/there"] | .root.readonly = false'
    expect_status 0 inside 'ls /secret | wc -l; cat /etc/secret; touch /secret/x 2>&1; echo x >/etc/secret; cat /etc/secret; umount /secret 2>&1; ls /secret | wc -l'
    expect_match $'^0\n.*Read-only file system'
    [[ $output != *$'\ns'* ]]
    [ "$(cat "$BUNDLE/rootfs/etc/secret" "$BUNDLE/rootfs/secret/file")" = $'s\ns' ]
}

@test "a masked path that is a link masks what it leads to, inside" {
    mkdir -p "$BUNDLE/rootfs/real"
    echo s >"$BUNDLE/rootfs/real/file"
    ln -s /real "$BUNDLE/rootfs/alias"
    mkdir "$WORK/canary"
    : >"$WORK/canary/file"
    ln -s "../../../../../..$WORK/canary" "$BUNDLE/rootfs/out"
    config_edit '.linux.maskedPaths += ["/alias", "/out"]'
    expect_status 0 inside 'ls /real | wc -l'
    expect_output 0
    [ -e "$WORK/canary/file" ]
}

@test "read-only paths are, with what is below, and keep their other flags" {
    mkdir -p "$BUNDLE/rootfs/data/sub"
    config_edit '.linux.readonlyPaths += ["/data", "/not/there"] | .root.readonly = false'
    expect_status 0 inside 'touch /data/x 2>&1; touch /data/sub/x 2>&1; echo x >/proc/sys/kernel/domainname; touch /writable && echo writable'
    [ "$(grep -c 'Read-only file system' <<<"$output")" -ge 3 ]
    expect_match writable
}
