#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# create, start, state, kill, delete, run: their order, their refusals, and what remains.
load ../lib/run

within() { # SECONDS CMD...: as runa, but never longer
    local seconds=$1
    shift
    timeout "$seconds" "$RUNA" --root "$ROOT" "$@"
}

# A container left running must not hold bats' pipe open.
apart() {
    "$@" </dev/null >"$WORK/output" 2>&1
}

cgroup_of() { # ID: path below /sys/fs/cgroup of its cgroup
    jq -r .cgroup "$ROOT/$1/state.json"
}

@test "create waits, start runs, kill ends, delete removes" {
    config_edit '.root.readonly = false'
    config_args sh -c 'echo started >/mark; exec sleep 60'
    apart runa create --bundle "$BUNDLE" one
    [ "$(container_status one)" = created ]
    [ ! -e "$BUNDLE/rootfs/mark" ]
    expect_status 0 runa start one
    [ "$(container_status one)" = running ]
    wait_until 5 test -e "$BUNDLE/rootfs/mark"
    expect_status 0 runa kill one KILL
    wait_until 5 container_is one stopped
    local cgroup
    cgroup=$(cgroup_of one)
    [ -d "$cgroup" ]
    expect_status 0 runa delete one
    expect_output ''
    [ ! -e "$ROOT/one" ]
    [ ! -e "$cgroup" ]
    expect_status 1 runa state one
}

@test "verbs refuse what the status does not allow, in runc's words" {
    config_args sleep 60
    apart runa create --bundle "$BUNDLE" one
    expect_status 1 runa create --bundle "$BUNDLE" one
    expect_match 'container with given ID already exists'
    runa start one
    expect_status 1 runa start one
    expect_match 'not in created state'
    expect_status 1 runa delete one
    expect_match 'cannot delete container.*that is not stopped'
    expect_status 1 runa run --bundle "$BUNDLE" one
    expect_match 'container with given ID already exists'
    [ "$(container_status one)" = running ]
    runa kill one 9
    wait_until 5 container_is one stopped
    expect_status 1 runa kill one 9
    expect_match 'container not running'
    expect_status 1 runa start one
    expect_match 'cannot start a container that has stopped'
    expect_status 1 runa create --bundle "$BUNDLE" one
    expect_match 'container with given ID already exists'
    expect_status 0 runa delete one
    expect_status 1 runa delete one
    expect_match 'container "?one"? does not exist'
}

@test "a created container can be deleted and killed" {
    config_args sleep 60
    apart runa create --bundle "$BUNDLE" one
    expect_status 0 runa delete one
    apart runa create --bundle "$BUNDLE" two
    expect_status 0 runa kill two KILL
    wait_until 5 container_is two stopped
    expect_status 0 runa delete two
}

@test "kill takes names, numbers and both spellings; TERM is the default" {
    local word
    config_args sh -c 'trap "exit 40" TERM; trap "exit 41" USR1; trap "exit 42" HUP; echo ready; while :; do sleep 0.05; done'
    for word in "=40" "TERM=40" "SIGTERM=40" "15=40" "USR1=41" "SIGUSR1=41" "sigusr1=41" "1=42" "hup=42"; do
        rm -f "$WORK/out"
        runa run --bundle "$BUNDLE" one >"$WORK/out" </dev/null &
        wait_until 10 grep -qs ready "$WORK/out"
        # shellcheck disable=SC2086
        runa kill one ${word%=*}
        expect_wait "${word#*=}" $!
    done
}

@test "kill --all reaches every process of the container" {
    config_edit '.linux.namespaces |= map(select(.type != "pid")) | .mounts |= map(select(.type != "proc"))
        | .linux.maskedPaths = [] | .linux.readonlyPaths = []'
    config_args sh -c 'sleep 61 & sleep 62 & exec sleep 63'
    apart runa run --detach --bundle "$BUNDLE" many
    wait_until 5 eval '[ "$(wc -l <"$(cgroup_of many)/cgroup.procs")" = 3 ]'
    expect_status 0 runa kill --all many KILL
    wait_until 5 eval '[ -z "$(cat "$(cgroup_of many)/cgroup.procs")" ]'
    expect_status 0 runa delete many
}

@test "delete removes what a dead init of the host's PID namespace has left running" {
    config_edit '.linux.namespaces |= map(select(.type != "pid")) | .mounts |= map(select(.type != "proc"))
        | .linux.maskedPaths = [] | .linux.readonlyPaths = []'
    config_args sh -c 'sleep 61 & exit 0'
    apart runa run --detach --bundle "$BUNDLE" orphan
    wait_until 5 container_is orphan stopped
    expect_status 0 runa delete orphan
}

@test "run removes the container, --keep keeps it" {
    config_args true
    expect_status 0 runa run --bundle "$BUNDLE" gone
    [ -z "$(container_ids)" ]
    config_args sh -c 'exit 5'
    expect_status 5 runa run --keep --bundle "$BUNDLE" kept
    [ "$(container_status kept)" = stopped ]
    expect_status 0 runa delete kept
}

@test "run --detach returns at once with the process running" {
    config_args sleep 60
    apart within 5 run --detach --pid-file "$WORK/pid" --bundle "$BUNDLE" back
    [ "$(container_status back)" = running ]
    [ "$(cat "$WORK/pid")" = "$(container_pid back)" ]
}

@test "a detached container that has ended is stopped until it is deleted" {
    config_args true
    apart runa run --detach --bundle "$BUNDLE" short
    wait_until 5 container_is short stopped
    [ "$(runa list -q)" = short ]
    expect_status 0 runa delete short
}

@test "--pid-file is replaced as a whole and holds the number alone" {
    config_args sleep 60
    printf 'something longer than a number' >"$WORK/pid"
    apart runa create --pid-file "$WORK/pid" --bundle "$BUNDLE" one
    [ "$(od -An -c "$WORK/pid" | tr -d ' \n')" = "$(container_pid one)" ]
    [ -z "$(find "$WORK" -maxdepth 1 -name '*pid*' ! -name pid)" ]
    cd "$WORK"
    apart runa create --pid-file relative.pid --bundle "$BUNDLE" two
    [ "$(cat relative.pid)" = "$(container_pid two)" ]
}

@test "changes to config.json after create count for nothing" {
    config_edit '.root.readonly = false'
    config_args sh -c 'echo first >/mark; exec sleep 60'
    apart runa create --bundle "$BUNDLE" one
    echo broken >"$BUNDLE/config.json"
    expect_status 0 runa start one
    wait_until 5 grep -q first "$BUNDLE/rootfs/mark"
    expect_status 0 runa delete --force one
}

@test "delete works when the bundle is gone" {
    config_args sleep 60
    apart runa run --detach --bundle "$BUNDLE" one
    rm "$BUNDLE/config.json"
    expect_status 0 runa delete --force one
}

@test "the state directory is the owner's alone, one that others may write to is refused" {
    config_args sleep 60
    apart "$RUNA" --root "$WORK/a/b/new" run --detach --bundle "$BUNDLE" one
    [ "$(stat -c %a "$WORK/a/b/new" "$WORK/a/b/new/one")" = $'700\n700' ]
    "$RUNA" --root "$WORK/a/b/new" delete --force one
    chmod 777 "$ROOT"
    refused 'mode 0777' runa run --bundle "$BUNDLE" one
    chmod 700 "$ROOT"
}

@test "two roots know nothing of each other" {
    config_args sleep 60
    apart runa run --detach --bundle "$BUNDLE" one
    expect_status 1 "$RUNA" --root "$WORK/other" state one
    mkdir "$BUNDLE/../second"
    bundle_make "$WORK/second"
    jq '.process.args = ["sleep", "60"] | .linux.cgroupsPath = "/second"' "$WORK/second/config.json" >"$WORK/second/c"
    mv "$WORK/second/c" "$WORK/second/config.json"
    apart "$RUNA" --root "$WORK/other" run --detach --bundle "$WORK/second" one
    expect_status 0 "$RUNA" --root "$WORK/other" delete --force one
    [ "$(container_status one)" = running ]
}

@test "runc-1451: delete --force of nothing succeeds, delete of nothing fails" {
    expect_status 0 runa delete --force nosuch
    expect_output ''
    refused 'container "?nosuch"? does not exist' runa delete nosuch
    config_args true
    config_edit '.hooks.createRuntime = [{path: "/bin/false"}]'
    refused 'hook createRuntime /bin/false' runa create --bundle "$BUNDLE" thatid
    [ ! -e "$ROOT/thatid" ]
    expect_status 0 runa delete --force thatid
    config_edit '.hooks = {startContainer: [{path: "/bin/false"}]}'
    apart runa create --bundle "$BUNDLE" thatid
    expect_status 1 runa start thatid
    expect_match 'hook startContainer /bin/false'
    expect_status 0 runa delete --force thatid
    [ ! -e "$ROOT/thatid" ]
    [ -z "$(find /sys/fs/cgroup -name '*thatid*')" ]
}

@test "runc-1451: delete --force ends a running container at once" {
    config_args sh -c 'trap "" TERM; while :; do sleep 1; done'
    apart runa run --detach --bundle "$BUNDLE" stubborn
    expect_status 0 within 5 delete --force stubborn
    [ ! -e "$ROOT/stubborn" ]
}

@test "a killed create leaves what delete --force removes" {
    local try
    config_args sleep 60
    config_edit '.hooks.createRuntime = [{path: "/bin/sleep", args: ["sleep", "0.4"]}]'
    for try in 1 2 3 4 5 6; do
        "$RUNA" --root "$ROOT" create --bundle "$BUNDLE" cut & # not the function: $! must be the program
        sleep "0.0$try"
        kill -9 $! 2>/dev/null || :
        wait $! || :
        expect_status 0 within 5 delete --force cut
        [ ! -e "$ROOT/cut" ]
    done
    pkill -P $$ sleep || :
}

@test "a killed foreground run leaves a container that can be deleted" {
    config_args sleep 60
    runa run --bundle "$BUNDLE" one </dev/null &
    wait_until 5 container_is one running
    kill -9 $!
    wait $! || :
    [ "$(container_status one)" = running ]
    expect_status 0 runa delete --force one
}

# The program of the container runs; before, its init may still be setting up, and a delete then fails the run.
payload_is() { # ID WORD
    grep -qs "$2" "/proc/$(container_pid "$1")/cmdline" && ! grep -qs runa "/proc/$(container_pid "$1")/cmdline"
}

@test "delete --force during a foreground run ends both, whoever cleans up" {
    local round
    config_args sleep 60
    for round in 1 2 3 4 5 6 7 8 9 10; do
        runa run --bundle "$BUNDLE" one </dev/null 2>"$WORK/err" &
        wait_until 5 container_is one running
        wait_until 5 payload_is one sleep
        expect_status 0 within 5 delete --force one
        expect_output ''
        expect_wait 137 $!
        [ ! -s "$WORK/err" ] || { cat "$WORK/err"; false; }
    done
}

bad_ids() {
    printf '%s\0' . .. '' a/b ../x ../canary 'a b' $'caf\xe9' $'\xc3\xa9' "$(head -c 1025 /dev/zero | tr '\0' a)" $'a\nb' 'a*'
}

@test "crun-2074: ids that are no plain names are refused before any file is touched" {
    local id verb
    mkdir "$WORK/canary"
    echo alive >"$WORK/canary/file"
    echo alive >"$WORK/x"
    echo alive >"$ROOT/../sibling"
    config_args true
    while IFS= read -r -d '' id; do
        for verb in "create --bundle $BUNDLE" "run --bundle $BUNDLE" state start kill "delete --force" delete; do
            # shellcheck disable=SC2086
            run within 5 $verb -- "$id"
            [ "$status" = 1 ] && [ "${#lines[@]}" = 1 ] && [[ $output == *invalid* ]] ||
                { echo "status $status of $verb '${id:0:20}': $output"; false; }
        done
    done < <(bad_ids)
    [ "$(cat "$WORK/canary/file" "$WORK/x" "$WORK/sibling")" = $'alive\nalive\nalive' ]
    [ -d "$ROOT" ]
    [ -z "$(find "$ROOT" -mindepth 1 ! -path "$ROOT/.cache*")" ]
}

@test "crun-2074: letters, digits and _ + - . are accepted" {
    config_args true
    local id
    for id in a.b_c+d-1 A 0 _x "$(head -c 250 /dev/zero | tr '\0' i)"; do
        expect_status 0 runa run --bundle "$BUNDLE" "$id"
    done
    LC_ALL=C.UTF-8 expect_status 1 runa run --bundle "$BUNDLE" "ä"
}

@test "runc-1698: start beside delete --force never hangs and leaves nothing" {
    local round start
    config_args sleep 60
    for round in $(seq "${RACE_ROUNDS:-200}"); do
        runa create --bundle "$BUNDLE" race </dev/null >/dev/null 2>&1
        timeout -s KILL 5 "$RUNA" --root "$ROOT" start race >"$WORK/start" 2>&1 &
        start=$!
        expect_status 0 within 5 delete --force race
        wait "$start" || [ $? = 1 ] || { echo "round $round: start: $(cat "$WORK/start")"; false; }
        [ ! -e "$ROOT/race" ] || { echo "round $round: state left"; false; }
    done
}

@test "runc-1698: of two starts exactly one succeeds, the other one says why" {
    local round first second a b
    config_args sleep 60
    for round in $(seq "${RACE_ROUNDS:-200}"); do
        runa create --bundle "$BUNDLE" race </dev/null >/dev/null 2>&1
        timeout -s KILL 5 "$RUNA" --root "$ROOT" start race >"$WORK/one" 2>&1 &
        first=$!
        timeout -s KILL 5 "$RUNA" --root "$ROOT" start race >"$WORK/two" 2>&1 &
        second=$!
        a=0 b=0
        wait "$first" || a=$?
        wait "$second" || b=$?
        [ $((a + b)) = 1 ] || { echo "round $round: $a $b $(cat "$WORK/one" "$WORK/two")"; false; }
        grep -q 'not in created state' "$WORK/one" "$WORK/two" || { cat "$WORK/one" "$WORK/two"; false; }
        runa delete --force race
    done
}

@test "runc-1698: start after init was killed fails and the container is stopped" {
    config_args sleep 60
    apart runa create --bundle "$BUNDLE" dead
    kill -9 "$(container_pid dead)"
    expect_status 1 within 5 start dead
    [ "${#lines[@]}" = 1 ]
    [ "$(container_status dead)" = stopped ]
    expect_status 0 runa delete dead
}

@test "runc-1698: a start that is killed half way leaves a container that another start can start or delete can remove" {
    config_args sleep 60
    apart runa create --bundle "$BUNDLE" half
    kill -STOP "$(container_pid half)"
    timeout -s KILL 0.3 "$RUNA" --root "$ROOT" start half || :
    kill -CONT "$(container_pid half)" 2>/dev/null || :
    expect_status 0 within 5 delete --force half
}
