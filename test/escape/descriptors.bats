#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Descriptors and the working directory: nothing of the host comes along.
load ../lib/run
load ../lib/escape

@test "CVE-2024-21626: the process has descriptors 0, 1 and 2, whatever the caller had open" {
    config_args probe fds
    exec 7<"$CANARY" 9</ 55<"$CANARY/file"
    run runa run --bundle "$BUNDLE" leak </dev/null
    exec 7<&- 9<&- 55<&-
    [ "$status" = 0 ]
    expect_output "0 1 2 "
}

@test "CVE-2024-21626: create and start leak none either" {
    config_args sh -c 'probe fds >/out'
    config_edit '.root.readonly = false'
    exec 7<"$CANARY" 9</
    runa create --bundle "$BUNDLE" leak </dev/null >/dev/null 2>&1
    runa start leak
    exec 7<&- 9<&-
    wait_until 10 container_is leak stopped
    [ "$(cat "$BUNDLE/rootfs/out")" = "0 1 2 " ]
}

@test "CVE-2024-21626: a working directory /proc/self/fd/N is refused, for each N" {
    local n cwd
    config_args sh -c 'cat file; pwd'
    exec 10<"$CANARY" 11<"$CANARY" 12</
    for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        for cwd in "/proc/self/fd/$n" "/proc/self/fd/$n/." "/proc/1/fd/$n" "/dev/fd/$n" "/proc/self/fd/$n/../.."; do
            config_edit --arg cwd "$cwd" '.process.cwd = $cwd'
            run runa run --bundle "$BUNDLE" cwd </dev/null
            [ "$status" != 0 ] || { echo "$cwd: $output"; return 1; }
            [[ $output != *"host's own"* ]]
        done
    done
    exec 10<&- 11<&- 12<&-
}

@test "CVE-2024-21626: nor is /proc/self/cwd, root or exe, or one behind a link of the image" {
    local cwd
    config_args sh -c 'ls; pwd'
    ln -s /proc/self/fd/10 "$BUNDLE/rootfs/home/link"
    exec 10<"$CANARY"
    for cwd in /proc/self/cwd /proc/self/root /proc/1/root /proc/self/exe /proc/thread-self/fd/10 /home/link; do
        config_edit --arg cwd "$cwd" '.process.cwd = $cwd'
        run runa run --bundle "$BUNDLE" cwd </dev/null
        [ "$status" != 0 ] || { echo "$cwd: $output"; return 1; }
    done
    exec 10<&-
}

@test "CVE-2026-55686: a working directory through links is made inside the root" {
    mkdir -p "$BUNDLE/rootfs/app"
    ln -s "$CANARY" "$BUNDLE/rootfs/app/absolute"
    ln -s "../../../../../../../../..$CANARY" "$BUNDLE/rootfs/app/relative"
    config_edit '.root.readonly = false'
    config_args pwd
    for link in absolute relative; do
        config_edit --arg cwd "/app/$link/made" '.process.cwd = $cwd'
        expect_status 0 runa run --bundle "$BUNDLE" workdir </dev/null
        expect_output "$CANARY/made"
    done
    [ -d "$BUNDLE/rootfs$CANARY/made" ]
    [ ! -e "$CANARY/made" ]
}

@test "CVE-2026-57231: an entry of env is NAME=value and never means the host's value" {
    local entry
    export SECRET=canary-of-the-host
    config_args sh -c 'env; env | grep -c canary-of-the-host'
    for entry in SECRET 'SECRET*' '*' '' '=x' '=SECRET' '$SECRET'; do
        config_edit --arg entry "$entry" '.process.env = ["PATH=/bin", $entry]'
        run runa run --bundle "$BUNDLE" env </dev/null
        [ "$status" != 0 ] || { echo "\"$entry\" was accepted: $output"; return 1; }
        [[ $output != *canary-of-the-host* ]]
    done
    config_edit '.process.env = ["PATH=/bin", "OTHER=${SECRET}"]'
    run runa run --bundle "$BUNDLE" env </dev/null
    [[ $output != *canary-of-the-host* ]]
}

@test "CVE-2025-23266: hooks inherit nothing of the image or of the process, and run the host's program" {
    config_edit '.process.env += ["LD_PRELOAD=/evil.so", "LD_AUDIT=/evil.so", "GCONV_PATH=/evil", "BASH_ENV=/evil"]
        | .root.readonly = false'
    config_edit --arg out "$WORK/hooks" '.hooks = ([["prestart", "createRuntime", "createContainer", "poststart", "poststop"][]
        | {key: ., value: [{path: "/bin/sh", args: ["sh", "-c", "env >>\($out); pwd >>\($out); echo end >>\($out)"]}]}]
        | from_entries)'
    # The image has a shell of its own, which leaves a mark on whatever can be reached from where it runs.
    mkdir -p "$BUNDLE/rootfs/real"
    cp "$BUNDLE/rootfs/bin/busybox" "$BUNDLE/rootfs/real/busybox"
    rm "$BUNDLE/rootfs/bin/sh"
    printf '#!/real/busybox sh\n/real/busybox touch %s/marker /marker\n' "$WORK" >"$BUNDLE/rootfs/bin/sh"
    chmod 755 "$BUNDLE/rootfs/bin/sh"
    config_args /real/busybox true
    LD_LIBRARY_PATH=/nowhere expect_status 0 runa run --bundle "$BUNDLE" hooks </dev/null
    cat "$WORK/hooks"
    [ "$(grep -c '^end$' "$WORK/hooks")" = 5 ]
    lacks '^(LD_|GCONV|BASH_ENV)|evil' "$WORK/hooks"
    [ ! -e "$WORK/marker" ]
    [ ! -e "$BUNDLE/rootfs/marker" ]
}
