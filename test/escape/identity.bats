#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Who the process is: ids, groups, capabilities, keys, sockets; and the limits of the default config.
load ../lib/run
load ../lib/escape

@test "CVE-2016-3697, CVE-2024-40635, CVE-2026-30892: a user id is a number in range or an error, never another user" {
    local uid
    # An image whose passwd makes root of every odd name.
    printf '%s:x:0:0:root:/root:/bin/sh\n' 4294967295 4294967296 18446744073709551616 -1 0x0 01 1 >>"$BUNDLE/rootfs/etc/passwd"
    for uid in -1 4294967295 4294967296 18446744073709551615 18446744073709551616 1.5 1e3 '"1"' '"0"' '"root"' true '[]'; do
        config_edit ".process.user.uid = 1"
        sed -i "s/\"uid\": 1\b/\"uid\": $uid/" "$BUNDLE/config.json"
        config_raw_run id -u
        [ "$status" != 0 ] || { [ "$uid" = 1e3 ] && [ "$output" = 1000 ]; } || { echo "$uid: $output"; return 1; }
        cp "$WORK/config.json" "$BUNDLE/config.json"
    done
    for uid in 1 65534 2147483648 4294967294; do
        config_edit ".process.user = {uid: $uid, gid: $uid}"
        expect_status 0 in_container 'id -u; id -g; grep -e Uid -e Gid /proc/self/status | tr -d "\t[:alpha:]" | sort -u'
        [ "${lines[0]} ${lines[1]}" = "$uid $uid" ]
        [ "${lines[2]}" = ":$uid$uid$uid$uid" ]
    done
}

# Without jq, which would change the numbers.
config_raw_run() { # ARG...
    cp "$BUNDLE/config.json" "$BUNDLE/config.json.raw"
    run runa run --bundle "$BUNDLE" raw </dev/null
    if [ "$status" = 0 ]; then echo "ran: $output"; fi
    config_edit '.process.user = {uid: 1, gid: 1}' 2>/dev/null || :
    cp "$WORK/config.json" "$BUNDLE/config.json"
}

setup() {
    escape_setup
    config_args id -u
    cp "$BUNDLE/config.json" "$WORK/config.json"
}

@test "CVE-2022-29162, CVE-2022-27650: no inheritable and no ambient capabilities, no_new_privs" {
    expect_status 0 in_container 'sed -n "s/^\(CapInh\|CapAmb\|NoNewPrivs\):.//p" /proc/self/status'
    expect_output $'0000000000000000\n0000000000000000\n1'
    all_capabilities
    config_edit '.process.user = {uid: 1000, gid: 1000}'
    expect_status 0 in_container 'sed -n "s/^\(CapInh\|CapAmb\|CapEff\):.//p" /proc/self/status; cp /bin/busybox /tmp/b 2>/dev/null; id -u'
    [ "${lines[0]}" = 0000000000000000 ]
    [[ $output == *1000 ]]
}

@test "G3: set-id files and file capabilities of the image give nothing" {
    mkdir "$BUNDLE/rootfs/set-id"
    cp "$BUNDLE/rootfs/bin/busybox" "$BUNDLE/rootfs/set-id/grep"
    chmod 6755 "$BUNDLE/rootfs/set-id/grep"
    config_edit '.process.user = {uid: 1000, gid: 1000} | del(.process.capabilities)'
    expect_status 0 in_container '/set-id/grep -e ^Uid -e ^Gid -e ^CapPrm /proc/self/status | tr -s "\t" " "'
    expect_output $'Uid: 1000 1000 1000 1000\nGid: 1000 1000 1000 1000\nCapPrm: 0000000000000000'
}

@test "CVE-2022-2989, CVE-2022-36109: the supplementary groups are exactly those of the config" {
    config_edit '.process.user = {uid: 1000, gid: 1000}'
    expect_status 0 setpriv --groups 4,27,999 bash -c '. "$0"; :' /dev/null
    config_args sh -c 'sed -n "s/^Groups:.//p" /proc/self/status'
    run setpriv --groups 4,27,999 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" groups </dev/null
    [ "$status" = 0 ]
    [[ ${output// /} = '' ]]
    config_edit '.process.user.additionalGids = [5, 4294967294]'
    run setpriv --groups 4,27,999 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" groups </dev/null
    [ "${output% }" = "5 4294967294" ]
}

@test "1e: the caller's session keyring stays outside" {
    config_args sh -c 'probe key-find; cat /proc/keys | wc -c'
    run "$PROBE" key-run "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" keys </dev/null
    echo "$output"
    [ "${lines[0]}" = ENOKEY ] || [ "${lines[0]}" = EACCES ]
    [ "${lines[1]}" = 0 ]
    # The test can fail: with the caller's keyring the key is there.
    run "$PROBE" key-run "$RUNA" --root "$ROOT" run --no-new-keyring --bundle "$BUNDLE" keys </dev/null
    [ "${lines[0]}" = ok ]
}

@test "CVE-2020-15257: no abstract socket of the runtime, and none of the host in reach" {
    "$PROBE" abstract-listen runa-canary >"$WORK/listener" 3>&- &
    local listener=$!
    wait_until 5 grep -q ok "$WORK/listener"
    expect_status 0 in_container 'grep -c @ /proc/net/unix; probe abstract-connect runa-canary'
    expect_output $'0\nECONNREFUSED'
    # In the host's network namespace nothing of ours is added to what was there.
    grep -o '@.*' /proc/net/unix | sort >"$WORK/abstract"
    config_edit '.linux.namespaces |= map(select(.type != "network")) | (.mounts[] | select(.type == "sysfs")) |= (.type = "bind"
        | .source = "/sys" | .options = ["rbind", "ro"])'
    expect_status 0 in_container 'grep -o "@.*" /proc/net/unix | sort'
    expect_output "$(cat "$WORK/abstract")"
    kill "$listener"
    wait "$listener" || :
}

@test "1e: /dev/shm, /dev and /tmp of the container end at their limits" {
    config_edit '(.mounts[] | select(.destination == "/dev/shm") | .options) = ["nosuid", "noexec", "nodev", "mode=1777", "size=1m", "nr_inodes=20"]'
    expect_status 0 in_container 'head -c 4m /dev/zero >/dev/shm/x 2>/dev/null || echo full; wc -c </dev/shm/x; rm /dev/shm/x
        i=0; while [ $i -lt 100 ] && touch /dev/shm/$i; do i=$((i + 1)); done 2>/dev/null; [ $i -lt 20 ] && echo inodes
        cp /bin/busybox /dev/shm/0 2>/dev/null; chmod 4755 /dev/shm/0; /dev/shm/0 true 2>&1 | grep -o -i "permission denied"; exit 0'
    [ "${lines[0]}" = full ]
    [ "${lines[1]}" -le 1048576 ]
    [ "${lines[2]}" = inodes ]
}

@test "1e: a second process of the container does not see the host's processes, host name or IPC" {
    local name key sleeper
    name=$(hostname)
    key=$(ipcmk -Q | grep -o '[0-9]*$')
    sleep 60 3>&- &
    sleeper=$!
    expect_status 0 in_container 'hostname evil 2>/dev/null; cat /proc/sysvipc/msg | wc -l; kill -9 -1 2>/dev/null; ls -d /proc/[0-9]* | wc -l'
    ipcrm -q "$key"
    kill "$sleeper" # it is still there
    [ "$(hostname)" = "$name" ]
    [ "${lines[0]}" = 1 ] # the head line: no queue of the host
    [ "${lines[1]}" -le 3 ]
}
