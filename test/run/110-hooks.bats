#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The six hooks: order, namespaces, environment, state on standard input, time-outs, failures.
load ../lib/run

points='prestart createRuntime createContainer startContainer poststart poststop'

# A hook that runs a line of shell; startContainer is looked up in the container, where sh is as well.
hook_add() { # POINT SCRIPT [JQ FIELDS]
    config_edit --arg point "$1" --arg script "$2" \
        ".hooks[\$point] += [{path: \"/bin/sh\", args: [\"sh\", \"-c\", \$script]} + ${3:-{\}}]"
}

all_points() { # SCRIPT: "POINT" in it is the name
    local point
    for point in $points; do
        hook_add "$point" "${1//POINT/$point}"
    done
}

# A folder that hooks of both sides can write to by the same path.
share() {
    mkdir "$WORK/shared"
    mkdir -p "$BUNDLE/rootfs$WORK/shared"
    config_edit --arg path "$WORK/shared" '.mounts += [{destination: $path, type: "bind", source: $path, options: ["bind"]}]'
}

@test "all six run, each at its time" {
    share
    all_points "echo POINT >>$WORK/shared/log"
    config_args sh -c "echo process >>$WORK/shared/log"
    runa create --bundle "$BUNDLE" hooked </dev/null
    [ "$(tr '\n' ' ' <"$WORK/shared/log")" = "prestart createRuntime createContainer " ]
    runa start hooked
    wait_until 5 container_is hooked stopped
    wait_until 5 grep -q poststart "$WORK/shared/log"
    runa delete hooked
    # poststart and the process run side by side
    [ "$(grep -v poststart "$WORK/shared/log" | tr '\n' ' ')" = "prestart createRuntime createContainer startContainer process poststop " ]
}

@test "run runs all six too, and several of one point in their order" {
    share
    all_points "echo POINT1 >>$WORK/shared/log"
    all_points "echo POINT2 >>$WORK/shared/log"
    config_args sleep 0.3
    expect_status 0 runa run --bundle "$BUNDLE" hooked
    local point
    [ "$(tr '\n' ' ' <"$WORK/shared/log")" = "$(for point in $points; do printf '%s1 %s2 ' "$point" "$point"; done)" ]
}

@test "the state on standard input is that of the moment" {
    share
    config_edit '.annotations = {"org.example": "noted"}'
    all_points "cat >$WORK/shared/POINT"
    config_args sleep 0.5
    runa create --bundle "$BUNDLE" hooked </dev/null
    local pid point want
    pid=$(container_pid hooked)
    runa start hooked
    wait_until 5 container_is hooked stopped
    runa delete hooked
    for point in $points; do
        case $point in
        poststart) want=running ;;
        poststop) want=stopped ;;
        startContainer) want=created ;;
        *) want=creating ;;
        esac
        jq -e --arg want "$want" --arg bundle "$BUNDLE" '.id == "hooked" and .status == $want and .bundle == $bundle and
            .ociVersion and .annotations == {"org.example": "noted"}' "$WORK/shared/$point" ||
            { echo "$point: $(cat "$WORK/shared/$point")"; false; }
        [ "$point" = poststop ] || [ "$(jq .pid "$WORK/shared/$point")" = "$pid" ] ||
            { echo "$point: $(cat "$WORK/shared/$point")"; false; }
    done
}

@test "hooks get the environment of their entry only" {
    share
    hook_add createRuntime "env >$WORK/shared/none"
    hook_add createRuntime "env >$WORK/shared/some" '{env: ["A=1", "B=two words"]}'
    hook_add createContainer "/bin/busybox env >$WORK/shared/inside" '{env: ["C=3"]}'
    hook_add startContainer "env >$WORK/shared/start" '{env: ["D=4"]}'
    config_edit '.process.env += ["LEAK=image"]'
    config_args true
    LEAK=caller expect_status 0 runa run --bundle "$BUNDLE" hooked
    ! grep -r LEAK "$WORK/shared" || false
    grep -qx A=1 "$WORK/shared/some"
    grep -qx 'B=two words' "$WORK/shared/some"
    grep -qx C=3 "$WORK/shared/inside"
    grep -qx D=4 "$WORK/shared/start"
    ! grep -qE '^(A|B|C|D)=' "$WORK/shared/none" || false
}

@test "arguments are the entry's, without them the path" {
    printf '#!/bin/sh\nprintf "%%s|" "$0" "$@" >>%s/args\n' "$WORK" >"$WORK/hook"
    chmod 755 "$WORK/hook"
    config_edit --arg path "$WORK/hook" '.hooks.createRuntime = [{path: $path}, {path: $path, args: ["other", "x y", ""]}]'
    config_args true
    expect_status 0 runa run --bundle "$BUNDLE" hooked
    [ "$(cat "$WORK/args")" = "$WORK/hook|$WORK/hook|x y||" ]
}

@test "each hook is in the namespaces that the specification names" {
    share
    all_points "for ns in mnt net; do /bin/busybox readlink /proc/self/ns/\$ns; done >$WORK/shared/POINT"
    config_args sh -c 'for ns in mnt net; do readlink /proc/self/ns/$ns; done; sleep 0.3'
    expect_status 0 runa run --bundle "$BUNDLE" hooked
    local point host
    host=$(readlink /proc/self/ns/mnt /proc/self/ns/net)
    for point in prestart createRuntime poststart poststop; do
        [ "$(cat "$WORK/shared/$point")" = "$host" ] || { echo "$point: $(cat "$WORK/shared/$point")"; false; }
    done
    for point in createContainer startContainer; do
        [ "$(cat "$WORK/shared/$point")" = "$output" ] || { echo "$point: $(cat "$WORK/shared/$point")"; false; }
    done
    [ "$output" != "$host" ]
}

@test "createContainer sees the host's root, startContainer the container's" {
    share
    echo host >"$WORK/only-host"
    echo inside >"$BUNDLE/rootfs/only-inside"
    hook_add createContainer "test -e $WORK/only-host && echo host >$WORK/shared/create"
    hook_add startContainer "test -e /only-inside && ! test -e $WORK/only-host && echo inside >$WORK/shared/start"
    config_args true
    expect_status 0 runa run --bundle "$BUNDLE" hooked
    [ "$(cat "$WORK/shared/create" "$WORK/shared/start")" = $'host\ninside' ]
}

@test "createRuntime can configure the network namespace by the pid in the state" {
    require_program ip
    # shellcheck disable=SC2016
    hook_add createRuntime 'pid=$(sed "s/.*\"pid\": *\([0-9]*\).*/\1/"); /usr/bin/nsenter -n -t $pid /sbin/ip link add made0 type bridge' \
        '{env: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]}'
    config_args sh -c 'cut -d: -f1 /proc/net/dev | tr -d " " | tail -n +3'
    expect_status 0 runa run --bundle "$BUNDLE" hooked
    [[ " ${lines[*]} " == *' made0 '* ]]
}

fails_early() { # POINT
    share
    hook_add "$1" 'echo "what went wrong" >&2; exit 7'
    hook_add "$1" "echo never >$WORK/shared/never"
    hook_add poststop "echo poststop >$WORK/shared/poststop"
    config_args sh -c "echo ran >$WORK/shared/ran"
    refused "hook $1 /bin/sh: exit status 7.*what went wrong" runa run --bundle "$BUNDLE" hooked
    [ ! -e "$WORK/shared/never" ]
    [ ! -e "$WORK/shared/ran" ]
    [ -e "$WORK/shared/poststop" ]
}

@test "a failing prestart hook ends the create" { fails_early prestart; }
@test "a failing createRuntime hook ends the create" { fails_early createRuntime; }
@test "a failing createContainer hook ends the create" { fails_early createContainer; }
@test "a failing startContainer hook ends the start" { fails_early startContainer; }

@test "the reason of a failing set-up arrives every time" {
    local round
    config_edit '.hooks.createContainer = [{path: "/bin/false"}]'
    for round in {1..50}; do
        refused 'hook createContainer /bin/false: exit status 1' runa run --bundle "$BUNDLE" hooked
    done
}

@test "failing poststart and poststop hooks are told, and the others run all the same" {
    share
    local point
    for point in poststart poststop; do
        hook_add "$point" 'exit 3'
        hook_add "$point" "echo $point >>$WORK/shared/log"
    done
    config_args sh -c 'sleep 0.2; exit 5'
    run --separate-stderr runa run --bundle "$BUNDLE" hooked
    [ "$status" = 5 ]
    [[ $stderr == *'hook poststart /bin/sh: exit status 3'* ]]
    [[ $stderr == *'hook poststop /bin/sh: exit status 3'* ]]
    [ "$(cat "$WORK/shared/log")" = $'poststart\npoststop' ]
}

@test "a hook that ends by a signal or does not exist fails the create" {
    hook_add createRuntime 'kill -9 $$'
    config_args true
    refused 'hook createRuntime /bin/sh: .*137' runa run --bundle "$BUNDLE" hooked
    config_edit '.hooks = {createRuntime: [{path: "/no/such/hook"}]}'
    refused 'hook createRuntime /no/such/hook' runa run --bundle "$BUNDLE" hooked
    config_edit '.hooks = {startContainer: [{path: "/no/such/hook"}]}'
    refused 'hook startContainer /no/such/hook' runa run --bundle "$BUNDLE" hooked
}

@test "a hook that outlasts its time-out is killed, with its children" {
    local point
    config_args true
    for point in createRuntime createContainer startContainer; do
        config_edit '.hooks = {}'
        hook_add "$point" 'sleep 61; :' '{timeout: 1}'
        refused "hook $point /bin/sh: still running after 1 s" timeout 10 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" hooked
    done
}

@test "a hook that ends within its time-out, or leaves a child holding its output, is fine" {
    hook_add createRuntime 'sleep 0.1' '{timeout: 5}'
    hook_add createRuntime 'sleep 2 & exit 0' '{timeout: 60}'
    config_args echo fine
    expect_status 0 timeout 5 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" hooked
    expect_match fine
    sleep 2
}

@test "a hook that reads nothing and one that writes much do not hold anything up" {
    hook_add createRuntime 'head -c 1000000 /dev/zero; exec <&-'
    hook_add createRuntime 'exec 0<&-; sleep 0.1'
    config_args echo fine
    expect_status 0 timeout 10 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" hooked
    expect_output fine
}

@test "descriptors of the runtime do not reach hooks" {
    share
    hook_add createRuntime "ls /proc/self/fd >$WORK/shared/host"
    hook_add createContainer "ls /proc/self/fd >$WORK/shared/create"
    hook_add startContainer "ls /proc/self/fd >$WORK/shared/start"
    config_args true
    expect_status 0 runa run --preserve-fds 2 --bundle "$BUNDLE" hooked 3</etc/passwd 4</etc/group
    # 3 is the directory that ls reads
    [ "$(tr '\n' ' ' <"$WORK/shared/host")" = '0 1 2 3 ' ]
    [ "$(tr '\n' ' ' <"$WORK/shared/create")" = '0 1 2 3 ' ]
    [ "$(tr '\n' ' ' <"$WORK/shared/start")" = '0 1 2 3 ' ]
}
