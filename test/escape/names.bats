#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Ids, names, numbers and texts from outside: none is an option, a path, or more than it says.
load ../lib/run
load ../lib/escape

@test "CVE-2024-32462: an id is never an option nor a path" {
    local id
    for id in "--root=$WORK/x" -c --help=x -- - . .. ../x x/../y /x 'x/y' '' 'x y' $'x\ny' $'\e[2J' 'x;y' '$(x)' '*' é .hidden \
        "$(printf 'x%.0s' $(seq 2000))"; do
        for verb in "create --bundle $BUNDLE" "run --bundle $BUNDLE" start state kill delete "delete --force"; do
            # shellcheck disable=SC2086
            run runa $verb -- "$id" </dev/null
            [ "$status" != 0 ] || { echo "$verb accepted: $id"; return 1; }
            [[ $output != *$'\e'* ]]
            # shellcheck disable=SC2086
            [[ $id != -* ]] || { run runa $verb "$id" </dev/null; [ "$status" != 0 ] || [ "$id" = --help=x ]; }
        done
    done
    [ ! -e "$WORK/x" ]
    [ -z "$(ls -A "$ROOT")" ]
}

@test "Claude deeplink 2026: the value of an option is not looked through for options" {
    config_args true
    expect_status 1 runa run --bundle "--root=$WORK/other" x
    expect_status 1 runa run --pid-file --detach --bundle "$BUNDLE/none" x
    [ ! -e "$WORK/other" ]
    # The words behind the id are no options of ours.
    expect_status 1 runa run --bundle "$BUNDLE" x --root="$WORK/other"
    [ ! -e "$WORK/other" ]
}

@test "crun 1.20, CVE-2024-3154: a cgroup path with .. is refused, and the container is not above its own" {
    local path
    for path in ../x /../x /x/../../y x/.. /.. / . '' /init/../../x; do
        config_edit --arg path "$path" '.linux.cgroupsPath = $path'
        run in_container 'echo ran'
        [ "$status" != 0 ] || { [ "$path" = '' ] || { echo "accepted: $path"; return 1; }; }
    done
}

@test "CVE-2024-3154: annotations change nothing of the isolation" {
    local before
    expect_status 0 in_container 'cat /proc/self/status /proc/self/mountinfo | grep -e Cap -e NoNew -e Seccomp -e proc | sed "s/^[0-9 :]*//"'
    before=$(sed 's/[0-9]*:[0-9]* //' <<<"$output")
    config_edit '.annotations = {"org.systemd.property.ExecStart": "/bin/false", "org.systemd.property.DeviceAllow": "[(\"block-*\", \"rwm\")]",
        "run.oci.keep_original_groups": "1", "run.oci.systemd.subgroup": "../..", "run.oci.delegate-cgroup": "../../..",
        "run.oci.mount_context_type": "x", "run.oci.hooks.stdout": "/etc/passwd", "run.oci.handler": "krun",
        "run.oci.pidfd_receiver": "/x", "run.oci.seccomp_fail_unknown_syscall": "0", "module.wasm.image/variant": "compat",
        "io.kubernetes.cri-o.Devices": "/dev/mem", "runa.test": "\u001b[2J\n"}'
    expect_status 0 in_container 'cat /proc/self/status /proc/self/mountinfo | grep -e Cap -e NoNew -e Seccomp -e proc | sed "s/^[0-9 :]*//"'
    [ "$(sed 's/[0-9]*:[0-9]* //' <<<"$output")" = "$before" ]
}

@test "CVE-2021-43784: long and hostile id mappings are refused or used exactly" {
    user_namespace
    config_edit '.linux.uidMappings = [range(0; 5000) | {containerID: ., hostID: (100000 + .), size: 1}]'
    run in_container 'cat /proc/self/uid_map | wc -l'
    [ "$status" != 0 ] || [ "$output" = 5000 ]
    for maps in '[{containerID: 0, hostID: 4294967295, size: 2}]' '[{containerID: 0, hostID: 100000, size: 4294967296}]' \
        '[{containerID: 4294967295, hostID: 100000, size: 4294967295}]' '[{containerID: 0, hostID: -1, size: 1}]' \
        '[{containerID: 0, hostID: 100000, size: 0}]' '[{containerID: 0.5, hostID: 100000, size: 1}]' \
        '[{containerID: 0, hostID: "0\n0 0 4294967295", size: 1}]' \
        '[{containerID: 0, hostID: 100000, size: 10}, {containerID: 5, hostID: 200000, size: 10}]'; do
        config_edit --argjson unused 0 ".linux.uidMappings = $maps"
        refused '' in_container 'cat /proc/self/uid_map'
    done
}

@test "CVE-2026-1386: a planted link in the place of a state is not followed, by create or delete" {
    config_args true
    ln -s "$CANARY" "$ROOT/planted"
    for verb in "create --bundle $BUNDLE" "run --bundle $BUNDLE" start state kill delete "delete --force"; do
        # shellcheck disable=SC2086
        run runa $verb planted </dev/null
        echo "$verb: $status $output"
        [ "$status" != 0 ] || [ "$verb" = "delete --force" ]
        [ "$(tree_sum "$CANARY")" = "$CANARY_SUM" ]
    done
    rm -f "$ROOT/planted"
}

@test "CVE-2021-41091: nobody else can walk into the state, whatever the umask" {
    local path
    config_args sleep 60
    ROOT=$WORK/new/state
    umask 0
    runa create --bundle "$BUNDLE" private </dev/null >/dev/null 2>&1
    umask 022
    [ "$(stat -c %a "$ROOT" "$ROOT/private" | sort -u)" = 700 ]
    for path in "$ROOT"/private/*; do
        [[ $(stat -c %a "$path") == *00 ]] || { stat "$path"; return 1; }
        run setpriv --reuid 65534 --regid 65534 --clear-groups "$PROBE" open p "$path"
        expect_output EACCES
    done
    runa delete --force private
}

@test "CVE-2024-25621: a state root that others can write to is refused" {
    config_args true
    chmod 777 "$ROOT"
    run runa run --bundle "$BUNDLE" x </dev/null
    chmod 755 "$ROOT"
    [ "$status" = 1 ]
    chown 65534 "$ROOT"
    run runa run --bundle "$BUNDLE" x </dev/null
    chown 0 "$ROOT"
    [ "$status" = 1 ]
}

@test "PID reuse: a process that got the number of a dead init is not signalled" {
    local pid innocent
    config_args true
    runa create --bundle "$BUNDLE" old </dev/null >/dev/null 2>&1
    pid=$(container_pid old)
    runa start old
    wait_until 10 container_is old stopped
    wait_until 10 [ ! -e "/proc/$pid" ]
    # A number is given out after the last one.
    for _ in $(seq 200); do
        echo $((pid - 1)) >/proc/sys/kernel/ns_last_pid
        sleep 60 3>&- &
        innocent=$!
        [ "$innocent" = "$pid" ] && break
        kill -9 "$innocent"
        wait "$innocent" || :
    done
    [ "$innocent" = "$pid" ] || skip "the number could not be had again"
    run runa kill old KILL
    [ "$status" != 0 ]
    expect_status 0 runa delete --force old
    sleep 0.1
    kill -0 "$innocent"
    kill -9 "$innocent"
    wait "$innocent" || :
}
