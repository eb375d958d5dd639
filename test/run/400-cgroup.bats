#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The container's cgroup: where it is, what it takes away from devices, that it goes.
load ../lib/run

@test "the cgroup is runa-ID below the caller's parent, or the path of the config" {
    config_args sh -c 'sleep 60'
    runa run --detach --bundle "$BUNDLE" placed </dev/null >/dev/null 2>&1
    [ "$(grep ^0:: "/proc/$(container_pid placed)/cgroup")" = 0::/runa-placed ]
    mkdir /sys/fs/cgroup/group # parents are the engine's and stay
    config_edit '.linux.cgroupsPath = "/group/inner"'
    runa run --detach --bundle "$BUNDLE" named </dev/null >/dev/null 2>&1
    [ "$(grep ^0:: "/proc/$(container_pid named)/cgroup")" = 0::/group/inner ]
    runa delete --force named
    [ ! -e /sys/fs/cgroup/group/inner ]
    rmdir /sys/fs/cgroup/group
}

@test "two containers do not share a cgroup by accident" {
    config_args sleep 60
    config_edit '.linux.cgroupsPath = "/same"'
    runa run --detach --bundle "$BUNDLE" first </dev/null >/dev/null 2>&1
    run runa run --bundle "$BUNDLE" second
    [ "$(container_status first)" = running ]
    [ -d /sys/fs/cgroup/same ]
}

@test "a cgroup path that climbs is refused" {
    config_edit '.linux.cgroupsPath = "/../../outside"'
    refused 'cgroupsPath' in_container true
    config_edit '.linux.cgroupsPath = "x/../../../outside"'
    refused 'cgroupsPath' in_container true
}

@test "device rules are enforced by the kernel, for reading and writing apart" {
    local minor
    minor=$(awk '$2 == "fuse" || $2 == "loop-control" { print $1; exit }' /proc/misc)
    [ -n "$minor" ] || skip "no device here that anybody may open"
    config_edit --argjson minor "$minor" '.linux.devices = [{path: "/dev/other", type: "c", major: 10, minor: $minor, fileMode: 438}]'
    expect_status 1 in_container 'exec 5</dev/other'
    expect_match 'not permitted'
    config_edit --argjson minor "$minor" '.linux.resources.devices += [{allow: true, type: "c", major: 10, minor: $minor, access: "r"}]'
    expect_status 0 in_container '(exec 5</dev/other) && echo read; (exec 5>/dev/other) 2>&1 || echo refused'
    expect_match $'^read\n.*not permitted\nrefused$'
}

@test "processes inside cannot leave or change the cgroup" {
    expect_status 0 in_container 'echo 1 >/sys/fs/cgroup/cgroup.procs || echo fixed; mkdir /sys/fs/cgroup/sub || echo none'
    expect_match fixed
    expect_match none
}

@test "a container that is frozen is killed and deleted at once" {
    config_args sleep 60
    runa run --detach --bundle "$BUNDLE" frozen </dev/null >/dev/null 2>&1
    echo 1 >/sys/fs/cgroup/runa-frozen/cgroup.freeze
    wait_until 5 grep -q 'frozen 1' /sys/fs/cgroup/runa-frozen/cgroup.events
    [ "$(container_status frozen)" = paused ]
    expect_status 0 timeout 5 "$RUNA" --root "$ROOT" delete --force frozen
}

@test "a limit whose controller is not here is refused with the reason" {
    ! grep -qw memory /sys/fs/cgroup/cgroup.controllers || skip "the memory controller is here"
    config_edit '.linux.resources.memory = {limit: 67108864}'
    refused 'memory' in_container true
}

@test "zero limits, as engines send them, ask for nothing" {
    config_edit '.linux.resources |= . + {cpu: {shares: 0, quota: 0, period: 0, realtimePeriod: 0, realtimeRuntime: 0, cpus: "", mems: ""},
        memory: {limit: 0, reservation: 0, swap: 0, swappiness: null}, blockIO: {weight: 0}}'
    expect_status 0 in_container 'echo runs'
    expect_output runs
}
