#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# /dev: nodes, terminals, and what an image plants there.
load ../lib/run
load ../lib/escape

# tty_run ID: a container with a terminal of its own; what it says, without what script adds.
tty_run() {
    script -qec "'$RUNA' --root '$ROOT' run --bundle '$BUNDLE' $1" /dev/null </dev/null | tr -d '\r\0' | sed 's/^^@//; /^$/d'
    return "${PIPESTATUS[0]}"
}

dev_from_image() { # no mount on /dev: the image's is used
    config_edit '.mounts |= map(select(.destination | startswith("/dev") | not)) | .root.readonly = false'
}

@test "CVE-2026-41579, CVE-2026-47766: an image's /dev that is a link makes and deletes nothing outside" {
    local link
    : >"$CANARY/ptmx"
    : >"$CANARY/console"
    : >"$CANARY/null"
    CANARY_SUM=$(tree_sum "$CANARY")
    dev_from_image
    for link in "$CANARY" "../../../../../../../../../..$CANARY" /proc/self/root/dev /proc/1/root/tmp; do
        rm -rf "$BUNDLE/rootfs/dev"
        ln -s "$link" "$BUNDLE/rootfs/dev"
        run in_container 'echo ran'
        [ "$(tree_sum "$CANARY")" = "$CANARY_SUM" ] || { echo "$link: $output"; ls -l "$CANARY"; return 1; }
    done
}

@test "CVE-2026-41579: nor with a /dev of its own over the link, nor with a terminal" {
    : >"$CANARY/ptmx"
    : >"$CANARY/console"
    CANARY_SUM=$(tree_sum "$CANARY")
    rm -rf "$BUNDLE/rootfs/dev"
    ln -s "$CANARY" "$BUNDLE/rootfs/dev"
    run in_container 'echo ran'
    config_edit '.process.terminal = true'
    config_args true
    run tty_run tty
    [ "$(tree_sum "$CANARY")" = "$CANARY_SUM" ]
}

@test "CVE-2025-31133: a device that the image fakes is refused, or is the true one" {
    local name kind
    for name in null zero random tty; do
        for kind in link file fifo; do
            (cd "$BUNDLE" && rm -f config.json && "$RUNA" spec)
            config_edit '.process.terminal = false'
            dev_from_image
            rm -rf "$BUNDLE/rootfs/dev"
            mkdir "$BUNDLE/rootfs/dev"
            case $kind in
            link) ln -s "$CANARY/file" "$BUNDLE/rootfs/dev/$name" ;;
            file) echo fake >"$BUNDLE/rootfs/dev/$name" ;;
            fifo) mkfifo "$BUNDLE/rootfs/dev/$name" ;;
            esac
            run in_container "[ -c /dev/$name ] && echo device"
            echo "$name $kind: $output"
            [ "$status" != 0 ] || [ "$output" = device ]
        done
    done
}

@test "CVE-2025-24965: files that the runtime makes in a root do not go through the image's links" {
    # Places where mount targets, nodes and links are made: each is a link to the canary before.
    config_edit --arg s "$CANARY/file" '.root.readonly = false | .mounts |= map(select(.destination | startswith("/dev/") | not))
        | .mounts += [{destination: "/etc/resolv.conf", type: "bind", source: $s, options: ["bind", "ro"]},
            {destination: "/etc/hosts/made/here", type: "bind", source: $s, options: ["bind", "ro"]},
            {destination: "/etc/new/deep/dir", type: "tmpfs", source: "tmpfs"}]
        | .linux.devices = [{path: "/etc/node", type: "c", major: 1, minor: 3}]'
    ln -s "$CANARY/made-1" "$BUNDLE/rootfs/etc/resolv.conf"
    ln -s "$CANARY" "$BUNDLE/rootfs/etc/hosts"
    ln -s "../../../../../../../../../../..$CANARY" "$BUNDLE/rootfs/etc/new"
    ln -s "$CANARY/made-2" "$BUNDLE/rootfs/etc/node"
    run in_container 'echo ran'
    echo "$output"
    [ "$(tree_sum "$CANARY")" = "$CANARY_SUM" ]
    rm "$BUNDLE/rootfs/etc/node"
    expect_status 0 in_container 'cat /etc/resolv.conf; stat -c %t:%T /etc/node'
    expect_output $'host\'s own\n1:3'
}

@test "CVE-2025-52565: the console is the container's own terminal, with /dev/pts and /dev/console planted" {
    local dev
    require_program script
    config_edit '.process.terminal = true'
    config_args probe terminal
    for dev in own image; do
        if [ "$dev" = image ]; then
            config_edit '.mounts |= map(select(.destination != "/dev")) | .root.readonly = false'
            ln -sf /proc/sys/kernel/core_pattern "$BUNDLE/rootfs/dev/console"
            ln -sfn /proc "$BUNDLE/rootfs/dev/pts"
        fi
        run tty_run tty
        echo "$dev: $output"
        if [ "$dev" = own ] || [ "$status" = 0 ]; then
            expect_output "same leader foreground"
        fi
    done
}

@test "CVE-2025-52565: a sibling that swaps the shared root's /dev/pts/0 and /dev/console never gets another file bound" {
    require_program script
    config_edit '.process.terminal = true | .mounts |= map(select(.destination != "/dev")) | .root.readonly = false'
    config_args probe terminal
    mkdir -p "$BUNDLE/rootfs/dev/pts"
    : >"$BUNDLE/rootfs/dev/console"
    ln -s "$CANARY/file" "$BUNDLE/rootfs/dev/other"
    terminal_round() {
        tty_run "round$ROUND"
    }
    swapping "$BUNDLE/rootfs/dev/console" "$BUNDLE/rootfs/dev/other" 6 terminal_round
    sort "$WORK/rounds" | uniq -c | sort -rn | head
    [ "$(tree_sum "$CANARY")" = "$CANARY_SUM" ]
    grep -q '^same leader foreground' "$WORK/rounds"
}

@test "CVE-2017-5226, CVE-2023-28100: nothing can be typed into the caller's terminal, which stays the caller's" {
    config_args sh -c 'probe push sti low; probe push sti high; probe push linux low; probe push linux high; probe open r /dev/tty'
    run "$PROBE" tty-run "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" tty
    echo "$output"
    [ "${lines[-1]}" = pushed:0 ]
    [ "${lines[-2]}" = ENXIO ]
    [[ $output != *ok* ]]
    # The test can fail: CAP_SYS_ADMIN over the host is the right to do it.
    config_edit '(.process.capabilities | .bounding, .effective, .permitted) += ["CAP_SYS_ADMIN"]'
    run "$PROBE" tty-run "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" tty
    [ "${lines[-1]}" != pushed:0 ] || [ "$(cat /proc/sys/dev/tty/legacy_tiocsti 2>/dev/null)" = 0 ]
}

@test "CVE-2019-10063: a rule on an ioctl holds for the 32 bits that the kernel uses" {
    require_program script
    config_edit '.process.terminal = true | .linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", syscalls: [{names: ["ioctl"],
        action: "SCMP_ACT_ERRNO", errnoRet: 95, args: [{index: 1, value: 4294967295, valueTwo: 21522, op: "SCMP_CMP_MASKED_EQ"}]}]}'
    config_args sh -c 'probe push sti low; probe push sti high'
    run tty_run tty
    echo "$output"
    [ "$status" = 0 ]
    expect_output $'EOPNOTSUPP\nEOPNOTSUPP'
}

@test "1e: devices beyond the default ones cannot be made or opened, in a root of the image either" {
    local hostdev
    dev_from_image
    mknod "$BUNDLE/rootfs/mem" c 1 1
    mknod "$BUNDLE/rootfs/kmsg" c 1 11
    hostdev=$(stat -c '%Hd %Ld' "$WORK" 2>/dev/null || echo 254 0)
    # shellcheck disable=SC2086
    mknod "$BUNDLE/rootfs/disk" b $hostdev || mknod "$BUNDLE/rootfs/disk" b 254 0
    all_capabilities
    config_edit '(.process.capabilities | .bounding, .effective, .permitted) -= ["CAP_SYS_ADMIN"]'
    expect_status 0 in_container 'for f in mem kmsg disk; do probe open r /$f; done; probe mknod 1 1 /tmp/mem; probe mknod 1 3 /tmp/null'
    expect_output $'EPERM\nEPERM\nEPERM\nEPERM\nok'
}
