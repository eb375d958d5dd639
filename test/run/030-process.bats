#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the process finds: executable, HOME, environment, standard streams, descriptors, exit codes.
load ../lib/run
support=$BATS_TEST_DIRNAME/../support

exit_of() { # SCRIPT
    in_container "$1"
}

start_of() { # ARG...: run these args; cwd and PATH as in crun-1664
    config_args "$@"
    runa run --bundle "$BUNDLE" tool </dev/null
}

@test "crun-1664: args[0] is looked for in PATH or in the working directory" {
    local root=$BUNDLE/rootfs
    mkdir -p "$root"/{opt/a/folder,opt/b,srv/app}
    printf '#!/bin/sh\necho hidden\n' >"$root/opt/b/.hidden-tool"
    printf '#!/bin/sh\necho here\n' >"$root/srv/app/run.sh"
    printf '#!/bin/sh\n' >"$root/opt/a/plain"
    chmod 755 "$root/opt/b/.hidden-tool" "$root/srv/app/run.sh"
    chmod 644 "$root/opt/a/plain"
    config_edit '.process.env = ["PATH=/opt/a:/opt/b"] | .process.cwd = "/srv/app"'
    expect_status 0 start_of .hidden-tool
    expect_output hidden
    expect_status 0 start_of ./run.sh
    expect_output here
    refused '"plain".*permission denied' start_of plain
    refused '"nosuch".*not found in \$PATH' start_of nosuch
    refused '"run\.sh".*not found in \$PATH' start_of run.sh
    refused '"folder".*permission denied' start_of folder
    refused '"/opt/a".*permission denied' start_of /opt/a
    refused '"/opt/none".*no such file' start_of /opt/none
}

@test "crun-1664: a failing args[0] fails create, not only start" {
    config_args nosuch
    refused '"nosuch".*not found in \$PATH' runa create --bundle "$BUNDLE" tool
}

@test "a file that the kernel cannot execute is told, and nothing is left" {
    printf 'no program\n' >"$BUNDLE/rootfs/bin/text"
    printf '#!/no/such/interpreter\n' >"$BUNDLE/rootfs/bin/script"
    chmod 755 "$BUNDLE/rootfs/bin/text" "$BUNDLE/rootfs/bin/script"
    refused 'text' start_of text
    refused 'script' start_of script
}

home_of() { # JQ FILTER ON .process
    config_edit ".process |= ($1)"
    config_args env
    runa run --bundle "$BUNDLE" home </dev/null | grep '^HOME='
}

@test "runc-4688: HOME is that of the user in the image's passwd, else /" {
    echo 'dev:x:1500:1500::/home/dev:/bin/sh' >>"$BUNDLE/rootfs/etc/passwd"
    [ "$(home_of '.')" = HOME=/root ]
    [ "$(home_of '.user = {uid: 1500, gid: 1500}')" = HOME=/home/dev ]
    [ "$(home_of '.user = {uid: 4321, gid: 4321}')" = HOME=/ ]
    rm "$BUNDLE/rootfs/etc/passwd"
    [ "$(home_of '.user = {uid: 0, gid: 0}')" = HOME=/ ]
    [ "$(home_of '.env += ["HOME=/custom"]')" = HOME=/custom ]
    [ "$(home_of '.user = {uid: 1500, gid: 1500}')" = HOME=/custom ]
}

@test "a passwd that is a FIFO, a link out of the image or endless does not hold up the start" {
    rm "$BUNDLE/rootfs/etc/passwd"
    mkfifo "$BUNDLE/rootfs/etc/passwd"
    [ "$(home_of '.')" = HOME=/ ]
    rm "$BUNDLE/rootfs/etc/passwd"
    ln -s /dev/zero "$BUNDLE/rootfs/etc/passwd"
    [ "$(home_of '.')" = HOME=/ ]
    echo 'root:x:0:0::/hosts:/bin/sh' >"$WORK/passwd"
    ln -sf "../../../../../../../../..$WORK/passwd" "$BUNDLE/rootfs/etc/passwd"
    [ "$(home_of '.')" = HOME=/ ]
}

@test "the environment is exactly the one of the config, in its order" {
    config_edit '.process.env = ["PATH=/bin", "B=2", "A=1 with spaces", "EMPTY=", "HOME=/x"]'
    config_args env
    SECRET=1 expect_status 0 runa run --bundle "$BUNDLE" env
    expect_output $'PATH=/bin\nB=2\nA=1 with spaces\nEMPTY=\nHOME=/x'
}

@test "arguments arrive unchanged" {
    config_args printf '<%s>' 'a b' '"q"' "it's" '$x' 'back\slash' '' '-dash' $'new\nline' 'ünï'
    expect_status 0 runa run --bundle "$BUNDLE" args
    expect_output $'<a b><"q"><it\'s><$x><back\\slash><><-dash><new\nline><ünï>'
}

@test "exit codes arrive: 0, 3, 126, 127, 255" {
    local code
    for code in 0 3 126 255; do
        expect_status "$code" exit_of "exit $code"
    done
    run -127 exit_of 'exit 127'
}

@test "a signal from the host ends the process with 128 + N, a handler decides itself" {
    config_args sh -c 'trap "exit 7" TERM; echo ready >&2; while :; do sleep 0.05; done'
    runa run --bundle "$BUNDLE" victim </dev/null 2>"$WORK/err" &
    wait_until 10 grep -qs ready "$WORK/err"
    kill -TERM "$(container_pid victim)"
    expect_wait 7 $!
    rm "$WORK/err"
    runa run --bundle "$BUNDLE" victim </dev/null 2>"$WORK/err" &
    wait_until 10 grep -qs ready "$WORK/err"
    kill -KILL "$(container_pid victim)"
    expect_wait 137 $!
}

@test "without a PID namespace of its own the process dies of its own signals: 128 + N" {
    config_edit '.linux.namespaces |= map(select(.type != "pid")) | .mounts |= map(select(.type != "proc"))
        | .mounts += [{destination: "/proc", type: "bind", source: "/proc", options: ["rbind"]}] | .linux.maskedPaths = []
        | .linux.readonlyPaths = [] | .process.rlimits += [{type: "RLIMIT_CORE", soft: 0, hard: 0}]'
    local signal
    for signal in 9 15 11 6; do
        expect_status $((128 + signal)) exit_of "kill -$signal \$\$"
    done
}

@test "runc-3073: the process leads its own session and group" {
    expect_status 0 exit_of 'awk "{ print \$5, \$6 }" /proc/self/stat; awk "{ print \$5, \$6 }" /proc/1/stat'
    expect_output $'1 1\n1 1'
}

@test "runc-3073: statuses of the command are those of run" {
    expect_status 42 exit_of 'exit 42'
    expect_status 137 exit_of 'sh -c "kill -9 \$\$"; exit $?'
}

@test "1 MiB on standard input arrives whole, then the end" {
    head -c 1048576 /dev/urandom >"$WORK/input"
    config_args sh -c 'md5sum; read x; echo $?'
    expect_status 0 runa run --bundle "$BUNDLE" piped <"$WORK/input"
    expect_output "$(md5sum <"$WORK/input")"$'\n1'
}

@test "closed standard streams of the caller are /dev/null inside" {
    config_args sh -c 'ls -l /proc/self/fd >/out; cat; echo end >>/out'
    config_edit '.root.readonly = false'
    expect_status 0 "$support/inherit.py" close=0 -- "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" closed
    grep -q '0 -> /dev/null' "$BUNDLE/rootfs/out"
    grep -q end "$BUNDLE/rootfs/out"
    expect_status 0 "$support/inherit.py" close=0 close=1 close=2 -- "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" closed
    grep -q end "$BUNDLE/rootfs/out"
}

@test "standard output and error stay apart" {
    config_args sh -c 'echo out; echo err >&2'
    run --separate-stderr runa run --bundle "$BUNDLE" apart
    expect_output out
    [ "$stderr" = err ]
}

@test "100 MB through a pipe arrive unchanged" {
    config_args sh -c 'yes 0123456789abcdef | head -c 104857600'
    [ "$(runa run --bundle "$BUNDLE" many | md5sum)" = "$(yes 0123456789abcdef | head -c 104857600 | md5sum)" ]
}

@test "descriptors of the caller do not reach the container" {
    config_args sh -c 'ls /proc/1/fd; true'
    expect_status 0 runa run --bundle "$BUNDLE" fds 3</etc/passwd 7</etc/group
    expect_output $'0\n1\n2'
}

@test "--preserve-fds hands on that many from 3 on" {
    echo three >"$WORK/three"
    echo four >"$WORK/four"
    echo five >"$WORK/five"
    config_args sh -c 'ls /proc/1/fd; cat <&3; cat <&4'
    expect_status 0 runa run --preserve-fds 2 --bundle "$BUNDLE" fds 3<"$WORK/three" 4<"$WORK/four" 5<"$WORK/five"
    expect_output $'0\n1\n2\n3\n4\nthree\nfour'
}

@test "--preserve-fds beyond what the caller has open hands on nothing of the runtime" {
    config_args ls -l /proc/self/fd
    # shellcheck disable=SC2016
    expect_status 0 bash -c 'exec 3</etc/passwd; for fd in {4..60}; do eval "exec $fd>&-"; done; exec "$@"' bash \
        "$RUNA" --root "$ROOT" run --preserve-fds 100 --bundle "$BUNDLE" fds </dev/null
    expect_match '3 -> .*etc/passwd'
    [ "$(grep -c -- '->\| 4$' <<<"$output")" = 5 ] || { echo "$output"; false; } # 4 is the directory that ls reads
    [[ $output != *' 5 -> '* ]]
}

@test "LISTEN_FDS of the caller are handed on with LISTEN_PID 1" {
    config_args sh -c 'ls /proc/1/fd; env | grep LISTEN | sort'
    expect_status 0 "$support/inherit.py" listen=2 -- "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" fds
    expect_output $'0\n1\n2\n3\n4\nLISTEN_FDNAMES=x:x\nLISTEN_FDS=2\nLISTEN_PID=1'
}

@test "LISTEN_FDS for another process are not taken" {
    config_args sh -c 'ls /proc/1/fd; env | grep LISTEN || echo none'
    LISTEN_FDS=1 LISTEN_PID=1 expect_status 0 runa run --bundle "$BUNDLE" fds 3</etc/passwd
    expect_output $'0\n1\n2\nnone'
}

@test "the working directory is made when it is missing, and is the process's" {
    config_edit '.process.cwd = "/srv/new/deep" | .root.readonly = false'
    expect_status 0 exit_of 'pwd'
    expect_output /srv/new/deep
    [ "$(stat -c %a "$BUNDLE/rootfs/srv/new")" = 755 ]
}

@test "a working directory that is a file or leads out is refused or stays inside" {
    echo x >"$BUNDLE/rootfs/file"
    config_edit '.process.cwd = "/file"'
    refused 'process\.cwd' exit_of pwd
    mkdir "$WORK/canary"
    ln -s "../../../../../../../..$WORK/canary" "$BUNDLE/rootfs/out"
    config_edit '.process.cwd = "/out/made" | .root.readonly = false'
    run exit_of pwd
    [ -z "$(ls -A "$WORK/canary")" ]
    config_edit '.process.cwd = "/proc/self/fd/7/../../.."'
    run exit_of pwd
    [ "$status" != 0 ] || expect_match '^/'
}

@test "a working directory that only the user may enter" {
    mkdir -m 700 "$BUNDLE/rootfs/private"
    chown 1500:1500 "$BUNDLE/rootfs/private"
    config_edit '.process.cwd = "/private" | .process.user = {uid: 1500, gid: 1500}'
    expect_status 0 exit_of pwd
    expect_output /private
}

@test "a user can open its pipes again by /dev/stdout, and a file of the host keeps its owner" {
    config_edit '.process.user = {uid: 1500, gid: 1500}'
    config_args sh -c 'echo again >/dev/stdout'
    expect_status 0 runa run --bundle "$BUNDLE" piped </dev/null
    expect_output again
    config_args true
    runa run --bundle "$BUNDLE" file </dev/null >"$WORK/file"
    [ "$(stat -c %u "$WORK/file" /dev/null)" = $'0\n0' ]
}
