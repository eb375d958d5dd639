#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a sandbox cannot do, and what of it can be seen outside.
load ../lib/run
load ../lib/launch
support=$BATS_TEST_DIRNAME/../support

setup_file() {
    images_load debian-small
    cc -static -O2 -Wall -o "$BATS_FILE_TMPDIR/probe" "$BATS_TEST_DIRNAME/../support/syscall_probe.c"
}

# --- the process -------------------------------------------------------------------------------------------------

status_of() { # FIELD [OPTION...]: of the payload, as the kernel sees it
    sandbox "${@:2}" -- grep "^$1:" /proc/self/status | cut -f2
}

@test "root of an image has the seven capabilities of package managers, other users have none" {
    # CHOWN 0, DAC_OVERRIDE 1, FOWNER 3, FSETID 4, KILL 5, SETGID 6, SETUID 7
    [ "$(status_of CapEff)" = 00000000000000fb ]
    [ "$(status_of CapBnd)" = 00000000000000fb ]
    [ "$(status_of CapInh)" = 0000000000000000 ]
    [ "$(status_of CapAmb)" = 0000000000000000 ]
    for set in CapEff CapPrm CapBnd CapInh CapAmb; do
        [ "$(status_of "$set" -u 1000)" = 0000000000000000 ]
    done
}

@test "no_new_privs and one filter of system calls are in force" {
    [ "$(status_of NoNewPrivs)" = 1 ]
    [ "$(status_of Seccomp)" = 2 ]
    [ "$(status_of Seccomp_filters)" = 1 ]
    expect_status 0 sandbox -u 1000 -- sh -c 'ls -l /bin/su | cut -c1-10; exec grep NoNewPrivs /proc/self/status'
    expect_output $'-rwsr-xr-x\nNoNewPrivs:\t1'
}

@test "system calls are answered as the profile declares" {
    sandbox -v "$BATS_FILE_TMPDIR/probe:/probe:ro" -- /probe >"$WORK/answers"
    diff - "$WORK/answers" <<'ANSWERS'
unshare-user EPERM
unshare-mount EPERM
clone-user EPERM
clone-net EPERM
clone3 ENOSYS
setns EPERM
mount EPERM
umount EPERM
open_tree EPERM
fsopen EPERM
pivot_root EPERM
chroot EPERM
open_by_handle EPERM
keyctl EPERM
add_key EPERM
request_key EPERM
ptrace EPERM
process_vm_readv EPERM
bpf EPERM
perf_event_open EPERM
userfaultfd EPERM
io_uring_setup EPERM
init_module EPERM
finit_module EPERM
kexec_load EPERM
reboot EPERM
swapon EPERM
settimeofday EPERM
sethostname EPERM
syslog EPERM
personality-exec ENOSYS
tiocsti EPERM
tiocsti-high EPERM
tioclinux EPERM
socket-unix ok
socket-tcp ok
socket-udp6 ok
socket-route ok
socket-netfilter EPROTONOSUPPORT
socket-raw EPERM
socket-packet EAFNOSUPPORT
socket-alg EAFNOSUPPORT
socket-vsock EAFNOSUPPORT
socket-mptcp EPROTONOSUPPORT
invented ENOSYS
ANSWERS
}

@test "limits of the process: no dumps, no realtime, files no more than the policy and the caller have" {
    expect_status 0 sandbox bash -c 'ulimit -Hc; ulimit -Hr'
    expect_output $'0\n0'
    (ulimit -n 256 && [ "$(sandbox bash -c 'ulimit -Hn')" = 256 ])
}

@test "descriptors and ignored signals are its own" {
    exec 7</etc/hostname 8>"$WORK/leak"
    expect_status 0 sandbox ls /proc/self/fd
    expect_output $'0\n1\n2\n3'
    exec 7<&- 8>&-
    (trap '' PIPE TERM USR1; [ "$(sandbox grep SigIgn /proc/self/status | cut -f2)" = 0000000000000000 ])
}

# --- processes, names, network -----------------------------------------------------------------------------------

@test "it sees only its own processes, host name, IPC and cgroup" {
    sleep 54321 &
    expect_status 0 sandbox bash -c 'for c in /proc/[0-9]*/cmdline; do tr "\0" " " <$c; echo; done; cat /proc/self/cgroup; hostname'
    kill $!
    [[ $output != *54321* ]]
    expect_match '0::/'
    [[ $output != *cg2ns* ]]
    for ns in cgroup ipc mnt net pid user uts; do
        [ "$(sandbox readlink "/proc/self/ns/$ns")" != "$(readlink "/proc/self/ns/$ns")" ]
    done
}

@test "there is no network but a loopback, which works" {
    expect_status 0 sandbox bash -c 'ls /sys/class/net; tail -n +2 /proc/net/route | wc -l'
    expect_output $'lo\n0'
    expect_status 1 sandbox bash -c 'exec 3<>/dev/tcp/192.0.2.1/80'
    expect_match 'Network is unreachable'
    expect_status 2 sandbox getent hosts host.test
    expect_status 0 sandbox perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1) or die;
        my $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $s->sockport) or die; print $c "ping\n"; $c->flush;
        print scalar readline $s->accept'
    expect_output ping
}

@test "neither the host's loopback nor its abstract sockets are reached" {
    python3 -c '
import socket, sys, time
a = socket.socket(); a.bind(("127.0.0.1", 0)); a.listen(5)
b = socket.socket(socket.AF_UNIX); b.bind("\0runa-test-canary"); b.listen(5)
print(a.getsockname()[1], flush=True); time.sleep(30)' >"$WORK/port" &
    listener=$!
    wait_until 10 test -s "$WORK/port"
    run sandbox bash -c "exec 3<>/dev/tcp/127.0.0.1/$(cat "$WORK/port")"
    [ "$status" = 1 ]
    expect_match 'refused'
    expect_status 0 sandbox perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un("\0runa-test-canary")) or print "$!"'
    expect_output 'Connection refused'
    kill "$listener"
}

# --- files -------------------------------------------------------------------------------------------------------

@test "what it writes reaches neither the image nor another sandbox" {
    sum() { (cd "$DATA/layers" && find . -printf '%P %y %m %U:%G %s %l %T@\n' | sort | sha256sum); }
    before=$(sum)
    launch --name writer debian-small -- sh -c 'echo attacked >/etc/passwd; rm -rf /usr/bin/perl /var; mkdir /var; echo x >/new;
        chown 5:5 /etc/group; chmod 4777 /bin/sh; mv /etc/shadow /etc/moved' </dev/null
    expect_status 0 sandbox sh -c 'head -n 1 /etc/passwd; ls /usr/bin/perl; [ ! -e /new ]; [ -d /var/lib ]; stat -c "%u %a" /etc/group /bin/dash'
    expect_output $'root:x:0:0:root:/root:/bin/bash\n/usr/bin/perl\n0 644\n0 755'
    [ "$before" = "$(sum)" ]
    sandbox_delete writer
}

@test "two sandboxes of one image at once do not see each other's files" {
    launch -d --name one debian-small -- sh -c 'echo one >/mine; echo one >/tmp/mine; echo one >/dev/shm/mine; exec sleep 60' </dev/null
    wait_until 10 test -e "/proc/$(container_pid one)/root/dev/shm/mine"
    expect_status 0 sandbox sh -c 'ls -A /mine /tmp /dev/shm 2>/dev/null; echo seen'
    [[ $output != *mine* ]]
    sandbox_delete one
}

@test "files of a sandbox are kept with the ids of the image, where only root gets" {
    launch --name owner debian-small -- sh -c 'cp /bin/true /file; chown 33:44 /file; chmod 4755 /file' </dev/null
    [ "$(find "$DATA/sandboxes/owner" -name file -printf '%U:%G %m')" = '33:44 4755' ]
    [ "$(stat -c %u:%a "$DATA/sandboxes/owner")" = 0:700 ]
    sandbox_delete owner
}

@test "/tmp and /dev/shm are private and have ends in bytes and inodes" {
    expect_status 0 sandbox sh -c 'stat -c %a /tmp /dev/shm; ls -A /tmp /dev/shm | grep -v :'
    [ "${output%%$'\n'*}" = 1777 ]
    expect_status 1 sandbox sh -c 'head -c 600M /dev/zero >/tmp/x'
    expect_match 'No space left on device'
    expect_status 1 sandbox sh -c 'head -c 65M /dev/zero >/dev/shm/x'
    expect_match 'No space left on device'
    expect_status 28 sandbox perl -e 'for (1 .. 70000) { open(F, ">", "/tmp/$_") or die "$_: $!\n" }'
    expect_match '^655[0-9][0-9]: No space left on device'
    expect_status 28 sandbox perl -e 'for (1 .. 70000) { open(F, ">", "/dev/shm/$_") or die "$_: $!\n" }'
    expect_match '^655[0-9][0-9]: No space left on device'
}

@test "device nodes: those that are there work, others cannot be made" {
    expect_status 0 sandbox sh -c 'echo x >/dev/null; head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c; : 2>/dev/full'
    expect_output $'3\n3'
    expect_status 1 sandbox mknod /tmp/mem c 1 1
    expect_match 'Operation not permitted'
    expect_status 1 sandbox mknod /disk b 8 0
    expect_match 'Operation not permitted'
    expect_status 0 sandbox sh -c 'for f in /dev/* /dev/pts/*; do if [ -b $f ] || [ -c $f ] && [ ! -L $f ]; then printf "%s " $f; fi; done'
    expect_output '/dev/full /dev/null /dev/random /dev/tty /dev/urandom /dev/zero /dev/pts/ptmx '
}

@test "what of /proc and /sys would reach the host is masked, read-only or empty" {
    expect_status 0 sandbox bash -c '
        for f in /proc/kcore /proc/keys /proc/timer_list /proc/sched_debug /proc/interrupts; do
            [ ! -e $f ] || [ "$(head -c 10 $f | wc -c)" = 0 ] || echo "$f can be read"
        done
        [ -z "$(ls -A /sys/firmware 2>/dev/null)" ] || echo "/sys/firmware is not empty"
        for f in /proc/sysrq-trigger /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sys/vm/drop_caches /sys/kernel/uevent_helper \
            /proc/sys/fs/binfmt_misc/register /sys/fs/cgroup/cgroup.procs /proc/1/oom_score_adj; do
            (echo h >$f) 2>/dev/null && [ $f != /proc/1/oom_score_adj ] && echo "$f can be written"
        done
        (echo -1000 >/proc/self/oom_score_adj) 2>/dev/null && echo "oom_score_adj can be lowered"; true'
    expect_output ''
}

@test "mounts that the sandbox has are what the plan says, nothing of the host" {
    sandbox awk '{ print $5 }' /proc/self/mountinfo >"$WORK/mounts"
    grep -qx / "$WORK/mounts"
    grep -qx /tmp "$WORK/mounts"
    sandbox cat /proc/self/mountinfo /proc/mounts >"$WORK/mounts"
    ! grep -e "$BATS_RUN_TMPDIR" -e sandboxes "$WORK/mounts" || false
}

# --- policies ----------------------------------------------------------------------------------------------------

# policy_of JQ [NAME]: no-limits.jsonc, changed; its path is $WORK/NAME.jsonc
policy_of() {
    sed '/^ *\/\//d; s/,\( *\)$/,/' "$POLICY" | python3 -c 'import re, sys; print(re.sub(r",(\s*[]}])", r"\1", sys.stdin.read()))' |
        jq "$1" >"$WORK/${2:-policy}.jsonc"
    echo "$WORK/${2:-policy}.jsonc"
}

@test "a read-only policy: root and workspace cannot be written, /tmp and /dev/shm can" {
    mkdir "$WORK/ws"
    chmod 777 "$WORK/ws"
    POLICY=$(policy_of '.filesystem.workspace = "read" | .process.capabilities = []')
    run sandbox -v "$WORK/ws:/ws" -- sh -c 'touch /ws/x; touch /x; touch /etc/passwd; rm /bin/true; touch /tmp/x /dev/shm/x && echo written
        grep CapEff /proc/self/status'
    [ "$(grep -c 'Read-only file system' <<<"$output")" = 4 ]
    expect_match written
    expect_match 'CapEff:.0000000000000000'
    [ -z "$(ls -A "$WORK/ws")" ]
}

@test "a policy without capabilities, and one that hands on more of the environment" {
    POLICY=$(policy_of '.process.capabilities = ["CAP_CHOWN"]')
    [ "$(status_of CapEff)" = 0000000000000001 ]
    POLICY=$(policy_of '.process.env = ["WANTED"]')
    [ "$(WANTED=1 OTHER=2 TERM=x sandbox env | cut -d= -f1 | sort | tr '\n' ' ')" = 'HOME PATH WANTED ' ]
}

@test "a policy that leaves something out gives the least of it, never the most" {
    echo '{"version": 1, "resources": {"memory": "unlimited", "cpus": "unlimited", "pids": "unlimited"}}' >"$WORK/least.jsonc"
    POLICY=$WORK/least.jsonc
    mkdir "$WORK/ws"
    expect_status 1 sandbox touch /x
    [ "$(status_of CapEff)" = 0000000000000000 ]
    [ "$(status_of NoNewPrivs)" = 1 ]
    [ "$(status_of Seccomp)" = 2 ]
}

@test "what a policy asks for and this version does not enforce is refused, with its place" {
    local change
    for change in '.network.mode = "filtered"' '.network.mode = "host"' '.network.allow = ["a.test:443"]' '.filesystem.hide = ["*.key"]' \
        '.filesystem.protect = ["Makefile"]' '.filesystem.workspace = "cow"' '.filesystem.read = ["/usr"]' '.resources.disk = "1GiB"' \
        '.resources.wallClock = "1h"' '.audit.sink = "file"' '.identity.agent = "x"' '.process.noNewPrivileges = false'; do
        POLICY=$(policy_of "$change")
        refused "policy\.jsonc:[0-9]+:[0-9]+: " sandbox true
    done
}

@test "a malformed policy is refused, with its place" {
    local text
    for text in '' '{' '[]' '{"version": 2}' '{"version": 1, "version": 1}' '{"version": 1, "netwrk": {}}' '{"version": 1, "network": null}' \
        '{"version": 1, "process": {"capabilities": ["CAP_SYS_ADMIN"]}}' '{"version": 1, "process": {"seccomp": "unconfined"}}' \
        '{"version": 1, "resources": {"memory": 0}}' '{"version": 1, "resources": {"memory": "-1"}}' '{"version": 1, "extends": "nosuch"}'; do
        echo "$text" >"$WORK/bad.jsonc"
        POLICY=$WORK/bad.jsonc refused 'bad\.jsonc' sandbox true
    done
    head -c 2000000 /dev/zero | tr '\0' ' ' >"$WORK/bad.jsonc"
    POLICY=$WORK/bad.jsonc refused 'bad\.jsonc' sandbox true
    POLICY=$WORK refused "$WORK" sandbox true
}

@test "limits without a controller are refused, with which and why" {
    ! grep -qw cpu /sys/fs/cgroup/cgroup.controllers || ! grep -qw memory /sys/fs/cgroup/cgroup.controllers ||
        skip 'this machine has the controllers'
    POLICY=workspace-write refused 'no controller "(cpu|memory|pids)"' sandbox true
    POLICY=read-only refused 'no controller "(cpu|memory|pids)"' sandbox true
}
