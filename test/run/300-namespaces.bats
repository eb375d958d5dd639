#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Namespaces: new ones, those of others joined by path, user namespaces with their mappings.
load ../lib/run

types='pid:pid network:net ipc:ipc uts:uts mount:mnt cgroup:cgroup user:user time:time'

# A process that holds fresh namespaces; its pid in $holder.
holder_start() { # UNSHARE OPTIONS...
    unshare "$@" sh -c 'echo $$ >"$0"; exec sleep 100' "$WORK/holder" 3>&- >/dev/null 2>&1 &
    holder_shell=$!
    wait_until 5 test -s "$WORK/holder"
    holder=$holder_shell
    if [[ " $* " == *' -f '* ]]; then # unshare stays outside of a PID namespace, its child is the holder
        wait_until 5 eval 'holder=$(cat /proc/$holder_shell/task/$holder_shell/children); [ -n "$holder" ]'
        holder=${holder% }
    fi
}

holder_stop() {
    kill -9 "$holder" "$holder_shell" 2>/dev/null || :
    wait "$holder_shell" 2>/dev/null || :
}

ns_inside() { # NAME: link of the container's namespace
    in_container "readlink /proc/self/ns/$1"
}

join() { # TYPE PATH
    config_edit --arg type "$1" --arg path "$2" '.linux.namespaces |= (map(select(.type != $type)) + [{type: $type, path: $path}])'
}

leave() { # TYPE
    config_edit --arg type "$1" '.linux.namespaces |= map(select(.type != $type))'
}

with_userns() { # maps 0-999 to 100000-100999
    config_edit '.linux.namespaces |= map(select(.type != "user")) + [{type: "user"}] |
        .linux.uidMappings = [{containerID: 0, hostID: 100000, size: 2000}] |
        .linux.gidMappings = [{containerID: 0, hostID: 200000, size: 2000}]'
    chown -R 100000:200000 "$BUNDLE/rootfs"
}

@test "every namespace of the config is a new one" {
    config_edit '.linux.namespaces += [{type: "time"}]'
    with_userns
    local pair
    for pair in $types; do
        expect_status 0 ns_inside "${pair#*:}"
        [ "$output" != "$(readlink "/proc/self/ns/${pair#*:}")" ] || { echo "$pair is the host's"; false; }
    done
}

@test "a namespace that the config leaves out is the caller's" {
    local pair
    config_edit '.mounts |= map(select(.destination | startswith("/sys/fs") | not)) | del(.hostname)'
    for pair in network:net ipc:ipc uts:uts cgroup:cgroup user:user time:time; do
        leave "${pair%:*}"
        [ "${pair%:*}" != ipc ] || config_edit '.mounts |= map(select(.destination != "/dev/mqueue"))'
        [ "${pair%:*}" != network ] || config_edit '(.mounts[] | select(.destination == "/sys")) |=
            {destination: "/sys", type: "bind", source: "/sys", options: ["rbind", "ro"]}'
        expect_status 0 ns_inside "${pair#*:}"
        expect_output "$(readlink "/proc/self/ns/${pair#*:}")"
    done
}

@test "network, ipc, uts, cgroup and time namespaces are joined by path" {
    local pair
    holder_start -n -i -u -C -T
    config_edit 'del(.hostname)'
    for pair in network:net ipc:ipc uts:uts cgroup:cgroup time:time; do
        join "${pair%:*}" "/proc/$holder/ns/${pair#*:}"
    done
    for pair in network:net ipc:ipc uts:uts cgroup:cgroup time:time; do
        expect_status 0 ns_inside "${pair#*:}"
        expect_output "$(readlink "/proc/$holder/ns/${pair#*:}")"
    done
    holder_stop
}

@test "a PID namespace is joined by path: its processes are seen, init is not the first" {
    holder_start -p -f
    join pid "/proc/$holder/ns/pid"
    expect_status 0 in_container 'test $$ -gt 1 && tr "\0" " " </proc/1/cmdline'
    expect_output 'sleep 100 '
    expect_status 6 in_container 'exit 6'
    holder_stop
}

@test "a user namespace is joined by path" {
    holder_start -U
    local pid=$holder
    wait_until 5 eval '[ "$(readlink /proc/$pid/ns/user)" != "$(readlink /proc/self/ns/user)" ]'
    echo '0 100000 2000' >"/proc/$pid/uid_map"
    echo '0 200000 2000' >"/proc/$pid/gid_map"
    chown -R 100000:200000 "$BUNDLE/rootfs"
    join user "/proc/$pid/ns/user"
    expect_status 0 in_container 'readlink /proc/self/ns/user; cat /proc/self/uid_map | tr -s " "; id -u'
    expect_output "$(readlink "/proc/$pid/ns/user")"$'\n 0 100000 2000\n0'
    holder_stop
}

@test "a user namespace of its own together with a joined network namespace" {
    holder_start -n
    with_userns
    join network "/proc/$holder/ns/net"
    config_edit '(.mounts[] | select(.destination == "/sys")) |= {destination: "/sys", type: "bind", source: "/sys", options: ["rbind", "ro"]}'
    expect_status 0 ns_inside net
    expect_output "$(readlink "/proc/$holder/ns/net")"
    holder_stop
}

@test "a path that is no namespace, of another type or not there is refused" {
    holder_start -n
    join ipc "/proc/$holder/ns/net"
    refused 'is not a ipc namespace|is not an ipc namespace' in_container true
    join ipc /etc/passwd
    refused 'ipc' in_container true
    join ipc "$WORK/none"
    refused "ipc.*$WORK/none" in_container true
    holder_stop
}

@test "lo is up in a new network namespace" {
    expect_status 0 in_container 'grep -c . /proc/net/if_inet6; (echo ok | nc -l -p 4000 &) ; sleep 0.3; nc 127.0.0.1 4000 </dev/null'
    expect_match 'ok'
}

@test "an interface of a joined network namespace is left alone" {
    holder_start -n
    join network "/proc/$holder/ns/net"
    expect_status 0 in_container 'ip link show lo 2>/dev/null || cat /proc/net/dev'
    [ "$(nsenter -n -t "$holder" ip -o link show lo | grep -c 'state DOWN')" = 1 ]
    holder_stop
}

@test "time offsets hold in a new time namespace" {
    config_edit '.linux.namespaces += [{type: "time"}] | .linux.timeOffsets = {monotonic: {secs: 7200, nanosecs: 5}, boottime: {secs: 1000000}}'
    local before
    before=$(cut -d. -f1 /proc/uptime)
    expect_status 0 in_container 'cat /proc/self/timens_offsets | tr -s " "; cut -d. -f1 /proc/uptime'
    [[ ${lines[0]} == 'monotonic 7200 5' ]]
    [[ ${lines[1]} == 'boottime 1000000 0' ]]
    [ $((lines[2] - before)) -ge 1000000 ]
    [ $((lines[2] - before)) -lt 1000060 ]
}

@test "time offsets without a time namespace are refused" {
    config_edit '.linux.timeOffsets = {monotonic: {secs: 7200}}'
    refused 'timeOffsets' in_container true
}

@test "host name and domain name are those of the config, and the host's stay" {
    local host
    host=$(uname -n)
    config_edit '.hostname = "inside.example" | .domainname = "example.org"'
    expect_status 0 in_container 'uname -n; cat /proc/sys/kernel/domainname'
    expect_output $'inside.example\nexample.org'
    [ "$(uname -n)" = "$host" ]
    leave uts
    refused 'hostname.*uts' in_container true
}

@test "mappings of a user namespace are in force" {
    with_userns
    config_edit '.root.readonly = false'
    expect_status 0 in_container 'id -u; cat /proc/self/uid_map /proc/self/gid_map | tr -s " "; : >/tmp/made; stat -c "%u %g" /tmp/made'
    expect_output $'0\n 0 100000 2000\n 0 200000 2000\n0 0'
    [ "$(stat -c '%u %g' "$BUNDLE/rootfs/tmp/made")" = '100000 200000' ]
}

@test "several ranges of mappings" {
    with_userns
    config_edit '.linux.uidMappings = [{containerID: 0, hostID: 100000, size: 10}, {containerID: 1000, hostID: 300000, size: 5}]
        | .process.user = {uid: 1003, gid: 3}'
    chmod 755 "$BUNDLE/rootfs"
    expect_status 0 in_container 'id -u; id -g; cat /proc/self/uid_map | tr -s " "'
    expect_output $'1003\n3\n 0 100000 10\n 1000 300000 5'
}

@test "ids that no mapping holds are refused" {
    with_userns
    config_edit '.process.user = {uid: 5000, gid: 0}'
    refused '5000' in_container true
    config_edit '.process.user = {uid: 0, gid: 0, additionalGids: [5000]}'
    refused '5000|group' in_container true
}

@test "a user namespace without mappings maps the caller to root" {
    config_edit '.linux.namespaces += [{type: "user"}] | del(.mounts[].options[]? | select(. == "gid=5"))'
    expect_status 0 in_container 'id -u; cat /proc/self/uid_map /proc/self/gid_map | tr -s " "'
    expect_output $'0\n 0 0 1\n 0 0 1'
}

@test "devices and masks hold in a user namespace" {
    with_userns
    config_edit '.linux.maskedPaths += ["/etc/passwd"]'
    expect_status 0 in_container 'stat -c "%F %t:%T" /dev/null /dev/zero; echo x >/dev/null && head -c 2 /dev/zero | wc -c; wc -c </etc/passwd'
    expect_output $'character special file 1:3\ncharacter special file 1:5\n2\n0'
}

@test "an idmapped bind takes the mappings of the container's user namespace" {
    with_userns
    mkdir "$WORK/data"
    : >"$WORK/data/file"
    chown 5:7 "$WORK/data/file"
    config_edit --arg work "$WORK" '.mounts += [{destination: "/mnt", type: "bind", source: ($work + "/data"), options: ["bind", "idmap"]}]'
    expect_status 0 in_container 'stat -c "%u %g" /mnt/file'
    expect_output '5 7'
    [ "$(stat -c '%u %g' "$WORK/data/file")" = '5 7' ]
}

@test "a terminal works in a user namespace" {
    with_userns
    config_edit '.process.terminal = true'
    config_args sh -c 'tty; stat -c %u /dev/pts/0'
    expect_status 0 "$BATS_TEST_DIRNAME/../support/pty_run.py" 24x80 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" tty </dev/null
    [ "$(tr -d '\r' <<<"$output")" = $'/dev/pts/0\n0' ]
}

@test "without a mount namespace nothing runs" {
    leave mount
    refused 'mount namespace' in_container true
}
