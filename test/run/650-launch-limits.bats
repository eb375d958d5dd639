#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=controllers
# The shipped policies with their limits, read from outside and met from inside.
load ../lib/run
load ../lib/launch

setup_file() {
    images_load debian-small
}

setup() {
    launch_setup
    local name
    for name in cpu memory pids; do require_controller "$name"; done
    POLICY=workspace-write
}

# limits_of ID: what the kernel holds the sandbox to
limits_of() {
    local folder file
    folder=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$(container_pid "$1")/cgroup")
    for file in memory.max memory.swap.max cpu.max pids.max; do
        [ ! -e "$folder/$file" ] || echo "$file $(cat "$folder/$file")"
    done
}

shipped_limits() { # POLICY
    POLICY=$1
    launch -d --name held debian-small -- sleep 600 </dev/null >/dev/null
    limits_of held >"$WORK/limits"
    sandbox_delete held
    grep -qx 'memory.max 4294967296' "$WORK/limits"
    ! grep '^memory.swap.max' "$WORK/limits" | grep -vx 'memory.swap.max 0' || false
    grep -qx 'cpu.max 400000 100000' "$WORK/limits"
    grep -qx 'pids.max 1024' "$WORK/limits"
}

@test "workspace-write: memory, swap, cpu and pids are limited, and the sandbox cannot change it" {
    shipped_limits workspace-write
    expect_status 0 sandbox bash -c 'for f in memory.max pids.max cpu.max cgroup.procs; do (echo max >/sys/fs/cgroup/$f) 2>/dev/null && echo "$f"; done
        mkdir /sys/fs/cgroup/mine 2>/dev/null && echo made; true'
    expect_output ''
}

@test "read-only: the same limits; nothing but /tmp and /dev/shm can be written" {
    shipped_limits read-only
    POLICY=read-only
    mkdir "$WORK/ws"
    chmod 777 "$WORK/ws"
    run sandbox -v "$WORK/ws:/ws" -- sh -c 'touch /ws/x; touch /x; touch /tmp/x && echo written'
    [ "$(grep -c 'Read-only file system' <<<"$output")" = 2 ]
    expect_match written
}

# smaller KEY VALUE: the shipped policy, with a limit of ours
smaller() {
    echo "{\"version\": 1, \"extends\": \"workspace-write\", \"resources\": {\"$1\": $2}}" >"$WORK/smaller.jsonc"
    POLICY=$WORK/smaller.jsonc
}

@test "a fork bomb ends inside: no more processes than the policy says" {
    smaller pids 64
    launch -d --name bomb debian-small -- bash -c 'bomb() { bomb | bomb & }; bomb; sleep 600' </dev/null >/dev/null 2>&1
    folder=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$(container_pid bomb)/cgroup")
    wait_until 60 awk '$1 == "max" && $2 > 0 { found = 1 } END { exit !found }' "$folder/pids.events"
    [ "$(cat "$folder/pids.max")" = 64 ]
    [ "$(cat "$folder/pids.current")" -le 64 ]
    expect_status 0 timeout 60 true # the machine still forks
    sandbox_delete bomb
    [ ! -e "$folder" ]
}

@test "a memory hog ends inside, with 137; /tmp and /dev/shm count" {
    smaller memory '"64MiB"'
    expect_status 137 sandbox perl -e '$x = "x" x (256 << 20); print "alive"'
    [[ $output != *alive* ]]
    run sandbox sh -c 'head -c 100M /dev/zero >/tmp/x; echo "ended with $?"'
    [[ $status = 137 || $output = *'ended with 1'* ]]
    expect_status 0 sandbox sh -c 'head -c 20M /dev/zero >/tmp/x; echo fits'
    expect_output fits
}

@test "a busy loop gets no more than its share of a processor" {
    smaller cpus 0.2
    launch -d --name busy debian-small -- bash -c 'while :; do :; done' </dev/null >/dev/null
    folder=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$(container_pid busy)/cgroup")
    [ "$(cat "$folder/cpu.max")" = '20000 100000' ]
    wait_until 30 awk '$1 == "nr_throttled" && $2 > 0 { found = 1 } END { exit !found }' "$folder/cpu.stat"
    sandbox_delete busy
}

@test "a policy cannot widen what it extends" {
    smaller pids 4096
    launch -d --name held debian-small -- sleep 600 </dev/null >/dev/null
    limits_of held | grep -x 'pids.max 1024'
    sandbox_delete held
}
