#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the process may: ids, capabilities, limits, sysctls and the rest of its attributes.
load ../lib/run

inside() { in_container "$1"; }

status_of() { # FIELD...: lines of the process's own status file
    config_args grep -E "^($1):" /proc/self/status
    runa run --bundle "$BUNDLE" "status-$RANDOM" </dev/null
}

@test "user, group and additional groups are exactly those of the config" {
    config_edit '.process.user = {uid: 1500, gid: 1600, additionalGids: [3000, 4000]}'
    expect_status 0 status_of 'Uid|Gid|Groups'
    expect_output $'Uid:\t1500\t1500\t1500\t1500\nGid:\t1600\t1600\t1600\t1600\nGroups:\t3000 4000 '
}

@test "crun-644: groups of the caller never appear" {
    config_edit '.process.user = {uid: 1500, gid: 1500, additionalGids: [3000]}'
    config_args grep -E '^Groups:' /proc/self/status
    expect_status 0 "$BATS_TEST_DIRNAME/../support/inherit.py" groups=20,27 -- "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" g
    expect_output $'Groups:\t3000 '
    config_edit '.process.user.additionalGids = [4000, 4000]'
    expect_status 0 "$BATS_TEST_DIRNAME/../support/inherit.py" groups=20,27 -- "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" g
    [ "$output" = $'Groups:\t4000 ' ] || [ "$output" = $'Groups:\t4000 4000 ' ]
    config_edit 'del(.process.user.additionalGids)'
    expect_status 0 "$BATS_TEST_DIRNAME/../support/inherit.py" groups=20,27 -- "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" g
    [ "$(tr -d ' ' <<<"$output")" = $'Groups:\t' ]
}

@test "capabilities are those of the five lists" {
    config_edit '.process.capabilities = {bounding: ["CAP_CHOWN", "CAP_KILL", "CAP_NET_RAW"], permitted: ["CAP_CHOWN", "CAP_KILL"],
        effective: ["CAP_CHOWN"], inheritable: ["CAP_KILL"], ambient: ["CAP_KILL"]} | .process.user = {uid: 1500, gid: 1500}'
    expect_status 0 status_of 'Cap...'
    # execve of a user that is not root: permitted and effective become the ambient set
    expect_output $'CapInh:\t0000000000000020\nCapPrm:\t0000000000000020\nCapEff:\t0000000000000020\nCapBnd:\t0000000000002021\nCapAmb:\t0000000000000020'
}

@test "no capabilities means none, also for root" {
    config_edit 'del(.process.capabilities)'
    expect_status 0 status_of 'Cap...'
    expect_output $'CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nCapAmb:\t0000000000000000'
}

@test "an unknown capability is told and not granted" {
    config_edit '.process.capabilities.bounding += ["CAP_DO_ANYTHING"]'
    run --separate-stderr status_of CapBnd
    [ "$status" = 0 ]
    expect_output $'CapBnd:\t0000000020000420'
    [[ $stderr == *CAP_DO_ANYTHING* ]]
}

@test "no_new_privs is as the config says" {
    expect_status 0 status_of NoNewPrivs
    expect_output $'NoNewPrivs:\t1'
    config_edit '.process.noNewPrivileges = false'
    expect_status 0 status_of NoNewPrivs
    expect_output $'NoNewPrivs:\t0'
}

@test "a set-id program gains nothing under no_new_privs" {
    "${CC:-gcc}" -static -O2 -o "$BUNDLE/rootfs/bin/euid" "$BATS_TEST_DIRNAME/../support/euid.c"
    chmod 4755 "$BUNDLE/rootfs/bin/euid"
    config_edit '.process.user = {uid: 1500, gid: 1500}'
    expect_status 0 inside euid
    expect_output 1500
    config_edit '.process.noNewPrivileges = false'
    expect_status 0 inside euid
    expect_output 0
}

@test "every rlimit has its values" {
    config_edit '.process.rlimits = [{type: "RLIMIT_NOFILE", soft: 100, hard: 200}, {type: "RLIMIT_CORE", soft: 0, hard: 0},
        {type: "RLIMIT_STACK", soft: 4194304, hard: 8388608}, {type: "RLIMIT_CPU", soft: 50, hard: 60},
        {type: "RLIMIT_FSIZE", soft: 1000000, hard: 2000000}, {type: "RLIMIT_NPROC", soft: 300, hard: 400},
        {type: "RLIMIT_MEMLOCK", soft: 4096, hard: 8192}]'
    expect_status 0 inside 'sed "s/  */ /g" /proc/self/limits'
    expect_match 'Max open files 100 200 files'
    expect_match 'Max core file size 0 0 bytes'
    expect_match 'Max stack size 4194304 8388608 bytes'
    expect_match 'Max cpu time 50 60 seconds'
    expect_match 'Max file size 1000000 2000000 bytes'
    expect_match 'Max processes 300 400 processes'
    expect_match 'Max locked memory 4096 8192 bytes'
}

@test "oom_score_adj is set, and inherited when it is not asked for" {
    config_edit '.process.oomScoreAdj = 321'
    expect_status 0 inside 'cat /proc/self/oom_score_adj'
    expect_output 321
    config_edit 'del(.process.oomScoreAdj)'
    expect_status 0 inside 'cat /proc/self/oom_score_adj'
    expect_output "$(cat /proc/self/oom_score_adj)"
}

@test "umask is 0022 unless the config has one" {
    expect_status 0 inside umask
    expect_output 0022
    config_edit '.process.user.umask = 7'
    expect_status 0 inside umask
    expect_output 0007
}

@test "scheduler: policy, nice and flags" {
    config_edit '.process.scheduler = {policy: "SCHED_BATCH", nice: 5, flags: ["SCHED_FLAG_RESET_ON_FORK"]}'
    config_args cat /proc/self/stat
    expect_status 0 runa run --bundle "$BUNDLE" sched
    read -ra stat <<<"${output##*) }"
    [ "${stat[16]}" = 5 ] # nice
    [ "${stat[38]}" = 3 ] # policy SCHED_BATCH
}

@test "ioPriority reaches the process" {
    config_edit '.process.ioPriority = {class: "IOPRIO_CLASS_BE", priority: 6}'
    expect_status 0 inside 'ionice'
    expect_match 'best-effort: prio 6'
}

@test "personality LINUX32 changes the machine's name" {
    config_edit '.linux.personality = {domain: "LINUX32"}'
    expect_status 0 inside 'uname -m; cat /proc/self/personality 2>/dev/null; true'
    expect_match '^i686'
    config_edit '.linux.personality = {domain: "LINUX"}'
    expect_status 0 inside 'uname -m'
    expect_output "$(uname -m)"
    config_edit '.linux.personality = {domain: "LINUX64"}'
    refused 'personality' inside true
}

# --- sysctl

with_interface() { # a network namespace with v0.100, joined by the container
    unshare -n sleep 100 3>&- >/dev/null 2>&1 &
    holder=$!
    wait_until 5 eval '[ "$(readlink /proc/$holder/ns/net)" != "$(readlink /proc/self/ns/net)" ]'
    nsenter -n -t "$holder" ip link add v0.100 type bridge
    config_edit --arg path "/proc/$holder/ns/net" '.linux.namespaces |= (map(select(.type != "network")) + [{type: "network", path: $path}])'
}

@test "runc-3256: slashes and dots in sysctl names lead to the interface's file" {
    local key
    with_interface
    nsenter -n -t "$holder" sh -c 'echo 0 >/proc/sys/net/ipv4/ip_forward' # a new namespace takes it over from the host
    for key in net/ipv4/conf/v0.100/forwarding net.ipv4.conf.v0/100.forwarding; do
        nsenter -n -t "$holder" sh -c 'echo 0 >/proc/sys/net/ipv4/conf/v0.100/forwarding'
        config_edit --arg key "$key" '.linux.sysctl = {($key): "1"}'
        expect_status 0 inside 'cat /proc/sys/net/ipv4/conf/v0.100/forwarding /proc/sys/net/ipv4/conf/lo/forwarding'
        expect_output $'1\n0'
    done
    kill "$holder"
}

@test "runc-3256: names with .. or outside of the container's namespaces are refused" {
    local key
    for key in net/../kernel/core_pattern net/ipv4/../../kernel/core_pattern net...kernel kernel.core_pattern vm.swappiness \
        fs.file-max kernel/panic net/ipv4/../ip_forward ''; do
        config_edit --arg key "$key" '.linux.sysctl = {($key): "1"}'
        refused 'linux\.sysctl' inside true
    done
}

@test "sysctls of net, ipc and uts are set in the container only" {
    local before
    before=$(cat /proc/sys/kernel/shm_rmid_forced)
    config_edit '.linux.sysctl = {"net.ipv4.ip_forward": "1", "kernel.shm_rmid_forced": "1", "fs.mqueue.msg_max": "11", "kernel.domainname": "by.sysctl"}'
    expect_status 0 inside 'cat /proc/sys/net/ipv4/ip_forward /proc/sys/kernel/shm_rmid_forced /proc/sys/fs/mqueue/msg_max /proc/sys/kernel/domainname'
    expect_output $'1\n1\n11\nby.sysctl'
    [ "$(cat /proc/sys/kernel/shm_rmid_forced)" = "$before" ]
}

@test "a sysctl whose namespace is the host's is refused" {
    config_edit '.linux.sysctl = {"net.ipv4.ip_forward": "1"} | .linux.namespaces |= map(select(.type != "network"))'
    refused 'net\.ipv4\.ip_forward' inside true
}

@test "a sysctl that does not exist or takes no such value is refused" {
    config_edit '.linux.sysctl = {"net.ipv4.no_such_thing": "1"}'
    refused 'net.ipv4.no_such_thing|no_such_thing' inside true
    config_edit '.linux.sysctl = {"net.ipv4.ip_forward": "banana"}'
    refused 'ip_forward' inside true
}

# --- keyring, labels

@test "the process has a session keyring of its own unless --no-new-keyring" {
    [ -e /proc/keys ] || skip "no /proc/keys"
    config_edit '.linux.maskedPaths |= map(select(. != "/proc/keys"))'
    config_args grep -c _ses.kept /proc/keys
    expect_status 0 runa run --bundle "$BUNDLE" kept
    expect_output 1
    config_args grep -c _ses.other /proc/keys
    expect_status 1 runa run --no-new-keyring --bundle "$BUNDLE" other
    expect_output 0
}

@test "AppArmor and SELinux labels are refused where the kernel has no such module" {
    [ ! -d /sys/kernel/security/apparmor ] || skip "AppArmor is here"
    [ ! -d /sys/fs/selinux ] || skip "SELinux is here"
    config_edit '.process.apparmorProfile = "docker-default"'
    refused '[aA]pp[aA]rmor' inside true
    config_edit 'del(.process.apparmorProfile) | .process.selinuxLabel = "system_u:system_r:container_t:s0"'
    refused 'SELinux|selinux' inside true
}
