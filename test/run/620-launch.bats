#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# launch: its options, streams, statuses, volumes, and what it leaves.
load ../lib/run
load ../lib/launch
support=$BATS_TEST_DIRNAME/../support

setup_file() {
    images_load debian-small
}

# --- status ------------------------------------------------------------------------------------------------------

@test "the status of the command is that of launch" {
    expect_status 0 sandbox true
    expect_status 3 sandbox sh -c 'exit 3'
    expect_status 255 sandbox sh -c 'exit 255'
    expect_status 143 sandbox sh -c 'sh -c "kill -TERM \$\$"; exit $?'
    expect_status 137 sandbox sh -c 'sh -c "kill -KILL \$\$"; exit $?'
    expect_status 139 sandbox sh -c 'sh -c "kill -SEGV \$\$"; exit $?'
}

@test "a command that is not found gives 127, one that cannot be executed 126, both with a line that says so" {
    expect_status 127 sandbox nosuch
    expect_match '"nosuch".*not found in \$PATH'
    expect_status 127 sandbox /no/such
    expect_match '/no/such'
    expect_status 126 sandbox /etc/passwd
    expect_match '/etc/passwd.*permission denied'
    expect_status 126 sandbox /etc
    expect_status 126 sandbox -u 1000 -- /root/x
    printf 'no program\n' >"$WORK/text"
    chmod 755 "$WORK/text"
    expect_status 126 sandbox -v "$WORK/text:/text:ro" -- /text
}

@test "a signal that ends the command gives 128 and its number" {
    local signal
    for signal in KILL TERM INT; do
        launch --rm --name victim debian-small -- perl -e '$SIG{TERM} = $SIG{INT} = sub { exit 128 + ($_[0] eq "INT" ? 2 : 15) };
            sleep 60' </dev/null &
        wait_until 10 container_is victim running
        wait_until 10 grep -q '^SigCgt:.*4002$' "/proc/$(container_pid victim)/status"
        runa kill victim "$signal"
        expect_wait $((128 + $(kill -l "$signal"))) $!
    done
}

@test "signals that launch gets reach the command" {
    launch --rm --name victim debian-small -- perl -e '$SIG{TERM} = sub { exit 9 }; sleep 60' </dev/null &
    pid=$!
    wait_until 10 container_is victim running
    wait_until 10 grep -q '^SigCgt:.*4000$' "/proc/$(container_pid victim)/status"
    kill -TERM "$(pgrep -P "$pid" -f launch || echo "$pid")"
    expect_wait 9 "$pid"
}

# --- streams -----------------------------------------------------------------------------------------------------

@test "100 MB of output arrive whole, from the command itself and through a pipe of its own" {
    [ "$(sandbox head -c 104857600 /dev/zero | wc -c)" = 104857600 ]
    [ "$(sandbox sh -c 'head -c 104857600 /dev/zero | cat' | wc -c)" = 104857600 ]
}

@test "standard input is piped through, up to its end" {
    head -c 3000000 /dev/urandom >"$WORK/in"
    launch --rm debian-small -- cat <"$WORK/in" | cmp - "$WORK/in"
    [ "$(printf 'c\na\nb\n' | launch --rm -i debian-small -- sort | tr '\n' ' ')" = 'a b c ' ]
    launch --rm debian-small -- sh -c 'cat; echo end' <&- >"$WORK/out"
    [ "$(cat "$WORK/out")" = end ]
}

@test "standard output and standard error are kept apart" {
    sandbox sh -c 'echo out; echo err >&2' >"$WORK/out" 2>"$WORK/err"
    [ "$(cat "$WORK/out")" = out ]
    [ "$(cat "$WORK/err")" = err ]
}

in_terminal() { # SIZE COMMAND...
    local size=$1
    shift
    python3 "$support/pty_run.py" "$size" "$RUNA" --root "$ROOT" launch --data-root "$DATA" --policy "$POLICY" --rm -it \
        debian-small -- "$@"
}

@test "-it gives a terminal of the caller's size, with /dev/console, and the status comes back" {
    run in_terminal 33x101 sh -c 'stty size; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && tty; [ -c /dev/console ]; exit 5' </dev/null
    [ "$status" = 5 ]
    expect_match '33 101'
    expect_match '/dev/pts/0'
}

@test "a shell in a terminal takes what is typed, and job control works" {
    run in_terminal 24x80 bash --norc <<<'echo "ty""ped"; sleep 100 & jobs; kill %1; exit 7'
    [ "$status" = 7 ]
    expect_match 'typed'
    expect_match 'Running +sleep 100'
    [[ $output != *'no job control'* ]]
}

@test "--detach goes with neither --tty nor --rm" {
    refused 'detach' launch -t -d debian-small -- true
    refused 'waits' launch -d --rm debian-small -- true
}

@test "arguments reach the command as they are" {
    expect_status 0 sandbox printf '<%s>' 'two words' '' "quote's" '"' '$x' '\' -n --rm $'line\nline'
    expect_output "<two words><><quote's><\"><\$x><\\><-n><--rm><line"$'\n'"line>"
    expect_status 0 launch --rm debian-small echo 'without dashes' -n
    expect_output 'without dashes -n'
}

# --- options -----------------------------------------------------------------------------------------------------

@test "without a command the image's own runs" {
    expect_status 4 launch --rm debian-small <<<'exit 4'
}

@test "-e sets variables, over those of the image; what is no NAME=VALUE is refused" {
    expect_status 0 sandbox -e A=1 -e 'B=two words' -e EMPTY= -e PATH=/bin -e A=2 -- env
    expect_match $'(^|\n)A=2($|\n)'
    expect_match $'(^|\n)B=two words($|\n)'
    expect_match $'(^|\n)EMPTY=($|\n)'
    expect_match $'(^|\n)PATH=/bin($|\n)'
    [ "$(grep -c '^A=' <<<"$output")" = 1 ]
    SECRET=caller refused 'SECRET' sandbox -e SECRET -- env
    refused 'NAME=VALUE' sandbox -e =x -- env
}

@test "the caller's environment stays outside, but for the variables of the policy" {
    run env -i PATH="$PATH" AWS_SECRET_ACCESS_KEY=secret1 SSH_AUTH_SOCK=/secret2 HOME=/secret3 LD_PRELOAD= TMPDIR=/secret4 LANG=C.UTF-8 \
        TERM=vt100 COLORTERM=truecolor "$RUNA" --root "$ROOT" launch --data-root "$DATA" --policy "$POLICY" --rm debian-small -- env
    [ "$status" = 0 ]
    [[ $output != *secret* ]]
    [ "$(sort <<<"$output" | cut -d= -f1 | tr '\n' ' ')" = 'COLORTERM HOME LANG PATH TERM ' ]
    expect_match 'HOME=/root'
    expect_match 'TERM=vt100'
}

@test "-w sets the working directory, and makes it when it is missing" {
    expect_status 0 sandbox -w /usr/share -- pwd
    expect_output /usr/share
    expect_status 0 sandbox -w /new/folder -- sh -c 'pwd; touch here'
    expect_output /new/folder
    refused '/etc/passwd' sandbox -w /etc/passwd -- pwd
}

@test "-u takes names and numbers, of users and groups" {
    expect_status 0 sandbox -u www-data -- id
    expect_match '^uid=33\(www-data\) gid=33\(www-data\) groups=33\(www-data\)$'
    expect_status 0 sandbox -u www-data:games -- id
    expect_match '^uid=33\(www-data\) gid=60\(games\)'
    expect_status 0 sandbox -u 4321 -- sh -c 'id -u; id -g; echo $HOME'
    expect_output $'4321\n0\n/'
    expect_status 0 sandbox -u 4321:1234 -- sh -c 'id -u; id -g'
    expect_output $'4321\n1234'
    expect_status 0 sandbox -u 65534:65534 -- id -u
    expect_output 65534
    refused 'nosuch' sandbox -u nosuch -- id
    refused 'nosuch' sandbox -u root:nosuch -- id
    refused '65536' sandbox -u 65536 -- id
    refused '4294967295|-1' sandbox -u 4294967295 -- id
    refused '' sandbox -u -- id
}

@test "--name is the host name, is seen in list, and is taken once" {
    launch -d --name first debian-small -- sleep 60
    wait_until 10 container_is first running
    expect_status 1 launch --name first debian-small -- true
    expect_match 'already exists.*first'
    container_is first running
    [ -d "$DATA/sandboxes/first" ]
    runa list | grep -q '^first .*running'
    sandbox_delete first
    expect_status 0 sandbox --name other -- hostname
    expect_output other
    for bad in .. a/b 'a b' ''; do
        expect_status 1 launch --name "$bad" debian-small -- true
    done
}

@test "a name is made up when none is given, another each time" {
    first=$(sandbox hostname)
    [[ $first =~ ^sandbox-[0-9a-f]{12}$ ]]
    [ "$first" != "$(sandbox hostname)" ]
}

@test "what is not there is told in one line, and nothing is left" {
    refused 'image nosuch: not here' launch nosuch -- true
    refused '/no/where' sandbox -v /no/where:/x -- true
    refused 'SOURCE:DESTINATION' sandbox -v /etc -- true
    refused 'absolute' sandbox -v /etc:etc -- true
    refused 'only ro or rw' sandbox -v /etc:/x:xx -- true
    refused 'policy "nosuch"' launch -p nosuch debian-small -- true
    refused '/no/policy' launch -p /no/policy debian-small -- true
    refused 'unknown option' launch --nosuch debian-small
    refused 'too few arguments' launch
}

# --- volumes -----------------------------------------------------------------------------------------------------

workspace() { # a folder of user 1000 with a file
    mkdir -p "$WORK/ws/sub"
    echo before >"$WORK/ws/file"
    chown -R 1000:1001 "$WORK/ws"
}

@test "-v: what is made in a workspace belongs to its owner, as root and as any user" {
    local user
    workspace
    for user in 0:0 1000:1000 4321:1234; do
        expect_status 0 sandbox -u "$user" -v "$WORK/ws:/ws" -- sh -ec 'cd /ws; stat -c %u:%g . file; echo new >"new$(id -u)"
            mkdir -p d; ln -sf file link; mkfifo "fifo$(id -u)"; echo more >>file; mv "new$(id -u)" d'
        expect_output "$user"$'\n'"$user"
    done
    [ "$(find "$WORK/ws" -printf '%U:%G\n' | sort -u)" = 1000:1001 ]
    [ "$(cat "$WORK/ws/file")" = $'before\nmore\nmore\nmore' ]
    [ "$(cat "$WORK/ws/d/new4321")" = new ]
}

@test "-v: files of others in a workspace stay others'" {
    workspace
    echo private >"$WORK/ws/roots"
    chmod 600 "$WORK/ws/roots"
    chown 0:0 "$WORK/ws/roots"
    expect_status 1 sandbox -v "$WORK/ws:/ws" -- cat /ws/roots
    expect_match 'Permission denied'
    expect_status 1 sandbox -v "$WORK/ws:/ws" -- sh -c 'chown 5:5 /ws/file || chmod 777 /ws/roots'
    [ "$(stat -c '%U:%a' "$WORK/ws/roots")" = root:600 ]
}

@test "-v: of a directory of root's, too" {
    mkdir "$WORK/roots"
    expect_status 0 sandbox -v "$WORK/roots:/ws" -- sh -c 'echo x >/ws/x; stat -c %u:%g /ws/x'
    [ "${lines[0]}" = 0:0 ]
    expect_match "warning: -v .*: belongs to root: files made there inside are root's on the host"
    [ "$(stat -c %u:%g "$WORK/roots/x")" = 0:0 ]
}

@test "-v with :ro cannot be written, nor what is mounted below" {
    workspace
    mkdir "$WORK/ws/below"
    mount -t tmpfs below "$WORK/ws/below"
    run sandbox -v "$WORK/ws:/ws:ro" -- sh -c 'cat /ws/file; echo x >/ws/file; touch /ws/new /ws/below/new; rm /ws/file'
    umount "$WORK/ws/below"
    [ "$(grep -c 'Read-only file system' <<<"$output")" = 4 ]
    expect_match '^before'
    [ "$(cat "$WORK/ws/file")" = before ]
}

@test "-v takes a file, several volumes, and one below another" {
    workspace
    echo 'single file' >"$WORK/single"
    mkdir "$WORK/other"
    chown 1000:1000 "$WORK/other"
    expect_status 0 sandbox -v "$WORK/ws:/ws" -v "$WORK/other:/ws/sub" -v "$WORK/single:/etc/single:ro" -- \
        sh -c 'cat /etc/single; echo x >/ws/sub/x; echo y >/ws/y'
    expect_output 'single file'
    [ -e "$WORK/other/x" ]
    [ ! -e "$WORK/ws/sub/x" ]
    [ -e "$WORK/ws/y" ]
}

@test "-v: a relative source is below the caller's directory" {
    workspace
    cd "$WORK"
    expect_status 0 sandbox -v ws:/ws -- cat /ws/file
    expect_output before
    cd "$WORK/ws"
    expect_status 0 sandbox -v .:/ws -- cat /ws/file
    expect_output before
}

@test "-v: set-id bits and device nodes of a workspace mean nothing inside" {
    workspace
    cp /bin/busybox "$WORK/ws/id"
    chown 0:0 "$WORK/ws/id"
    chmod 4755 "$WORK/ws/id"
    mknod "$WORK/ws/null" c 1 3
    chmod 666 "$WORK/ws/null"
    expect_status 0 sandbox -u 1000 -v "$WORK/ws:/ws" -- sh -c '/ws/id -u; (: >/ws/null) || echo denied'
    expect_match '1000'
    expect_match 'denied'
}

@test "-v: a socket is refused, sockets in a directory are the operator's choice" {
    python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$WORK/socket"
    refused 'is a socket' sandbox -v "$WORK/socket:/socket" -- true
}

@test "-v: a destination behind a link of the image stays in the sandbox" {
    workspace
    printf '%s\n' "link out $WORK" 'link up ../../../../../../..' | layer_make "$WORK/links.tar"
    busybox_image links '{}' "$WORK/links.tar"
    IMAGE=links sandbox -v "$WORK/ws:/out/attacked" -v "$WORK/ws:/up/attacked" -- /bin/true
    [ ! -e "$WORK/attacked" ]
    [ ! -e /attacked ]
    image rm links
}

# --- what is left ------------------------------------------------------------------------------------------------

@test "--rm leaves nothing, also when the command cannot be started or is killed" {
    sandbox sh -c 'echo x >/file'
    expect_status 127 sandbox nosuch
    launch --rm --name killed debian-small -- sleep 60 </dev/null &
    wait_until 10 container_is killed running
    runa kill killed KILL
    expect_wait 137 $!
    [ -z "$(ls -A "$DATA/sandboxes" "$DATA/holds" | grep -v :)" ]
}

@test "without --rm the sandbox stays, stopped, until delete removes all of it" {
    launch --name kept debian-small -- sh -c 'echo made >/made' </dev/null
    container_is kept stopped
    [ "$(find "$DATA/sandboxes/kept" -name made -exec cat {} +)" = made ]
    runa delete --data-root "$DATA" kept
    [ "$(container_status kept)" = none ]
    [ -z "$(ls -A "$DATA/sandboxes" "$DATA/holds" | grep -v :)" ]
}

@test "a detached sandbox runs on, and delete -f ends and removes it" {
    launch -d --name bg debian-small -- sh -c 'echo here >/here; exec sleep 100' </dev/null >"$WORK/out"
    [ "$(cat "$WORK/out")" = bg ]
    wait_until 10 container_is bg running
    expect_status 1 runa delete --data-root "$DATA" bg
    container_is bg running
    runa delete -f --data-root "$DATA" bg
    [ -z "$(ls -A "$DATA/sandboxes" "$DATA/holds" | grep -v :)" ]
}

@test "--dry-run prints the plan, without values of variables, and does nothing" {
    workspace
    expect_status 0 launch --dry-run -e TOKEN=hidden -v "$WORK/ws:/ws:ro" debian-small -- touch /ws/x
    expect_match 'user: new'
    expect_match 'no_new_privs yes'
    expect_match 'arg "touch"'
    expect_match 'env "TOKEN"'
    expect_match '"/ws"'
    expect_match 'seccomp unshare'
    [[ $output != *hidden* ]]
    [ ! -e "$WORK/ws/x" ]
    [ -z "$(container_ids)" ]
}

@test "two sandboxes have ids of their own, and the third takes those that are free again" {
    launch -d --name one debian-small -- sleep 60
    launch -d --name two debian-small -- sleep 60
    first=$(awk '{ print $2 }' "/proc/$(container_pid one)/uid_map")
    second=$(awk '{ print $2 }' "/proc/$(container_pid two)/uid_map")
    [ "$first" -ge 65536 ]
    [ "$second" -ge 65536 ]
    [ $((first > second ? first - second : second - first)) -ge 65536 ]
    [ "$(awk '{ print $1, $3 }' "/proc/$(container_pid one)/uid_map" "/proc/$(container_pid one)/gid_map" | sort -u)" = '0 65536' ]
    [ "$(stat -c %u "/proc/$(container_pid one)")" = "$first" ]
    sandbox_delete one
    [ "$(sandbox awk '{ print $2 }' /proc/self/uid_map)" = "$first" ]
    sandbox_delete two
}

@test "launches at once get ids of their own, each" {
    local n pids=()
    for n in 1 2 3 4 5 6; do
        sandbox sh -c 'cat /proc/self/uid_map; sleep 0.5' >"$WORK/map.$n" &
        pids+=($!)
    done
    for n in "${pids[@]}"; do expect_wait 0 "$n"; done
    [ "$(cat "$WORK"/map.* | sort -u | wc -l)" = 6 ]
}

@test "a launch that is killed leaves a sandbox that delete -f removes as a whole" {
    launch --rm --name orphan debian-small -- sleep 60 </dev/null &
    wait_until 10 container_is orphan running
    kill -KILL "$(pgrep -f -- '--name orphan')"
    wait $! || :
    container_is orphan running
    sandbox_delete orphan
    [ -z "$(ls -A "$DATA/sandboxes" "$DATA/holds" | grep -v :)" ]
}
