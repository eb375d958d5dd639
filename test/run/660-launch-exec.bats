#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# exec into a sandbox of launch: no further process has more than the first.
load ../lib/run
load ../lib/launch

setup() {
    launch_setup
    busybox_image box '{}'
    launch -d --name box box -- sleep 600 </dev/null >"$WORK/box" 2>&1 || { cat "$WORK/box"; return 1; }
}

inside() { # OPTION...|COMMAND...
    local options=()
    while [[ $1 == -* ]]; do
        options+=("$1")
        shift
    done
    runa exec "${options[@]}" box "$@" </dev/null
}

FIELDS='^(Cap|NoNewPrivs|Seccomp)'

@test "a further process has the rights, namespaces, limits and root of the first" {
    local pid first what
    runa exec -d --pid-file "$WORK/pid" box sleep 300 </dev/null >/dev/null 2>&1
    pid=$(cat "$WORK/pid")
    first=$(container_pid box)
    for what in "$first" "$pid"; do
        grep -E "$FIELDS|^(Uid|Gid|Groups):" "/proc/$what/status"
        find "/proc/$what/ns" -type l -printf '%f %l\n' | sort
        stat -Lc '%d:%i' "/proc/$what/root"
        cat "/proc/$what/cgroup" "/proc/$what/limits" "/proc/$what/oom_score_adj"
        find "/proc/$what/fd" -mindepth 1 -printf '%f\n' | sort
    done >"$WORK/both"
    split -n l/2 "$WORK/both" "$WORK/half."
    [ "$(wc -l <"$WORK/half.aa")" -gt 20 ]
    diff <(sort "$WORK/half.aa") <(sort "$WORK/half.ab")
}

@test "--cap gives nothing beyond the bounding set of the first" {
    local own
    own=$(grep -E "$FIELDS" "/proc/$(container_pid box)/status")
    expect_status 0 inside --cap=CAP_SYS_ADMIN --cap=CAP_SYS_PTRACE --cap=CAP_NET_ADMIN grep -E "$FIELDS" /proc/self/status
    [ "$(grep -E "$FIELDS" <<<"$output")" = "$own" ]
    expect_match 'warning: .*CAP_SYS_ADMIN .*not granted'
    expect_status 0 inside --cap=CAP_SYS_ADMIN --user=1000 grep -E "$FIELDS" /proc/self/status
    [ "$(grep -c $'^Cap\(Eff\|Prm\|Inh\|Amb\):\t0000000000000000$' <<<"$output")" = 4 ]
}

@test "a process document cannot ask for more either" {
    local own all
    own=$(grep -E "$FIELDS" "/proc/$(container_pid box)/status")
    all='["CAP_SYS_ADMIN", "CAP_SYS_PTRACE", "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL",
        "CAP_SETGID", "CAP_SETUID", "CAP_NET_RAW"]'
    jq -n --argjson all "$all" '{args: ["grep", "-E", $ARGS.positional[0], "/proc/self/status"], cwd: "/", env: ["PATH=/bin"],
        user: {uid: 0, gid: 0}, noNewPrivileges: false, capabilities: {bounding: $all, effective: $all, permitted: $all,
        inheritable: $all, ambient: $all}}' --args "$FIELDS" >"$WORK/process.json"
    run --separate-stderr runa exec --process "$WORK/process.json" box </dev/null
    [ "$status" = 0 ]
    diff <(grep -E '^(NoNewPrivs|Seccomp|CapBnd)' <<<"$own") <(grep -E '^(NoNewPrivs|Seccomp|CapBnd)' <<<"$output")
    local set bits
    for set in CapInh CapPrm CapEff CapAmb; do
        bits=$(grep "^$set:" <<<"$output" | cut -f2)
        [ $((0x$bits & ~0x$(grep ^CapBnd: <<<"$own" | cut -f2))) = 0 ]
    done
}

@test "limits of the process cannot be raised above those of the first" {
    local own
    own=$(grep 'Max open files' "/proc/$(container_pid box)/limits" | tr -s ' ' | cut -d' ' -f5)
    jq -n --argjson more $((own + 1000)) '{args: ["sh", "-c", "ulimit -Hn"], cwd: "/", env: ["PATH=/bin"],
        user: {uid: 0, gid: 0}, rlimits: [{type: "RLIMIT_NOFILE", soft: $more, hard: $more}]}' >"$WORK/process.json"
    run --separate-stderr runa exec --process "$WORK/process.json" box </dev/null
    [ "$status" = 255 ] || [ "$output" -le "$own" ]
}

@test "the caller's environment stays outside, the image's is there" {
    export SECRET=canary-of-the-host
    expect_status 0 inside env
    [[ $output != *canary* ]]
    expect_match 'PATH='
    [ "$(grep -c '^HOME=' <<<"$output")" = 1 ]
}
