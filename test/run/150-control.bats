#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# pause, resume, ps, update, kill --all, delete --regex: a running container as a whole.
load ../lib/run

# box [SCRIPT]: the container "box" runs, waiting or doing SCRIPT.
box() {
    config_args sh -c "${1:-exec sleep 600}"
    runa run --detach --bundle "$BUNDLE" box </dev/null >"$WORK/box" 2>&1 || { cat "$WORK/box"; return 1; }
}

cgroup_of() { jq -r .cgroup "$ROOT/$1/state.json"; }

limit() { cat "$(cgroup_of box)/$1"; } # FILE of the cgroup

# limits_are FILE=VALUE...
limits_are() {
    local pair is failed=0
    for pair; do
        is=$(limit "${pair%%=*}")
        [ "$is" = "${pair#*=}" ] || { echo "${pair%%=*}: wanted ${pair#*=}, is $is"; failed=1; }
    done
    return "$failed"
}

update() { runa update "$@" box; }

document() { # JSON: as the document of update
    update --resources - <<<"$1"
}

# --- pause, resume -----------------------------------------------------------------------------------------------

@test "pause stops every process, resume lets them go on" {
    config_edit '.root.readonly = false'
    box 'i=0; while :; do i=$((i + 1)); echo $i >/count; sleep 0.01; done'
    wait_until 5 test -s "$BUNDLE/rootfs/count"
    expect_status 0 runa pause box
    expect_output ''
    [ "$(container_status box)" = paused ]
    [ "$(limit cgroup.freeze)" = 1 ]
    local count
    count=$(cat "$BUNDLE/rootfs/count")
    sleep 0.3
    [ "$(cat "$BUNDLE/rootfs/count")" = "$count" ]
    [ "$(runa list --format json | jq -r '.[0].status')" = paused ]
    expect_status 0 runa resume box
    [ "$(container_status box)" = running ]
    wait_until 5 eval '[ "$(cat "$BUNDLE/rootfs/count")" != '"'$count'"' ]'
}

@test "pause and resume refuse what the status does not allow" {
    expect_status 1 runa pause box
    expect_match 'does not exist'
    expect_status 1 runa resume box
    expect_match 'does not exist'
    box
    expect_status 1 runa resume box
    expect_match 'not paused'
    runa pause box
    expect_status 1 runa pause box
    expect_match 'already paused'
    runa resume box
    runa kill box KILL
    wait_until 5 container_is box stopped
    expect_status 1 runa pause box
    expect_match 'not running'
    expect_status 1 runa resume box
    expect_match 'not running'
}

@test "a paused container can be killed and deleted" {
    box
    runa pause box
    expect_status 0 runa kill box KILL
    wait_until 5 container_is box stopped
    expect_status 0 runa delete box
    box
    runa pause box
    expect_status 0 timeout 20 "$RUNA" --root "$ROOT" delete --force box
}

@test "a created container can be paused, started later" {
    config_args sleep 600
    runa create --bundle "$BUNDLE" box </dev/null >/dev/null 2>&1
    expect_status 0 runa pause box
    [ "$(container_status box)" = paused ]
    expect_status 0 runa resume box
    [ "$(container_status box)" = created ]
    expect_status 0 runa start box
}

# --- ps ----------------------------------------------------------------------------------------------------------

@test "ps shows the container's processes, ascending, as this PID namespace numbers them" {
    box 'sleep 501 & sleep 502 & exec sleep 503'
    wait_until 5 eval '[ "$(runa ps --format json box | jq length)" = 3 ]'
    runa ps --format json box >"$WORK/pids"
    [ "$(jq -c 'sort' "$WORK/pids")" = "$(jq -c . "$WORK/pids")" ]
    jq -e --argjson pid "$(container_pid box)" 'index($pid)' "$WORK/pids" >/dev/null
    local pid
    for pid in $(jq '.[]' "$WORK/pids"); do
        [[ $(tr '\0' ' ' <"/proc/$pid/cmdline") =~ ^sleep\ 50[123] ]]
    done
    expect_status 0 runa ps box
    [ "${#lines[@]}" = 4 ]
    [[ ${lines[0]} == *PID* ]]
    [ "$(grep -c 'sleep 50[123]' <<<"$output")" = 3 ]
    expect_status 0 runa ps box -o pid,comm -A
    [ "${#lines[@]}" = 4 ]
    expect_status 1 runa ps box -o comm
    expect_match 'PID'
    expect_status 1 runa ps --format xml box
    expect_match 'xml'
    expect_status 1 runa ps nobody
    expect_match 'does not exist'
}

@test "ps also sees what lives in cgroups that the container has made" {
    box
    local cgroup
    cgroup=$(cgroup_of box)
    mkdir "$cgroup/below"
    runa exec --detach --cgroup below box sleep 300 </dev/null >/dev/null 2>&1
    [ "$(runa ps --format json box | jq length)" = 2 ]
}

@test "ps of a stopped container is refused" {
    box
    runa kill box KILL
    wait_until 5 container_is box stopped
    expect_status 1 runa ps box
    expect_match 'not running'
}

# --- kill, delete ------------------------------------------------------------------------------------------------

@test "kill --all signals every process, with any signal" {
    config_edit '.root.readonly = false'
    box 'trap "echo 1 >>/got" USR1; (trap "echo 2 >>/got; exit" USR1; : >/two; while :; do sleep 0.02; done) & : >/one; while :; do sleep 0.02; done'
    wait_until 5 test -e "$BUNDLE/rootfs/one" -a -e "$BUNDLE/rootfs/two"
    expect_status 0 runa kill --all box USR1
    wait_until 5 eval '[ "$(sort -u "$BUNDLE/rootfs/got" 2>/dev/null | tr -d "\n")" = 12 ]'
    expect_status 0 runa kill --all box KILL
    wait_until 5 container_is box stopped
}

@test "kill --all works on a paused container and on one that has stopped" {
    box
    runa pause box
    expect_status 0 runa kill --all box KILL
    wait_until 5 container_is box stopped
    run runa kill --all box KILL
    [ "$status" = 0 ] || [[ $output == *'not running'* ]]
}

@test "delete --regex deletes all that match as a whole set, and nothing else" {
    config_args true
    local id
    for id in web-1 web-2 db-1 web; do
        runa run --detach --bundle "$BUNDLE" "$id" </dev/null >/dev/null 2>&1
        wait_until 5 container_is "$id" stopped
    done
    expect_status 0 runa delete --regex '^web-.*'
    [ "$(container_ids | sort | tr '\n' ' ')" = 'db-1 web ' ]
    expect_status 1 runa delete --regex '('
    [ "$(container_ids | sort | tr '\n' ' ')" = 'db-1 web ' ]
    config_args sleep 600
    runa run --detach --bundle "$BUNDLE" busy </dev/null >/dev/null 2>&1
    run runa delete --regex 'b'
    [ "$status" = 1 ] # busy runs
    [ "$(container_status busy)" = running ]
    expect_status 0 runa delete --force --regex '.'
    [ -z "$(container_ids)" ]
}

# Deleting looks at the data of launch only for what launch has made.
@test "delete of a bundle's container leaves the data of a sandbox with its name alone" {
    local data=$WORK/data
    mkdir -p -m 700 "$data/sandboxes/box"
    : >"$data/sandboxes/box/precious"
    box
    expect_status 0 runa delete --force --data-root "$data" box
    [ -e "$data/sandboxes/box/precious" ]
    chmod 777 "$data" # and does not mind its state
    box
    expect_status 0 runa delete --force --data-root "$data" box
    expect_output ''
    expect_status 0 runa delete --force nobody
}

# --- update ------------------------------------------------------------------------------------------------------

@test "update refuses what is no limit, and changes nothing" {
    box
    expect_status 1 update --memory lots
    expect_match 'memory'
    expect_status 1 update --memory -2
    expect_status 1 update --pids-limit -2
    expect_status 1 update --cpu-period 1x
    expect_status 1 document '{"memory": {"limit": "1g"}}'
    expect_match 'memory.limit'
    expect_status 1 document '{'
    expect_status 1 runa update --pids-limit 5 nobody
    expect_match 'does not exist'
    expect_status 1 update --resources "$WORK/nosuch"
    expect_match 'nosuch'
    [ "$(container_status box)" = running ]
}

@test "update: a zero changes nothing, as in a document" {
    box
    expect_status 0 update --memory 0 --memory-reservation 0 --memory-swap 0 --blkio-weight 0
    expect_status 0 update --cpu-period 0 --cpu-quota 0 --cpu-share 0
}

@test "update of a stopped container is refused" {
    box
    runa kill box KILL
    wait_until 5 container_is box stopped
    expect_status 1 update --pids-limit 5
    expect_match 'not running'
}

# bats test_tags=controllers
@test "runc-4014: pids limits -1, 77, absent and 0, at create and by update" {
    require_controller pids
    config_edit '.linux.resources = {pids: {limit: 77}}'
    box
    limits_are pids.max=77
    expect_status 0 document '{}'
    limits_are pids.max=77
    expect_status 0 update --pids-limit -1
    limits_are pids.max=max
    expect_status 0 update --pids-limit 50
    limits_are pids.max=50
    expect_status 0 document '{"pids": {"limit": 0}}'
    limits_are pids.max=0
    expect_status 0 document '{"pids": {"limit": -1}}'
    limits_are pids.max=max
    runa delete --force box
    config_edit '.linux.resources = {pids: {limit: -1}}'
    box
    limits_are pids.max=max
    runa delete --force box
    config_edit '.linux.resources = {}'
    box
    limits_are pids.max=max
}

# bats test_tags=controllers
@test "runc-4014: a pids limit of 0 lets nothing fork" {
    require_controller pids
    config_edit '.linux.resources = {pids: {limit: 0}}'
    run in_container '/bin/true & wait; (echo child)'
    [[ $output != *child* ]]
}

# bats test_tags=controllers
@test "runc-2369: swap is what is left of memory and swap together" {
    require_controller memory
    local mib=1048576
    swap_of() { # MEMORY SWAP: of the config, in MiB, -1, or - for absent
        config_edit --arg limit "$1" --arg swap "$2" 'def bytes: if . == "-1" then -1 else tonumber * 1048576 end;
            .linux.resources.memory = ({} + (if $limit == "-" then {} else {limit: ($limit | bytes)} end)
            + (if $swap == "-" then {} else {swap: ($swap | bytes)} end))'
        box && echo "$(limit memory.max) $(limit memory.swap.max)" && runa delete --force box
    }
    expect_status 0 swap_of 64 64
    expect_output "$((64 * mib)) 0"
    expect_status 0 swap_of 64 96
    expect_output "$((64 * mib)) $((32 * mib))"
    expect_status 0 swap_of 64 -1
    expect_output "$((64 * mib)) max"
    expect_status 0 swap_of -1 -
    expect_output 'max max'
    expect_status 0 swap_of 64 -
    expect_output "$((64 * mib)) max"
    expect_status 1 swap_of 64 32
    expect_match 'swap'
    expect_status 1 swap_of - 96
    expect_match 'swap'
    [ -z "$(container_ids)" ]
}

# bats test_tags=controllers
@test "crun-315: an update of memory or swap alone leaves the other right" {
    require_controller memory
    local mib=1048576
    config_edit '.linux.resources.memory = {limit: 268435456, swap: 402653184}'
    box
    limits_are memory.max=$((256 * mib)) memory.swap.max=$((128 * mib))
    expect_status 0 update --memory 256m
    limits_are memory.max=$((256 * mib)) memory.swap.max=$((128 * mib))
    expect_status 0 update --cpu-share 512
    limits_are memory.max=$((256 * mib)) memory.swap.max=$((128 * mib))
    run update --memory-swap 768m
    if [ "$status" = 0 ]; then
        limits_are memory.max=$((256 * mib)) memory.swap.max=$((512 * mib))
    else
        expect_match 'swap'
        limits_are memory.max=$((256 * mib)) memory.swap.max=$((128 * mib))
    fi
    expect_status 0 update --memory 128m --memory-swap 128m
    limits_are memory.max=$((128 * mib)) memory.swap.max=0
    expect_status 0 update --memory -1 --memory-swap -1
    limits_are memory.max=max memory.swap.max=max
}

# bats test_tags=controllers
@test "runc-3509: checkBeforeUpdate refuses a limit below what is used" {
    require_controller memory
    config_edit '.linux.resources.memory = {limit: 268435456} | .mounts += [{destination: "/tmp", type: "tmpfs", source: "tmpfs"}]'
    box 'dd if=/dev/zero of=/tmp/held bs=1M count=100 2>/dev/null; : >/tmp/ready; exec sleep 600'
    wait_until 60 test -e "/proc/$(container_pid box)/root/tmp/ready"
    expect_status 1 document '{"memory": {"limit": 52428800, "checkBeforeUpdate": true}}'
    expect_match '52428800'
    limits_are memory.max=268435456
    [ "$(container_status box)" = running ]
    expect_status 0 document '{"memory": {"limit": 209715200, "checkBeforeUpdate": true}}'
    limits_are memory.max=209715200
    run document '{"memory": {"limit": 52428800, "checkBeforeUpdate": false}}'
    [ "$status" = 0 ] || wait_until 10 container_is box stopped
}

# bats test_tags=controllers
@test "crun-383: zeros of an engine that set nothing change nothing" {
    require_controller memory
    require_controller cpu
    local file values=()
    config_edit '.linux.resources = {}'
    box
    for file in cpu.max cpu.weight cpu.idle memory.max memory.low memory.high memory.swap.max pids.max cpuset.cpus cpuset.mems; do
        [ ! -e "$(cgroup_of box)/$file" ] || values+=("$file=$(limit "$file")")
    done
    local zeros='{"cpu": {"shares": 0, "quota": 0, "period": 0, "realtimePeriod": 0, "realtimeRuntime": 0, "cpus": "", "mems": ""},
        "memory": {"limit": 0, "reservation": 0, "swap": 0, "swappiness": null}, "blockIO": {"weight": 0}}'
    expect_status 0 document "$zeros"
    limits_are "${values[@]}"
    runa delete --force box
    config_edit --argjson zeros "$zeros" '.linux.resources = $zeros'
    box
    limits_are "${values[@]}"
}

# bats test_tags=controllers
@test "update sets cpu, cpuset and memory as options and as a document" {
    require_controller cpu
    require_controller cpuset
    require_controller memory
    config_edit '.linux.resources = {}'
    box
    expect_status 0 update --cpu-period 50000 --cpu-quota 25000 --cpuset-cpus 0 --memory 64m --memory-reservation 32m
    limits_are 'cpu.max=25000 50000' cpuset.cpus=0 memory.max=67108864 memory.low=33554432
    expect_status 0 update --cpu-quota -1
    limits_are 'cpu.max=max 50000' memory.max=67108864
    expect_status 0 update --cpu-quota 10000
    limits_are 'cpu.max=10000 50000'
    expect_status 0 update --cpu-period 100000
    limits_are 'cpu.max=10000 100000'
    echo '{"cpu": {"quota": 20000, "period": 40000}}' >"$WORK/resources"
    expect_status 0 update --resources "$WORK/resources" --cpu-quota 30000
    limits_are 'cpu.max=30000 40000' cpuset.cpus=0
    expect_status 0 update --cpu-share 1024
    [ "$(limit cpu.weight)" -ge 39 ]
    expect_status 0 update --cpu-idle 1
    limits_are cpu.idle=1
}
