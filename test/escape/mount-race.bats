#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Mount targets and sources while somebody else renames them. The host's canary and the container's view are compared.
load ../lib/run
load ../lib/escape

# A volume in which a sibling exchanges the folder "a" and the link "b".
volume_make() { # LINK TEXT
    VOLUME=$WORK/volume
    mkdir -p "$VOLUME/a" "$BUNDLE/rootfs/vol"
    ln -s "$1" "$VOLUME/b"
    config_edit --arg s "$VOLUME" '.mounts += [{destination: "/vol", type: "bind", source: $s, options: ["rbind", "rw"]}]'
    config_args sh -c 'cat /vol/a/file /vol/a/new/file 2>/dev/null; echo ran'
}

race() { # SECONDS
    swapping "$VOLUME/a" "$VOLUME/b" "$1" round
    grep -v '^runa: ' "$WORK/rounds" | sort | uniq -c | head
    grep -q '^ran$' "$WORK/rounds" # not all of them were refused
    lacks "host's own" "$WORK/rounds"
    [ "$(tree_sum "$CANARY")" = "$CANARY_SUM" ]
}

@test "CVE-2021-30465: a tmpfs below a swapped folder of a shared volume never lands on the host" {
    volume_make "$CANARY"
    config_edit '.mounts += [{destination: "/vol/a/new/deep", type: "tmpfs", source: "tmpfs"},
        {destination: "/vol/a/sub", type: "tmpfs", source: "tmpfs"}]'
    race 8
    lacks "$CANARY" /proc/self/mountinfo
}

@test "CVE-2021-30465: nor with .. as many as it takes, nor with a bind" {
    volume_make "../../../../../../../../../../../..$CANARY"
    mkdir "$WORK/source"
    config_edit --arg s "$WORK/source" '.mounts += [{destination: "/vol/a/sub/new", type: "bind", source: $s, options: ["bind"]},
        {destination: "/vol/a/file", type: "bind", source: "/dev/null", options: ["bind"]}]'
    race 8
}

@test "CVE-2019-18837, CVE-2024-45310: mountpoints of files and folders are made inside the root" {
    volume_make "$CANARY"
    config_edit '.mounts += [{destination: "/vol/a/new-file", type: "bind", source: "/dev/null", options: ["bind"]},
        {destination: "/vol/a/new-folder/x/y", type: "tmpfs", source: "tmpfs"}] | .process.cwd = "/vol/a/made/by/cwd"'
    race 8
}

@test "CVE-2021-30465: shared propagation of the volume carries no mount back to the host" {
    local before
    volume_make "$CANARY"
    mount --bind "$VOLUME" "$VOLUME"
    mount --make-shared "$VOLUME"
    before=$(cut -d' ' -f5 /proc/self/mountinfo | sort)
    config_edit '.mounts += [{destination: "/vol/a/sub", type: "tmpfs", source: "tmpfs"}]'
    race 6
    [ "$(cut -d' ' -f5 /proc/self/mountinfo | sort)" = "$before" ]
    umount "$VOLUME"
}

@test "CVE-2025-52881: two siblings that share a volume with shared propagation get their own sysctls all the same" {
    local before
    before=$(cat /proc/sys/net/ipv4/ip_default_ttl /proc/sys/kernel/shmmax /proc/self/oom_score_adj)
    volume_make /proc
    mount --bind "$VOLUME" "$VOLUME"
    mount --make-shared "$VOLUME"
    config_edit '(.mounts[] | select(.destination == "/vol") | .options) = ["rbind", "rw", "rshared"]
        | .linux.sysctl = {"net.ipv4.ip_default_ttl": "33", "kernel.shmmax": "4096"} | .process.oomScoreAdj = 77'
    config_args cat /proc/sys/net/ipv4/ip_default_ttl /proc/sys/kernel/shmmax /proc/self/oom_score_adj
    swapping "$VOLUME/a" "$VOLUME/b" 5 round
    umount "$VOLUME"
    [ "$(grep -vc '^runa: ' "$WORK/rounds")" -gt 60 ]
    lacks '^([^347r]|3[^3]|4[^0]|7[^7])' "$WORK/rounds"
    [ "$(cat /proc/sys/net/ipv4/ip_default_ttl /proc/sys/kernel/shmmax /proc/self/oom_score_adj)" = "$before" ]
}

@test "CVE-2017-1002101: a mount source that is swapped for a link is one or the other, never half of each" {
    mkdir "$WORK/volume"
    VOLUME=$WORK/volume
    mkdir "$VOLUME/a" "$BUNDLE/rootfs/data"
    echo inside >"$VOLUME/a/file"
    ln -s "$CANARY" "$VOLUME/b"
    # What the volume's owner asks for: the link itself is not followed.
    config_edit --arg s "$VOLUME/a" '.mounts += [{destination: "/data", type: "bind", source: $s,
        options: ["bind", "ro", "src-nofollow"]}]'
    config_args sh -c 'cat /data/file; echo ran'
    race 8
    grep -q '^inside$' "$WORK/rounds"
}

@test "masked paths and read-only paths through a swapped folder never cover the host" {
    volume_make "$CANARY"
    config_edit '.linux.maskedPaths += ["/vol/a/file", "/vol/a/sub"] | .linux.readonlyPaths += ["/vol/a/sub"]'
    race 6
    lacks "$CANARY" /proc/self/mountinfo
}

@test "CVE-2026-48749: a rootfs that is a link is refused" {
    local target
    mv "$BUNDLE/rootfs" "$BUNDLE/real"
    for target in / "$CANARY" real "$BUNDLE/real" missing; do
        ln -sfn "$target" "$BUNDLE/rootfs"
        refused rootfs in_container 'cat /file; echo ran'
        config_edit '.root.path = "rootfs/"'
        refused rootfs in_container 'cat /file; echo ran'
        config_edit '.root.path = "rootfs"'
    done
}

@test "crun 1.29: a chain of 5,000 links ends in ELOOP, as destination, working directory and masked path" {
    local i
    mkdir "$BUNDLE/rootfs/links"
    for i in $(seq 5000); do echo "l$((i + 1)) l$i"; done |
        while read -r to from; do ln -s "$to" "$BUNDLE/rootfs/links/$from"; done
    config_edit '.mounts += [{destination: "/links/l1/x", type: "tmpfs", source: "tmpfs"}]'
    refused 'symbolic links' in_container 'echo ran'
    config_edit '.mounts |= .[:-1] | .process.cwd = "/links/l1"'
    refused 'symbolic links' in_container 'echo ran'
    config_edit '.process.cwd = "/" | .linux.maskedPaths += ["/links/l1/secret"]'
    refused 'symbolic links' in_container 'echo ran'
}

@test "boxlite: a read-only bind cannot be made writable with the default capabilities, nor a root" {
    config_edit --arg s "$CANARY" '.mounts += [{destination: "/home", type: "bind", source: $s, options: ["bind", "ro"]}]'
    expect_status 0 in_container 'probe remount-rw /home; probe remount-rw /; probe unmount /home; probe open w /home/file'
    expect_output $'EPERM\nEPERM\nEPERM\nEROFS'
}

@test "boxlite: what the host has mounted read-only is not handed to a user namespace that could undo it" {
    mkdir -p "$WORK/locked" "$BUNDLE/rootfs/home"
    touch "$WORK/locked/x"
    chmod 666 "$WORK/locked/x"
    mount --bind "$WORK/locked" "$WORK/locked"
    mount -o remount,ro,bind "$WORK/locked"
    user_namespace
    config_edit --arg s "$WORK/locked" '.mounts += [{destination: "/home", type: "bind", source: $s, options: ["bind"]}]'
    expect_status 0 in_container 'probe remount-rw /home; probe open w /home/x'
    expect_output $'EPERM\nEROFS'
    all_capabilities
    refused 'mounted read-only' in_container 'probe remount-rw /home; echo ran'
    config_edit --arg s "$WORK" '.mounts[-1].source = $s | .mounts[-1].options = ["rbind"]'
    refused 'mounted read-only' in_container 'probe remount-rw /home/locked; echo ran'
    umount "$WORK/locked"
    [ ! -s "$WORK/locked/x" ]
}
