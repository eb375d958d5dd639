#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The plainest uses: a bundle as `runa spec` writes it, one process, its output and its status.
load ../lib/run

@test "spec writes a config that run accepts" {
    expect_status 0 in_container 'echo hello'
    expect_output hello
}

@test "the exit status of the process is that of run" {
    expect_status 0 in_container 'exit 0'
    expect_status 3 in_container 'exit 3'
}

@test "a process that a signal ends gives 128 and its number" {
    config_args sleep 60
    runa run --bundle "$BUNDLE" victim </dev/null &
    wait_until 10 container_is victim running
    kill -9 "$(container_pid victim)"
    expect_wait 137 $!
}

@test "standard input reaches the process" {
    config_args cat
    run runa run --bundle "$BUNDLE" cat <<<"from outside"
    [ "$status" = 0 ]
    expect_output "from outside"
}

@test "100 MB of output arrive whole" {
    config_args sh -c 'head -c 104857600 /dev/zero'
    [ "$(runa run --bundle "$BUNDLE" many | wc -c)" = 104857600 ]
}

@test "the process sees only its own processes, mounts and host name" {
    config_edit '.hostname = "inside"'
    expect_status 0 in_container 'echo $$; hostname; ls /proc | grep -c "^[0-9]"; awk "\$5 == \"/\"" /proc/self/mountinfo | wc -l'
    expect_output $'1\ninside\n3\n1'
}

@test "the root file system of the default bundle is read-only" {
    expect_status 1 in_container 'touch /file'
    expect_match 'Read-only file system'
}
