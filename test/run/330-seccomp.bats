#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# System call filters of the config, each action against real calls.
load ../lib/run
support=$BATS_TEST_DIRNAME/../support

inside() { in_container "$1"; }

filter() { # DEFAULT ACTION, RULES AS JSON [, FURTHER MEMBERS]
    config_edit ".linux.seccomp = {defaultAction: \"$1\", architectures: [\"SCMP_ARCH_X86_64\", \"SCMP_ARCH_X86\", \"SCMP_ARCH_X32\"],
        syscalls: $2} + ${3:-{\}}"
}

@test "SCMP_ACT_ERRNO gives EPERM, or the errno asked for" {
    filter SCMP_ACT_ALLOW '[{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO"}]'
    expect_status 1 inside 'mkdir /tmp/x'
    expect_match 'Operation not permitted'
    filter SCMP_ACT_ALLOW '[{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO", errnoRet: 28}]'
    expect_status 1 inside 'mkdir /tmp/x'
    expect_match 'No space left on device'
}

@test "defaultErrnoRet is the errno of calls without a rule, and an execve denied is told" {
    # What a failing execve needs to be told; the sanitizers of a dev build want the second line.
    filter SCMP_ACT_ERRNO '[{names: ["write", "exit", "exit_group",
        "sigaltstack", "mmap", "munmap", "madvise", "futex", "getpid", "gettid"], action: "SCMP_ACT_ALLOW"}]' '{defaultErrnoRet: 38}'
    config_args true
    refused 'exec.*Function not implemented' runa run --bundle "$BUNDLE" none
}

@test "an allow-list with what a shell needs runs it and denies the rest" {
    config_edit '.linux.seccomp = {defaultAction: "SCMP_ACT_ERRNO", defaultErrnoRet: 38, syscalls: [{action: "SCMP_ACT_ALLOW", names: [
        "access", "arch_prctl", "brk", "close", "dup2", "execve", "exit", "exit_group", "fcntl", "fork", "vfork", "clone", "fstat", "newfstatat",
        "getcwd", "getegid", "geteuid", "getgid", "getpid", "getppid", "getuid", "ioctl", "lseek", "mmap", "mprotect", "munmap", "open",
        "openat", "pipe", "poll", "prlimit64", "read", "readlink", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "set_robust_list",
        "set_tid_address", "setgid", "setuid", "stat", "uname", "wait4", "write", "rseq", "getrandom", "sigaltstack", "futex"]}]}'
    expect_status 0 inside 'echo works; mkdir /tmp/x 2>&1; uname -s'
    expect_match $'^works\n.*Function not implemented\nLinux$'
}

@test "SCMP_ACT_KILL_PROCESS and its kin end the process by SIGSYS: 159" {
    local action
    for action in SCMP_ACT_KILL SCMP_ACT_KILL_THREAD SCMP_ACT_KILL_PROCESS; do
        filter SCMP_ACT_ALLOW "[{names: [\"mkdir\", \"mkdirat\"], action: \"$action\"}]"
        config_args mkdir /tmp/x
        expect_status 159 runa run --bundle "$BUNDLE" killed
    done
}

@test "SCMP_ACT_TRAP sends SIGSYS, SCMP_ACT_LOG and SCMP_ACT_ALLOW let pass" {
    filter SCMP_ACT_ALLOW '[{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_TRAP"}]'
    expect_status 0 inside 'mkdir /tmp/x; echo $?'
    expect_match '159$'
    filter SCMP_ACT_ALLOW '[{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_LOG"}]'
    config_edit '.root.readonly = false'
    expect_status 0 inside 'mkdir /tmp/x && echo made'
    expect_output made
}

@test "SCMP_ACT_TRACE without a tracer gives ENOSYS" {
    filter SCMP_ACT_ALLOW '[{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_TRACE", errnoRet: 5}]'
    expect_status 1 inside 'mkdir /tmp/x'
    expect_match 'Function not implemented'
}

@test "rules on arguments" {
    # kill(pid, 10) only; 10 is SIGUSR1
    filter SCMP_ACT_ALLOW '[{names: ["kill"], action: "SCMP_ACT_ERRNO", args: [{index: 1, value: 10, op: "SCMP_CMP_EQ"}]}]'
    expect_status 0 inside 'kill -10 1 2>&1; kill -12 1 && echo other'
    expect_match 'not permitted'
    expect_match 'other$'
    # any signal with bit 3 set: masked comparison
    filter SCMP_ACT_ALLOW '[{names: ["kill"], action: "SCMP_ACT_ERRNO", args: [{index: 1, value: 8, valueTwo: 8, op: "SCMP_CMP_MASKED_EQ"}]}]'
    expect_status 0 inside 'kill -10 1 2>&1; kill -1 1 && echo other'
    expect_match 'not permitted'
    expect_match 'other$'
    filter SCMP_ACT_ALLOW '[{names: ["kill"], action: "SCMP_ACT_ERRNO", args: [{index: 1, value: 10, op: "SCMP_CMP_GE"}]}]'
    expect_status 0 inside 'kill -12 1 2>&1; kill -10 1 2>&1; kill -1 1 && echo lower'
    [ "$(grep -c 'not permitted' <<<"$output")" = 2 ]
    expect_match 'lower$'
}

@test "several conditions on one argument are alternatives, on several arguments all must hold" {
    filter SCMP_ACT_ALLOW '[{names: ["kill"], action: "SCMP_ACT_ERRNO", args: [{index: 1, value: 10, op: "SCMP_CMP_EQ"}, {index: 1, value: 12, op: "SCMP_CMP_EQ"}]}]'
    expect_status 0 inside 'kill -10 1 2>&1; kill -12 1 2>&1; kill -1 1 && echo other'
    [ "$(grep -c 'not permitted' <<<"$output")" = 2 ]
    expect_match 'other$'
    filter SCMP_ACT_ALLOW '[{names: ["kill"], action: "SCMP_ACT_ERRNO", args: [{index: 0, value: 1, op: "SCMP_CMP_EQ"}, {index: 1, value: 12, op: "SCMP_CMP_EQ"}]}]'
    expect_status 0 inside 'kill -12 1 2>&1; kill -10 1 && echo other'
    [ "$(grep -c 'not permitted' <<<"$output")" = 1 ]
    expect_match 'other$'
}

@test "a call that this machine does not know is skipped, one with a wrong rule is refused" {
    filter SCMP_ACT_ALLOW '[{names: ["no_such_call", "mkdir"], action: "SCMP_ACT_ERRNO"}]'
    expect_status 0 inside 'echo runs'
    expect_match 'runs$'
    filter SCMP_ACT_ALLOW '[{names: ["mkdir"], action: "SCMP_ACT_ERRNO", args: [{index: 6, value: 1, op: "SCMP_CMP_EQ"}]}]'
    refused 'linux\.seccomp\.syscalls\[0\]' inside true
    filter SCMP_ACT_ALLOW '[{names: ["mkdir"], action: "SCMP_ACT_ERRNO", args: [{index: 0, value: 1, op: "SCMP_CMP_ODD"}]}]'
    refused 'linux\.seccomp\.syscalls\[0\]' inside true
    filter SCMP_ACT_ALLOW '[{names: [], action: "SCMP_ACT_ERRNO"}]'
    refused 'linux\.seccomp\.syscalls\[0\]' inside true
}

@test "the filter is in force, flags are taken, a cached filter is the same one" {
    filter SCMP_ACT_ALLOW '[{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO"}]' '{flags: ["SECCOMP_FILTER_FLAG_LOG", "SECCOMP_FILTER_FLAG_SPEC_ALLOW"]}'
    local round
    for round in 1 2; do
        expect_status 0 inside 'grep -E "^Seccomp:" /proc/self/status; mkdir /tmp/x 2>&1; true'
        expect_match $'^Seccomp:\t2\n.*not permitted'
    done
    filter SCMP_ACT_ALLOW '[]' '{flags: ["SECCOMP_FILTER_FLAG_NO_SUCH"]}'
    refused 'linux\.seccomp\.flags\[0\]' inside true
}

@test "a damaged cache does not weaken the filter" {
    filter SCMP_ACT_ALLOW '[{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO"}]'
    expect_status 1 inside 'mkdir /tmp/x'
    local file
    while read -r file; do printf '\0\0\0\0' | dd of="$file" conv=notrunc seek=40 bs=1 2>/dev/null; done < <(find "$ROOT/.cache" -type f)
    expect_status 1 inside 'mkdir /tmp/x'
    expect_match 'Operation not permitted'
    find "$ROOT/.cache" -type f -exec truncate -s 10 {} +
    expect_status 1 inside 'mkdir /tmp/x'
    expect_match 'Operation not permitted'
}

@test "a filter works without no_new_privs and for a user" {
    filter SCMP_ACT_ALLOW '[{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO"}]'
    config_edit '.process.noNewPrivileges = false | .process.user = {uid: 1500, gid: 1500}'
    expect_status 0 inside 'grep -E "^(Seccomp|NoNewPrivs):" /proc/self/status; mkdir /tmp/x 2>&1; true'
    expect_match $'^NoNewPrivs:\t0\nSeccomp:\t2\n.*not permitted'
}

agent_start() { # ERRNO
    "$support/notify_agent.py" "$WORK/agent.sock" "$WORK/agent.state" "$1" 3>&- >"$WORK/agent.out" 2>&1 &
    agent=$!
    wait_until 5 test -S "$WORK/agent.sock"
}

notify_filter() {
    filter SCMP_ACT_ALLOW '[{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_NOTIFY"}]' \
        "{listenerPath: \"$WORK/agent.sock\", listenerMetadata: \"for the agent\"}"
    config_edit '.annotations = {"org.example": "noted"}'
}

@test "SCMP_ACT_NOTIFY: the agent gets the listener and the state, its answers hold" {
    notify_filter
    agent_start 17
    config_args sh -c 'mkdir /tmp/x 2>&1; echo after'
    expect_status 0 timeout 20 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" watched </dev/null
    expect_match $'File exists\nafter$'
    wait "$agent"
    jq -e --arg bundle "$BUNDLE" '.ociVersion and .fds == ["seccompFd"] and .pid > 0 and .metadata == "for the agent" and
        .state.id == "watched" and .state.status == "creating" and .state.bundle == $bundle and .state.pid == .pid and
        .state.annotations == {"org.example": "noted"}' "$WORK/agent.state" || { cat "$WORK/agent.state"; false; }
}

@test "SCMP_ACT_NOTIFY: an agent may let a call continue" {
    notify_filter
    agent_start 0
    config_edit '.root.readonly = false'
    config_args sh -c 'mkdir /tmp/x && echo made'
    expect_status 0 timeout 20 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" watched </dev/null
    expect_output made
    wait "$agent"
}

@test "SCMP_ACT_NOTIFY works by create and start, without no_new_privs too" {
    notify_filter
    agent_start 17
    config_edit '.process.noNewPrivileges = false'
    config_args sh -c 'mkdir /tmp/x; echo after'
    timeout 20 "$RUNA" --root "$ROOT" create --bundle "$BUNDLE" watched </dev/null >"$WORK/out" 2>&1
    timeout 20 "$RUNA" --root "$ROOT" start watched
    wait_until 5 container_is watched stopped
    grep -q 'File exists' "$WORK/out"
    grep -q after "$WORK/out"
    runa delete watched
    wait "$agent"
}

@test "SCMP_ACT_NOTIFY without an agent, or without a path to it, is refused" {
    notify_filter
    refused 'agent\.sock' timeout 20 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" watched
    filter SCMP_ACT_ALLOW '[{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_NOTIFY"}]'
    refused 'listenerPath' inside true
}
