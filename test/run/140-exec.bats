#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# exec: a further process in a running container, end to end.
load ../lib/run
support=$BATS_TEST_DIRNAME/../support

# box [SCRIPT]: the container "box" runs, waiting or doing SCRIPT.
box() {
    config_args sh -c "${1:-exec sleep 600}"
    runa run --detach --bundle "$BUNDLE" box </dev/null >"$WORK/box" 2>&1 || { cat "$WORK/box"; return 1; }
}

inside() { # OPTION...|COMMAND...: exec into box without standard input
    local options=()
    while [[ $1 == -* ]]; do
        options+=("$1")
        shift
    done
    runa exec "${options[@]}" box "$@" </dev/null
}

# process FILTER ARG...: a process document in $WORK/process.json
process() {
    local filter=$1
    shift
    jq -n "{args: \$ARGS.positional, cwd: \"/\", env: [\"PATH=/bin\"], user: {uid: 0, gid: 0}} | $filter" --args -- "$@" \
        >"$WORK/process.json"
}

by_document() { inside --process="$WORK/process.json" </dev/null; }

receiver_start() {
    rm -f "$WORK/console.sock"
    "$support/console_receiver.py" "$WORK/console.sock" >"$WORK/console.out" &
    receiver=$!
    wait_until 5 test -S "$WORK/console.sock"
}

received() {
    wait_until 10 eval '! kill -0 "$receiver" 2>/dev/null'
    tr -d '\r' <"$WORK/console.out"
}

# --- exit codes --------------------------------------------------------------------------------------------------

@test "runc-3073: the runtime's own failures end with 255, the command's code is its own" {
    box
    expect_status 255 inside nosuchprog
    expect_match 'nosuchprog.*not found'
    [ "${#lines[@]}" = 1 ]
    expect_status 42 inside sh -c 'exit 42'
    expect_output ''
    expect_status 137 inside sh -c 'kill -9 $$'
    expect_status 255 runa exec nobody true
    expect_match 'container "?nobody"? does not exist'
    expect_status 255 runa exec box
    expect_status 255 runa exec --nosuch box true
    expect_status 255 runa exec --user root box true
    expect_match 'numbers'
    expect_status 0 runa exec --help
    runa kill box KILL
    wait_until 5 container_is box stopped
    expect_status 255 inside true
    expect_match 'stopped'
}

@test "runc-3073: the process is leader of a session and a group of its own" {
    box
    expect_status 0 inside sh -c 'read -r pid name state parent group session rest </proc/self/stat; echo $(($$ - pid)) $((pid - group)) $((pid - session))'
    expect_output '0 0 0'
}

@test "pi-8992: death by a signal is 128 and its number" {
    box
    ulimit -c 0
    expect_status 137 inside sh -c 'kill -9 $$'
    expect_status 143 inside sh -c 'kill -15 $$'
    expect_status 139 inside sh -c 'kill -11 $$'
    expect_status 129 inside sh -c 'kill -1 $$'
}

# bats test_tags=controllers
@test "pi-8992: death by the memory limit is 137, by exec too" {
    require_controller memory
    config_edit '.linux.resources.memory = {limit: 33554432, swap: 33554432} | .process.oomScoreAdj = 0'
    box
    process '.oomScoreAdj = 1000' sh -c 'exec dd if=/dev/zero of=/dev/null bs=128M count=1'
    expect_status 137 by_document
    [ "$(container_status box)" = running ]
}

@test "crun-1664: the program is found as execvp finds it, or the reason names it" {
    local root=$BUNDLE/rootfs
    mkdir -p "$root/opt/a" "$root/opt/b" "$root/srv/app"
    printf '#!/bin/sh\necho hidden\n' >"$root/opt/b/.hidden-tool"
    printf '#!/bin/sh\necho from cwd\n' >"$root/srv/app/run.sh"
    printf '#!/bin/sh\necho from path\n' >"$root/opt/a/run.sh"
    printf 'plain\n' >"$root/opt/a/plain"
    chmod 755 "$root/opt/b/.hidden-tool" "$root/srv/app/run.sh" "$root/opt/a/run.sh"
    chmod 644 "$root/opt/a/plain"
    box
    try() { inside --env=PATH=/opt/a:/opt/b --cwd=/srv/app "$@"; }
    expect_status 0 try .hidden-tool
    expect_output hidden
    expect_status 0 try ./run.sh
    expect_output 'from cwd'
    expect_status 255 try plain
    expect_match 'plain.*permission denied'
    expect_status 255 try nosuch
    expect_match 'nosuch.*not found in \$PATH'
    expect_status 255 try /opt
    expect_match '/opt.*(permission denied|is a directory)'
    expect_status 255 try ./nosuch
    expect_match 'nosuch.*no such file'
}

# --- who it is ---------------------------------------------------------------------------------------------------

@test "crun-644: groups are those asked for, else the container's, never the caller's" {
    config_edit '.process.user = {uid: 1500, gid: 1500, additionalGids: [3000]}'
    box
    caller() { "$support/inherit.py" groups=20,27 -- "$RUNA" --root "$ROOT" exec "$@" </dev/null; }
    process '.user = {uid: 1500, gid: 1500, additionalGids: [4000, 4000]}' grep '^Groups:' /proc/self/status
    expect_status 0 caller --process "$WORK/process.json" box
    expect_output $'Groups:\t4000 '
    process '.user = {uid: 1500, gid: 1500}' grep '^Groups:' /proc/self/status
    expect_status 0 caller --process "$WORK/process.json" box
    [ "$(tr -d ' ' <<<"$output")" = $'Groups:\t' ]
    expect_status 0 caller box grep '^Groups:' /proc/self/status
    expect_output $'Groups:\t3000 '
}

@test "--user and --additional-gids take numbers and nothing else changes" {
    box
    ids() { inside "$@" grep -E '^(Uid|Gid|Groups):' /proc/self/status | tr -s ' \t' ' '; }
    expect_status 0 ids
    expect_output $'Uid: 0 0 0 0\nGid: 0 0 0 0\nGroups: '
    expect_status 0 ids --user=1500
    expect_output $'Uid: 1500 1500 1500 1500\nGid: 0 0 0 0\nGroups: '
    expect_status 0 ids --user=1500:1600 --additional-gids=7 --additional-gids=9
    expect_output $'Uid: 1500 1500 1500 1500\nGid: 1600 1600 1600 1600\nGroups: 7 9 '
    local wrong
    for wrong in '' : 1: :1 -1 4294967295 1:4294967295 4294967296 0x10 root 1:root '1 '; do
        expect_status 255 inside "--user=$wrong" true
    done
    expect_status 255 inside --additional-gids=4294967295 true
    expect_status 255 inside --additional-gids=wheel true
}

@test "runc-4688: HOME is that of the user of exec" {
    printf 'dev:x:1500:1500::/home/dev:/bin/sh\n' >>"$BUNDLE/rootfs/etc/passwd"
    box
    home() { inside "$@" env | grep -a '^HOME='; }
    expect_status 0 home
    expect_output HOME=/root
    expect_status 0 home --user=1500
    expect_output HOME=/home/dev
    expect_status 0 home --user=4321
    expect_output HOME=/
    expect_status 0 home --user=1500 --env=HOME=/custom
    expect_output HOME=/custom
}

@test "--env is laid over the container's own, --cwd wins over its directory" {
    config_edit '.process.env += ["A=container", "B=container"] | .process.cwd = "/tmp"'
    box
    expect_status 0 inside --env=A=exec --env=C= --env='D=a=b c' sh -c 'echo "$A/$B/${C-unset}/$D"; pwd'
    expect_output $'exec/container//a=b c\n/tmp'
    expect_status 0 inside --cwd=/var/tmp pwd
    expect_output /var/tmp
    expect_status 255 inside --env=NONAME true
    expect_status 255 inside --env==x true
    expect_status 255 inside --cwd=/nosuch pwd
    expect_match 'process.cwd /nosuch'
    expect_status 255 inside --cwd=relative pwd
    expect_match 'absolute'
}

@test "CVE-2024-21626: no working directory of exec leads out" {
    local n
    box
    (
        exec 8<"$WORK" 9</
        for n in 3 4 5 6 7 8 9 10 11 12 13 14; do
            expect_status 255 inside "--cwd=/proc/self/fd/$n" pwd
        done
    )
}

@test "--cap adds to the container's; --no-new-privs is set" {
    config_edit '.process.noNewPrivileges = false | .process.capabilities |= map_values(["CAP_KILL"]) | .process.capabilities.ambient = []'
    box
    status_of() { inside "${@:2}" grep -E "^($1):" /proc/self/status; }
    expect_status 0 status_of 'CapPrm|CapEff|CapBnd|NoNewPrivs'
    expect_output $'CapPrm:\t0000000000000020\nCapEff:\t0000000000000020\nCapBnd:\t0000000000000020\nNoNewPrivs:\t0'
    expect_status 0 status_of 'CapPrm|CapEff|CapBnd|NoNewPrivs' --cap=CAP_CHOWN --no-new-privs
    expect_output $'CapPrm:\t0000000000000021\nCapEff:\t0000000000000021\nCapBnd:\t0000000000000021\nNoNewPrivs:\t1'
    run --separate-stderr inside --cap=CAP_DO_ANYTHING grep CapEff /proc/self/status
    [ "$status" = 0 ]
    expect_output $'CapEff:\t0000000000000020'
    [[ $stderr == *CAP_DO_ANYTHING* ]]
}

@test "crun-1389: the file mask is the container's, not the caller's" {
    config_edit '.process.user.umask = 63'
    box
    (umask 0; [ "$(inside sh -c umask)" = 0077 ])
    runa delete --force box
    config_edit 'del(.process.user.umask)'
    box
    (umask 077; [ "$(inside sh -c umask)" = 0022 ])
}

# --- --process ---------------------------------------------------------------------------------------------------

@test "a process document is taken as it is; what it leaves out is the container's" {
    config_edit '.process.rlimits = [{type: "RLIMIT_NOFILE", soft: 100, hard: 200}] | .process.env += ["A=container"]
        | .process.capabilities |= map_values(["CAP_KILL"]) | .process.capabilities.ambient = []'
    box
    process '.env = ["PATH=/bin", "B=document"] | .user = {uid: 0, gid: 7, umask: 18}' \
        sh -c 'echo "${A-none} $B"; umask; ulimit -n; grep -E "^(Gid|CapEff|NoNewPrivs):" /proc/self/status'
    expect_status 0 by_document
    expect_output $'none document\n0022\n100\nGid:\t7\t7\t7\t7\nCapEff:\t0000000000000020\nNoNewPrivs:\t0'
    process '.rlimits = [{type: "RLIMIT_NOFILE", soft: 50, hard: 60}] | .capabilities = {} | .noNewPrivileges = true' \
        sh -c 'ulimit -n; grep -E "^(CapEff|CapBnd|NoNewPrivs):" /proc/self/status'
    expect_status 0 by_document
    expect_output $'50\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1'
}

@test "a process document that is wrong is refused with the place" {
    box
    echo '{"args": ["true"]' >"$WORK/process.json"
    expect_status 255 by_document
    expect_match 'process.json:'
    [ "${#lines[@]}" = 1 ]
    process 'del(.args)'
    expect_status 255 by_document
    expect_match 'args'
    process '.args = []'
    expect_status 255 by_document
    expect_match 'args'
    process '.cwd = "tmp"' true
    expect_status 255 by_document
    expect_match 'cwd'
    process '.env = ["A=1", null]' true
    expect_status 255 by_document
    expect_match 'env'
    process '.user.uid = -1' true
    expect_status 255 by_document
    expect_match 'uid'
    expect_status 255 runa exec --process "$WORK/nosuch" box
    expect_match 'nosuch.*No such file'
    expect_status 255 runa exec --process /dev/zero box
    expect_status 0 inside true
}

# --- what reaches it unchanged -----------------------------------------------------------------------------------

@test "daytona-4230: arguments reach the program item for item" {
    local text=$'cat >/tmp/doc <<X\nline "one" $HOME\n\'two\' \\ back\nX\ncat /tmp/doc'
    config_edit '.mounts += [{destination: "/tmp", type: "tmpfs", source: "tmpfs"}]'
    box
    set -- 'a b' '"' "'" '$x' '\' '' '-leading' $'new\nline' '--' '*' $'\xc3\xa9' ' '
    inside printf '%s\0' "$@" >"$WORK/items"
    printf '%s\0' "$@" | cmp - "$WORK/items"
    runa exec box -- printf '%s\0' "$@" </dev/null >"$WORK/items"
    printf '%s\0' "$@" | cmp - "$WORK/items"
    process . printf '%s\0' "$@"
    by_document >"$WORK/items"
    printf '%s\0' "$@" | cmp - "$WORK/items"
    expect_status 0 inside sh -c "$text"
    expect_output $'line "one" /root\n\'two\' \\ back'
}

@test "daytona-4230: an argument that is too long for the kernel is said in words" {
    box
    head -c 204800 /dev/zero | tr '\0' x >"$WORK/long"
    jq -n --rawfile long "$WORK/long" '{args: ["echo", $long], cwd: "/", env: ["PATH=/bin"], user: {uid: 0, gid: 0}}' \
        >"$WORK/process.json"
    expect_status 255 timeout 20 "$RUNA" --root "$ROOT" exec --process "$WORK/process.json" box
    expect_match 'Argument list too long'
}

@test "daytona-3770: standard input is the caller's: none, closed, or a whole file" {
    box
    expect_status 0 inside sh -c 'cat; echo end; read -r x; echo $?'
    expect_output $'end\n1'
    expect_status 0 "$support/inherit.py" close=0 -- "$RUNA" --root "$ROOT" exec box sh -c 'ls -l /proc/self/fd/0; cat; echo end'
    expect_match '/dev/null'
    expect_match 'end'
    head -c 1048576 /dev/urandom >"$WORK/mebibyte"
    runa exec box sha256sum <"$WORK/mebibyte" >"$WORK/sum"
    cut -d' ' -f1 <"$WORK/sum" | cmp - <(sha256sum <"$WORK/mebibyte" | cut -d' ' -f1)
    cat "$WORK/mebibyte" | runa exec box cat | cmp - "$WORK/mebibyte"
}

@test "standard output and error stay apart" {
    box
    runa exec box sh -c 'echo out; echo err >&2' </dev/null >"$WORK/out" 2>"$WORK/err"
    [ "$(cat "$WORK/out")" = out ]
    [ "$(cat "$WORK/err")" = err ]
}

@test "signals to a foreground exec reach the process" {
    box
    "$RUNA" --root "$ROOT" exec box sh -c 'trap "exit 40" TERM; echo ready; while :; do sleep 0.05; done' </dev/null >"$WORK/out" &
    wait_until 10 grep -qs ready "$WORK/out"
    kill -TERM $!
    expect_wait 40 $!
}

# --- terminals ---------------------------------------------------------------------------------------------------

@test "runc-1269: a document's consoleSize is set before the program starts" {
    box
    process '.terminal = true | .consoleSize = {height: 33, width: 101}' stty size
    receiver_start
    expect_status 0 runa exec --process "$WORK/process.json" --detach --console-socket "$WORK/console.sock" box
    [ "$(received)" = '33 101' ]
}

@test "runc-1269: exec --tty has the size of the caller's terminal and follows it" {
    box
    expect_status 0 "$support/pty_run.py" 40x90 "$RUNA" --root "$ROOT" exec --tty box sh -c 'stty size; tty; test -t 0 && test -t 1 && test -t 2 && echo three' </dev/null
    [ "$(tr -d '\r' <<<"$output")" = $'40 90\n/dev/pts/0\nthree' ]
    expect_status 7 "$support/pty_run.py" 40x90 "$RUNA" --root "$ROOT" exec --tty box sh -c 'exit 7' </dev/null
}

@test "each exec --tty has a terminal of its own, which goes with it" {
    box
    expect_status 0 "$support/pty_run.py" 24x80 "$RUNA" --root "$ROOT" exec -t box sh -c 'ls -1 /dev/pts; : </dev/tty && echo controlling' </dev/null
    [ "$(tr -d '\r' <<<"$output")" = $'0\nptmx\ncontrolling' ]
    expect_status 0 inside ls -1 /dev/pts
    expect_output ptmx
}

@test "--detach with a terminal that nobody takes is refused" {
    box
    expect_status 255 inside --tty --detach true
    expect_match 'console-socket'
    expect_status 255 runa exec --tty --detach --console-socket "$WORK/nosuch" box true
    expect_match 'nosuch'
    wait_until 5 eval '[ "$(runa ps --format json box)" = "[$(container_pid box)]" ]'
}

# --- detached, pid file, descriptors, cgroup ---------------------------------------------------------------------

@test "--detach leaves at once; --pid-file holds the number alone" {
    box
    echo 'something longer than a number' >"$WORK/pid"
    timeout 10 "$RUNA" --root "$ROOT" exec --detach --pid-file "$WORK/pid" box sleep 300 </dev/null >"$WORK/out" 2>&1
    [ ! -s "$WORK/out" ]
    [[ "$(cat "$WORK/pid")" =~ ^[0-9]+$ ]]
    [ "$(tr '\0' ' ' <"/proc/$(cat "$WORK/pid")/cmdline")" = 'sleep 300 ' ]
    kill "$(cat "$WORK/pid")"
    wait_until 5 eval '! test -e /proc/$(cat "$WORK/pid")'
    expect_status 255 inside --detach --pid-file="$WORK/pid2" nosuchprog
    [ ! -e "$WORK/pid2" ]
}

@test "a pid file that cannot be written: nothing runs" {
    box
    expect_status 255 inside --pid-file=/nosuch/pid sh -c 'echo ran >&2'
    [[ $output != *ran* ]]
    [ "$(runa ps --format json box)" = "[$(container_pid box)]" ]
}

@test "no descriptor of the caller comes along but those asked for" {
    box
    local fds='for fd in 0 1 2 3 4 5 6 7 8 9 10 55; do [ ! -e /proc/self/fd/$fd ] || echo -n "$fd "; done'
    # In a subshell: bats has 3 for itself.
    (
        exec 3</etc/hostname 4<"$WORK" 7</ 55</etc/passwd
        [ "$(inside sh -c "$fds")" = '0 1 2 ' ]
        [ "$(inside --preserve-fds=1 sh -c "cat <&3; $fds")" = "$(cat /etc/hostname)"$'\n0 1 2 3 ' ]
        [ "$(inside --preserve-fds=2 sh -c "$fds")" = '0 1 2 3 4 ' ]
    )
    expect_status 255 inside --preserve-fds=-1 true
    expect_status 255 inside --preserve-fds=x true
}

@test "--cgroup is a path below the container's own, nothing else" {
    local cgroup sub
    box
    cgroup=$(jq -r .cgroup "$ROOT/box/state.json")
    mkdir -p "$cgroup/sub/deep"
    [ "$(runa exec --cgroup /sub/deep box cat /proc/self/cgroup </dev/null | grep ^0::)" = 0::/sub/deep ]
    [ "$(runa exec --cgroup sub box cat /proc/self/cgroup </dev/null | grep ^0::)" = 0::/sub ]
    [ "$(runa exec box cat /proc/self/cgroup </dev/null | grep ^0::)" = 0::/ ]
    for sub in .. /.. sub/../.. /nosuch ../../init; do
        expect_status 255 inside "--cgroup=$sub" true
        expect_match 'cgroup'
    done
    rmdir "$cgroup/sub/deep" "$cgroup/sub"
}

# --- states ------------------------------------------------------------------------------------------------------

@test "a created container can be entered; a paused one only when told" {
    config_args sleep 600
    runa create --bundle "$BUNDLE" box </dev/null >/dev/null 2>&1
    expect_status 0 inside sh -c 'echo $$ >/dev/null; echo here'
    expect_output here
    [ "$(container_status box)" = created ]
    expect_status 0 runa start box
    runa pause box
    expect_status 255 inside true
    expect_match 'paused'
    runa exec --ignore-paused box echo late </dev/null >"$WORK/out" 2>&1 &
    sleep 0.3
    [ ! -s "$WORK/out" ]
    runa resume box
    expect_wait 0 $!
    [ "$(cat "$WORK/out")" = late ]
}

@test "when the container ends, its further processes end with it" {
    box
    runa exec box sleep 300 </dev/null >/dev/null 2>&1 &
    wait_until 5 eval '[ "$(runa ps --format json box | jq length)" = 2 ]'
    runa kill box KILL
    expect_wait 137 $!
}

# --- confinement -------------------------------------------------------------------------------------------------

# pair: box runs, and a sleeping further process whose pid is in $further; $first is init's.
pair() {
    box
    runa exec --detach --pid-file "$WORK/further" "$@" box sleep 300 </dev/null >/dev/null 2>&1
    first=$(container_pid box)
    further=$(cat "$WORK/further")
}

confinement() { # PID
    local link
    for link in cgroup ipc mnt net pid pid_for_children time user uts; do
        readlink "/proc/$1/ns/$link"
    done
    stat -Lc 'root %d:%i' "/proc/$1/root"
    cat "/proc/$1/cgroup"
    grep -E '^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp|NStgid|Cpus_allowed)' "/proc/$1/status" | sed '/^NStgid/d'
    cat "/proc/$1/limits" "/proc/$1/oom_score_adj" "/proc/$1/uid_map" "/proc/$1/loginuid"
    find "/proc/$1/fd" -mindepth 1 -printf '%f\n' | sort -n
}

same_confinement() {
    confinement "$first" >"$WORK/first"
    confinement "$further" >"$WORK/further-is"
    diff "$WORK/first" "$WORK/further-is"
}

@test "a further process is confined like the first: everything that the kernel shows of it" {
    config_edit '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", syscalls: [{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO"}]}
        | .process.oomScoreAdj = 100 | .process.rlimits = [{type: "RLIMIT_NOFILE", soft: 100, hard: 200}]'
    pair
    same_confinement
    grep -q $'^NoNewPrivs:\t1' "$WORK/further-is"
    grep -q $'^Seccomp:\t2' "$WORK/further-is"
    expect_status 1 inside mkdir /tmp/x
    expect_match 'Operation not permitted'
}

@test "the same without no_new_privs, with a filter" {
    config_edit '.process.noNewPrivileges = false
        | .linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", syscalls: [{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO"}]}'
    pair
    same_confinement
    grep -q $'^Seccomp:\t2' "$WORK/further-is"
    grep -q $'^NoNewPrivs:\t0' "$WORK/further-is"
}

@test "the same in a user namespace: root there is nobody of the host" {
    config_edit '.linux.namespaces += [{type: "user"}]
        | .linux.uidMappings = [{containerID: 0, hostID: 100000, size: 65536}]
        | .linux.gidMappings = [{containerID: 0, hostID: 100000, size: 65536}]'
    chown -R 100000:100000 "$BUNDLE/rootfs"
    pair
    same_confinement
    grep -q $'^Uid:\t100000\t100000' "$WORK/further-is"
    expect_status 0 inside --user=1500:1600 sh -c 'id -u; id -g; cat /proc/self/setgroups'
    expect_output $'1500\n1600\nallow'
    expect_status 255 inside --user=70000 true
    expect_status 0 "$support/pty_run.py" 40x90 "$RUNA" --root "$ROOT" exec --tty box sh -c 'stty size; stat -c %u "$(tty)"' </dev/null
    [ "$(tr -d '\r' <<<"$output")" = $'40 90\n0' ]
}

@test "the same where the container shares namespaces with the host" {
    config_edit '.linux.namespaces |= map(select(.type | IN("mount", "pid")))
        | del(.hostname) | .mounts |= map(select(.type | IN("sysfs", "mqueue", "cgroup") | not))'
    pair
    same_confinement
    [ "$(readlink "/proc/$further/ns/net")" = "$(readlink /proc/self/ns/net)" ]
}

@test "a process of the container cannot look into one that is on its way in" {
    # All capabilities of the container's own user namespace: what is not dumpable stays closed all the same.
    config_edit '.linux.namespaces += [{type: "user"}]
        | .linux.uidMappings = [{containerID: 0, hostID: 100000, size: 65536}]
        | .linux.gidMappings = [{containerID: 0, hostID: 100000, size: 65536}]
        | .process.capabilities |= map_values(["CAP_SYS_PTRACE", "CAP_SYS_ADMIN", "CAP_DAC_READ_SEARCH", "CAP_DAC_OVERRIDE"])
        | .process.capabilities.ambient = [] | .root.readonly = false'
    chown -R 100000:100000 "$BUNDLE/rootfs"
    box 'while :; do
            for dir in /proc/[0-9]*; do
                [ "$dir" = /proc/1 ] && continue
                exe=$(readlink "$dir/exe" 2>/dev/null)
                case $exe in *busybox | "") ;; *) echo "exe $exe" >>/seen ;; esac
                for fd in 3 4 5 6 7 8 9 10 11 12; do
                    to=$(readlink "$dir/fd/$fd" 2>/dev/null)
                    case $to in "" | */proc* | pipe:*) ;; *) echo "fd $to" >>/seen ;; esac
                done
            done
        done'
    local round
    for round in $(seq 40); do
        inside true
    done
    runa kill box KILL
    [ ! -e "$BUNDLE/rootfs/seen" ] || { sort "$BUNDLE/rootfs/seen" | uniq -c; return 1; }
}

# as_user CMD...: without any right of root
as_user() { setpriv --reuid 1000 --regid 1000 --clear-groups env HOME=/tmp "$@"; }

@test "exec into a rootless container, whose groups cannot be set" {
    local state=$WORK/state-1000
    mkdir "$state"
    rm "$BUNDLE/config.json"
    chown 1000:1000 "$BUNDLE" "$BUNDLE/rootfs" "$state"
    export ASAN_OPTIONS=detect_leaks=0
    (cd "$BUNDLE" && as_user "$RUNA" --root "$state" spec --rootless)
    config_edit '.process.terminal = false'
    config_args sleep 600
    as_user "$RUNA" --root "$state" run --detach --bundle "$BUNDLE" box </dev/null >"$WORK/box" 2>&1 || { cat "$WORK/box"; return 1; }
    expect_status 0 as_user "$RUNA" --root "$state" exec box sh -c 'id -u; cat /proc/self/uid_map | tr -s " "' </dev/null
    expect_output $'0\n 0 1000 1'
    expect_status 255 as_user "$RUNA" --root "$state" exec --additional-gids 5 box true </dev/null
    expect_match 'additionalGids'
    as_user "$RUNA" --root "$state" delete --force box
}

# --- endurance ---------------------------------------------------------------------------------------------------

@test "200 in a row and 16 at once leave nothing" {
    local round pids=()
    box
    for round in $(seq 200); do
        [ "$(inside echo "$round")" = "$round" ]
    done
    for round in $(seq 16); do
        inside sh -c "sleep 0.2; exit $round" &
        pids+=($!)
    done
    for round in $(seq 16); do
        expect_wait "$round" "${pids[round - 1]}"
    done
    [ "$(runa ps --format json box)" = "[$(container_pid box)]" ]
    [ "$(find "$ROOT/box" -mindepth 1 | wc -l)" -le 4 ]
    expect_status 0 inside sh -c 'ls -d /proc/[0-9]* | wc -l'
    [ "$output" -le 4 ]
}

@test "exec killed on its way leaves no process" {
    local delay
    box
    for delay in 0.000 0.002 0.004 0.006 0.008 0.010 0.015 0.020 0.030; do
        "$RUNA" --root "$ROOT" exec box sleep 0.5 </dev/null >/dev/null 2>&1 &
        sleep "$delay"
        kill -KILL $! 2>/dev/null || :
        wait $! || :
    done
    wait_until 5 eval '[ "$(runa ps --format json box)" = "[$(container_pid box)]" ]'
}
