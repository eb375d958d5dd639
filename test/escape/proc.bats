#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# /proc and /sys: the runtime's reads and writes there, and what a container sees, no image can turn elsewhere.
load ../lib/run
load ../lib/escape

@test "CVE-2019-16884, CVE-2023-27561: /proc as link, file, FIFO or through a link is refused" {
    local kind
    for kind in link relative loop file fifo; do
        rm -rf "$BUNDLE/rootfs/proc"
        case $kind in
        link) mkdir -p "$BUNDLE/rootfs/fake/self/attr" && ln -s /fake "$BUNDLE/rootfs/proc" ;;
        relative) ln -s "../../../../../../../../../..$CANARY" "$BUNDLE/rootfs/proc" ;;
        loop) ln -s proc "$BUNDLE/rootfs/proc" ;;
        file) : >"$BUNDLE/rootfs/proc" ;;
        fifo) mkfifo "$BUNDLE/rootfs/proc" ;;
        esac
        refused '/proc' in_container 'echo ran'
    done
}

@test "CVE-2019-19921, CVE-2023-28642: no mount on or below /proc but procfs and single listed files" {
    local destination type
    mkdir -p "$WORK/fake/self"
    for destination in /proc /proc/self /proc/sys /proc/1 /proc/self/attr /proc/../proc/self /./proc//sys/kernel /proc/sysrq-trigger; do
        bundle_reset
        config_edit --arg d "$destination" --arg s "$WORK/fake" \
            '.mounts += [{destination: $d, type: "bind", source: $s, options: ["bind"]}]'
        refused 'proc' in_container 'echo ran'
    done
    for type in tmpfs sysfs cgroup; do
        bundle_reset
        config_edit --arg type "$type" '.mounts += [{destination: "/proc", type: $type, source: $type}]'
        refused 'proc' in_container 'echo ran'
    done
}

bundle_reset() {
    (cd "$BUNDLE" && rm -f config.json && "$RUNA" spec)
    config_edit '.process.terminal = false'
}

@test "CVE-2019-19921: a destination that leads into /proc through a link of the image is refused" {
    ln -s /proc "$BUNDLE/rootfs/home/proc"
    ln -s ../proc/self "$BUNDLE/rootfs/home/self"
    for destination in /home/proc/sys /home/self/attr /home/proc /home/self; do
        bundle_reset
        config_edit --arg d "$destination" --arg s "$CANARY" \
            '.mounts += [{destination: $d, type: "bind", source: $s, options: ["bind"]}]'
        refused 'proc' in_container 'echo ran'
    done
}

@test "CVE-2025-31133: masks do not come from the image's /dev/null" {
    local kind
    # A config without a /dev of its own, so that the image's is there.
    for kind in link file fifo none; do
        bundle_reset
        config_edit '.mounts |= map(select(.destination | startswith("/dev") | not)) | .linux.maskedPaths += ["/etc/secret"]
            | .root.readonly = false'
        rm -rf "$BUNDLE/rootfs/dev/null"
        case $kind in
        link) ln -s /proc/sys/kernel/core_pattern "$BUNDLE/rootfs/dev/null" ;;
        file) echo "image's own" >"$BUNDLE/rootfs/dev/null" ;;
        fifo) mkfifo "$BUNDLE/rootfs/dev/null" ;;
        none) ;;
        esac
        echo secret >"$BUNDLE/rootfs/etc/secret"
        run in_container 'cat /etc/secret; echo planted >/etc/secret; for f in /proc/kcore /proc/timer_list /proc/keys; do
            if [ -e $f ]; then head -c 1 $f | wc -c; fi; done; echo end'
        # Either nothing ran or each mask reads as nothing; never anything of the file, and no write got through.
        echo "$kind: $output"
        if [ "$status" = 0 ]; then
            [[ $output == *end ]]
            [[ $output != *secret* && $output != *1* && $output != *image* ]]
        else
            [[ $output != *end* ]]
        fi
        [ "$(cat "$BUNDLE/rootfs/etc/secret")" = secret ]
        [ ! -f "$BUNDLE/rootfs/dev/null" ] || [ "$(cat "$BUNDLE/rootfs/dev/null")" != planted ]
    done
}

@test "CVE-2025-31133: the masks are the host's null device and an empty, unwritable directory" {
    mkdir -p "$BUNDLE/rootfs/etc/hidden"
    echo secret >"$BUNDLE/rootfs/etc/hidden/file"
    config_edit '.linux.maskedPaths += ["/etc/hidden"] | .root.readonly = false'
    run in_container 'stat -c %t:%T /proc/keys; ls -A /etc/hidden /sys/firmware | grep -v :; for d in /etc/hidden /sys/firmware; do
        touch $d/x || echo refused; mkdir $d/y || echo refused; done 2>/dev/null'
    [ "$status" = 0 ]
    expect_output $'1:3\n\nrefused\nrefused\nrefused\nrefused'
}

@test "CVE-2025-52881: sysctls of the config land in the container's namespaces, with a hostile /proc in the image" {
    local shmmax
    shmmax=$(cat /proc/sys/kernel/shmmax)
    config_edit '.linux.sysctl = {"kernel.shmmax": "1048576", "net.ipv4.ip_default_ttl": "33", "kernel.domainname": "inside"}'
    mkdir -p "$BUNDLE/rootfs/proc/sys/kernel" "$BUNDLE/rootfs/proc/sys/net/ipv4"
    ln -s "$CANARY/file" "$BUNDLE/rootfs/proc/sys/kernel/shmmax"
    ln -s "$CANARY/file" "$BUNDLE/rootfs/proc/sys/net/ipv4/ip_default_ttl"
    expect_status 0 in_container 'cat /proc/sys/kernel/shmmax /proc/sys/net/ipv4/ip_default_ttl /proc/sys/kernel/domainname'
    expect_output $'1048576\n33\ninside'
    [ "$(cat /proc/sys/kernel/shmmax)" = "$shmmax" ]
}

@test "CVE-2025-52881: attributes of the process land on it, with /proc covered file by file" {
    config_edit '.process.oomScoreAdj = 321'
    config_edit --arg s "$CANARY/file" '.mounts += [{destination: "/proc/uptime", type: "bind", source: $s, options: ["bind", "ro"]}]'
    expect_status 0 in_container 'cat /proc/self/oom_score_adj /proc/uptime'
    expect_output $'321\nhost\'s own'
}

@test "CVE-2022-0811: what is no setting of the container's namespaces is refused, value and name" {
    local pattern name
    pattern=$(cat /proc/sys/kernel/core_pattern)
    for name in kernel.core_pattern kernel/core_pattern net.../kernel.core_pattern net/../kernel/core_pattern \
        net.ipv4/../../kernel/core_pattern kernel.shm_rmid_forced+kernel.core_pattern 'kernel.shmmax=1+kernel.core_pattern' \
        fs.mqueue.msg_max/../../../kernel/core_pattern '' . / .. net. net/ 'net.ipv4.ip_forward
kernel.core_pattern' vm.overcommit_memory kernel.hostname; do
        config_edit --arg name "$name" '.linux.sysctl = {($name): "|/evil"}'
        refused 'sysctl' in_container 'echo ran'
    done
    for value in $'1\nkernel.core_pattern=|/evil' $'1\r2' $'\e[2J' "$(head -c 70000 /dev/zero | tr '\0' 1)"; do
        config_edit --arg value "$value" '.linux.sysctl = {"kernel.shmmax": $value}'
        refused 'sysctl' in_container 'echo ran'
    done
    [ "$(cat /proc/sys/kernel/core_pattern)" = "$pattern" ]
}

@test "CVE-2022-0811: a setting of a namespace that is the host's is refused" {
    local ttl
    ttl=$(cat /proc/sys/net/ipv4/ip_default_ttl)
    config_edit '.linux.namespaces |= map(select(.type != "network")) | .linux.sysctl = {"net.ipv4.ip_default_ttl": "33"}'
    refused 'sysctl' in_container 'echo ran'
    [ "$(cat /proc/sys/net/ipv4/ip_default_ttl)" = "$ttl" ]
}

@test "1e: masked and read-only files of /proc and /sys, read and written from inside" {
    local before
    before=$(cat /proc/sys/kernel/core_pattern /proc/sys/vm/overcommit_memory /proc/sys/net/ipv4/ip_forward)
    config_edit '.process.user = {uid: 0, gid: 0}'
    all_capabilities
    config_edit '(.process.capabilities | .bounding, .effective, .permitted) -= ["CAP_SYS_ADMIN"]'
    expect_status 0 in_container '
        for f in /proc/kcore /proc/keys /proc/timer_list /proc/sched_debug; do
            if [ -e $f ]; then echo $f $(head -c 1 $f | wc -c); fi
        done | grep -v " 0$"
        for f in /proc/sys/kernel/core_pattern /proc/sys/vm/overcommit_memory /proc/sys/net/ipv4/ip_forward /proc/sysrq-trigger \
            /proc/irq/default_smp_affinity /proc/fs/* /proc/bus/* /sys/kernel/* /sys/fs/cgroup/cgroup.procs /sys/power/state; do
            if [ -f $f ]; then echo $f $(probe open w $f); fi
        done | grep -v -e EROFS -e EACCES -e EPERM
        for f in /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/fs /sys /sys/fs/cgroup /proc/acpi /proc/scsi; do
            if [ -e $f ]; then echo $f $(probe remount-rw $f) $(probe unmount $f); fi
        done | grep -v "EPERM EPERM"
        echo end'
    expect_output end
    [ "$(cat /proc/sys/kernel/core_pattern /proc/sys/vm/overcommit_memory /proc/sys/net/ipv4/ip_forward)" = "$before" ]
}

@test "CVE-2022-0492, CVE-2023-25809: the cgroup tree is v2, read-only, the container's own" {
    expect_status 0 in_container '
        mkdir /sys/fs/cgroup/x 2>&1 | grep -o "Read-only"
        find /sys/fs/cgroup -name release_agent -o -name notify_on_release
        sed -n "s/^0:://p" /proc/self/cgroup
        ls -d /sys/fs/cgroup/runa-* 2>/dev/null
        probe mount cgroup /tmp; probe mount cgroup2 /tmp'
    expect_output $'Read-only\n/\nEPERM\nEPERM'
}

@test "CVE-2022-0492: nor can a user namespace with all capabilities mount a hierarchy of v1" {
    user_namespace
    all_capabilities
    expect_status 0 in_container 'probe mount cgroup /tmp; mkdir /sys/fs/cgroup/x 2>&1 | grep -o "Read-only"'
    [[ $output =~ ^E[A-Z]+$'\n'Read-only$ ]] || { echo "$output"; return 1; }
}

@test "CVE-2023-25809: a config without a cgroup namespace has the tree read-only in a user namespace" {
    user_namespace
    all_capabilities
    config_edit '.linux.namespaces |= map(select(.type != "cgroup")) | (.mounts[] | select(.type == "cgroup") | .options) = ["rw"]'
    expect_status 0 in_container 'mkdir /sys/fs/cgroup/x 2>&1 | grep -o -e "Read-only" -e "denied"'
}

@test "CVE-2023-27561, CVE-2025-52881: a sibling that swaps the shared root's /proc and /sys cannot take the masks away" {
    local n
    # What a winner would need: a second /proc and /sys with everything that masks look for.
    mkdir -p "$BUNDLE/rootfs/proc2/sys/kernel" "$BUNDLE/rootfs/sys2/firmware"
    : >"$BUNDLE/rootfs/proc2/keys"
    : >"$BUNDLE/rootfs/proc2/sysrq-trigger"
    config_edit '.root.readonly = false'
    config_args probe kernel-files /proc /proc2 /sys /sys2
    "$PROBE" swap "$BUNDLE/rootfs/sys" "$BUNDLE/rootfs/sys2" 11 >/dev/null 3>&- &
    local swapper=$!
    swapping "$BUNDLE/rootfs/proc" "$BUNDLE/rootfs/proc2" 10 round
    wait "$swapper"
    sort "$WORK/rounds" | uniq -c | sort -rn | head -20
    # A round may fail as a whole, or find its mounts taken away; never may it find one that is open.
    grep -q '^EROFS masked ENOENT$' "$WORK/rounds"
    sed -i '/^runa: /d; /^gone$/d; /^EROFS masked ENOENT$/d' "$WORK/rounds"
    lacks . "$WORK/rounds"
}
