#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Mounts of each kind and option, and where they land.
load ../lib/run

mount_add() { # JSON OBJECT WITHOUT QUOTED VARIABLES; $work is the test's folder
    config_edit --arg work "$WORK" ".mounts += [$1]"
}

inside() { # SCRIPT
    in_container "$1"
}

flags_of() { # OPTIONS AS JSON: the flags that a bind with them has inside
    mkdir -p "$WORK/source"
    config_edit --arg work "$WORK" ".mounts |= map(select(.destination != \"/mnt\")) + [{destination: \"/mnt\", type: \"bind\",
        source: (\$work + \"/source\"), options: $1}]"
    in_container 'awk "\$5 == \"/mnt\" { print \$6 }" /proc/self/mountinfo'
}

@test "runc-5090: destinations that are links are followed inside the root only" {
    local root=$BUNDLE/rootfs
    mkdir -p "$root/usr/share/zoneinfo" "$root/real"
    ln -s /usr/share/zoneinfo/Nowhere/City "$root/etc/localtime"
    ln -s /real/conf "$root/conf"
    echo "host zone" >"$WORK/zone"
    mount_add '{destination: "/etc/localtime", type: "bind", source: ($work + "/zone"), options: ["bind", "ro"]}'
    mount_add '{destination: "/conf/stack", type: "tmpfs", source: "tmpfs"}'
    expect_status 0 inside 'cat /etc/localtime; awk "\$5 == \"/real/conf/stack\" { print \$(NF - 2) }" /proc/self/mountinfo; readlink /conf; readlink /etc/localtime'
    expect_output $'host zone\ntmpfs\n/real/conf\n/usr/share/zoneinfo/Nowhere/City'
    [ ! -e /usr/share/zoneinfo/Nowhere ]
    [ ! -e /real ]
}

@test "runc-5090: absolute, climbing and looping links never leave the root" {
    local root=$BUNDLE/rootfs
    mkdir "$WORK/canary"
    echo alive >"$WORK/canary/file"
    ln -s "$WORK/canary" "$root/absolute"
    ln -s "../../../../../../../../../..$WORK/canary" "$root/climbing"
    ln -s loop "$root/loop"
    echo new >"$WORK/new"
    mount_add '{destination: "/absolute/file", type: "bind", source: ($work + "/new"), options: ["bind"]}'
    mount_add '{destination: "/climbing/dir", type: "tmpfs", source: "tmpfs"}'
    expect_status 0 inside "cat /absolute/file $WORK/canary/file; test -d $WORK/canary/dir && echo inside"
    expect_output $'new\nnew\ninside'
    [ "$(find "$WORK/canary" | sort)" = "$WORK/canary"$'\n'"$WORK/canary/file" ]
    [ "$(cat "$WORK/canary/file")" = alive ]
    mount_add '{destination: "/loop/x", type: "tmpfs", source: "tmpfs"}'
    refused 'mount on /loop/x: .*symbolic links' inside true
}

@test "flags of a bind are the ones asked for" {
    local pair option word
    for pair in ro:ro nosuid:nosuid nodev:nodev noexec:noexec noatime:noatime nodiratime:nodiratime nosymfollow:nosymfollow relatime:relatime; do
        option=${pair%:*} word=${pair#*:}
        expect_status 0 flags_of "[\"bind\", \"$option\"]"
        [[ ,$output, == *,$word,* ]] || { echo "$option gives $output"; false; }
    done
    expect_status 0 flags_of '["bind", "ro", "nosuid", "nodev", "noexec"]'
    [[ $output == ro,nosuid,nodev,noexec* ]]
    expect_status 0 flags_of '["bind", "ro", "rw"]'
    [[ $output == rw* ]]
    expect_status 0 flags_of '["bind", "strictatime"]'
    [[ $output != *relatime* ]]
}

@test "rro and its kin reach the mounts below, ro does not" {
    mkdir -p "$WORK/tree/sub"
    mount -t tmpfs tmpfs "$WORK/tree/sub"
    local option want
    for option in ro:rw rro:ro rnosuid:nosuid rnodev:nodev rnoexec:noexec rnoatime:noatime rnosymfollow:nosymfollow; do
        want=${option#*:} option=${option%:*}
        config_edit --arg work "$WORK" --arg option "$option" '.mounts |= map(select(.destination != "/mnt")) +
            [{destination: "/mnt", type: "bind", source: ($work + "/tree"), options: ["rbind", $option]}]'
        expect_status 0 inside 'awk "\$5 == \"/mnt/sub\" { print \$6 }" /proc/self/mountinfo'
        [[ ,$output, == *,$want,* ]] || { echo "$option gives $output"; false; }
    done
    [[ "$(awk -v p="$WORK/tree/sub" '$5 == p { print $6 }' /proc/self/mountinfo)" == rw,relatime ]]
    umount "$WORK/tree/sub"
}

@test "bind takes one mount, rbind all below" {
    mkdir -p "$WORK/tree/sub"
    mount -t tmpfs tmpfs "$WORK/tree/sub"
    echo deep >"$WORK/tree/sub/file"
    mount_add '{destination: "/one", source: ($work + "/tree"), options: ["bind"]}'
    mount_add '{destination: "/all", source: ($work + "/tree"), options: ["rbind"]}'
    expect_status 0 inside 'ls /one/sub; cat /all/sub/file'
    expect_output deep
    umount "$WORK/tree/sub"
}

@test "propagation of a mount: private, slave, shared, unbindable" {
    mkdir -p "$WORK/tree"
    mount -t tmpfs tmpfs "$WORK/tree"
    mount --make-shared "$WORK/tree"
    local pair
    for pair in 'private:^-' 'slave:^master:' 'shared:^shared:' 'unbindable:^unbindable' 'rprivate:^-' 'rslave:^master:' 'rshared:^shared:'; do
        config_edit --arg work "$WORK" --arg option "${pair%%:*}" '.mounts |= map(select(.destination != "/mnt")) +
            [{destination: "/mnt", type: "bind", source: ($work + "/tree"), options: ["rbind", $option]}]'
        expect_status 0 inside 'awk "\$5 == \"/mnt\" { print \$7 }" /proc/self/mountinfo'
        expect_match "${pair#*:}"
    done
    umount "$WORK/tree"
}

@test "a slave bind gets the host's later mounts, a private one does not" {
    mkdir -p "$WORK/tree/a"
    mount -t tmpfs tmpfs "$WORK/tree"
    mount --make-shared "$WORK/tree"
    mkdir "$WORK/tree/a"
    mount_add '{destination: "/slave", type: "bind", source: ($work + "/tree"), options: ["rbind", "rslave"]}'
    mount_add '{destination: "/private", type: "bind", source: ($work + "/tree"), options: ["rbind", "rprivate"]}'
    config_args sh -c 'echo ready; until test -e /slave/a/file; do sleep 0.05; done; ls /slave/a /private/a'
    runa run --bundle "$BUNDLE" late >"$WORK/out" </dev/null &
    wait_until 5 grep -qs ready "$WORK/out"
    mount -t tmpfs tmpfs "$WORK/tree/a"
    : >"$WORK/tree/a/file"
    expect_wait 0 $!
    [ "$(cat "$WORK/out")" = $'ready\n/private/a:\n\n/slave/a:\nfile' ] || { cat "$WORK/out"; false; }
    umount "$WORK/tree/a" "$WORK/tree"
}

@test "rootfsPropagation applies to the root, by default nothing comes in" {
    local pair
    expect_status 0 inside 'awk "\$5 == \"/\" { print \$7 }" /proc/self/mountinfo'
    expect_output -
    for pair in 'private:^-' 'unbindable:^unbindable' 'shared:^shared:'; do
        config_edit --arg kind "${pair%%:*}" '.linux.rootfsPropagation = $kind'
        expect_status 0 inside 'awk "\$5 == \"/\" { print \$7 }" /proc/self/mountinfo'
        expect_match "${pair#*:}"
    done
}

@test "nothing that the container mounts reaches the host" {
    config_edit '.process.capabilities = {bounding: ["CAP_SYS_ADMIN"], effective: ["CAP_SYS_ADMIN"], permitted: ["CAP_SYS_ADMIN"]}'
    mkdir "$WORK/tree"
    mount_add '{destination: "/tree", type: "bind", source: ($work + "/tree"), options: ["rbind"]}'
    expect_status 0 inside 'mount -t tmpfs tmpfs /tree && mount -t tmpfs tmpfs /mnt 2>/dev/null || mount -t tmpfs tmpfs /tmp && grep -c " /tree " /proc/self/mountinfo'
    [ -z "$(grep " $WORK/tree " /proc/self/mountinfo)" ]
}

@test "tmpfs takes size, mode, uid, gid and inodes" {
    mount_add '{destination: "/tmp", type: "tmpfs", source: "tmpfs", options: ["size=1m", "mode=1757", "uid=1500", "gid=1600", "nr_inodes=10"]}'
    expect_status 0 inside 'stat -c "%a %u %g" /tmp; df -k /tmp | tail -1 | awk "{ print \$2 }"; head -c 2000000 /dev/zero >/tmp/x || stat -c %s /tmp/x; (for i in 1 2 3 4 5 6 7 8 9 10 11; do : >/tmp/$i; done); true'
    expect_match $'^1757 1500 1600\n1024\n.*\n1048576\n.*No space left'
}

@test "tmpfs keeps the mode of the directory that it covers" {
    chmod 1777 "$BUNDLE/rootfs/tmp"
    chmod 700 "$BUNDLE/rootfs/home"
    mount_add '{destination: "/tmp", type: "tmpfs", source: "tmpfs"}'
    mount_add '{destination: "/home", type: "tmpfs", source: "tmpfs"}'
    expect_status 0 inside 'stat -c %a /tmp /home'
    expect_output $'1777\n700'
}

@test "tmpcopyup fills a tmpfs with what it covers" {
    local root=$BUNDLE/rootfs
    mkdir -p "$root/data/sub"
    echo text >"$root/data/file"
    ln -s file "$root/data/link"
    chmod 646 "$root/data/file"
    chown 1500:1600 "$root/data/file"
    mount_add '{destination: "/data", type: "tmpfs", source: "tmpfs", options: ["tmpcopyup", "nosuid"]}'
    expect_status 0 inside 'cat /data/link; stat -c "%a %u %g" /data/file; test -d /data/sub && echo sub; echo new >/data/file && cat /data/file'
    expect_output $'text\n646 1500 1600\nsub\nnew'
    [ "$(cat "$root/data/file")" = text ]
}

@test "tmpcopyup with ro is read-only and filled" {
    mkdir -p "$BUNDLE/rootfs/data"
    echo text >"$BUNDLE/rootfs/data/file"
    mount_add '{destination: "/data", type: "tmpfs", source: "tmpfs", options: ["tmpcopyup", "ro"]}'
    expect_status 0 inside 'cat /data/file; touch /data/new 2>&1'  || :
    expect_match '^text'
    expect_match 'Read-only file system'
}

@test "an idmapped bind shows the owners shifted" {
    mkdir "$WORK/owned"
    : >"$WORK/owned/file"
    chown 0:0 "$WORK/owned/file"
    mount_add '{destination: "/mnt", type: "bind", source: ($work + "/owned"), options: ["bind"],
        uidMappings: [{containerID: 0, hostID: 5000, size: 100}], gidMappings: [{containerID: 0, hostID: 6000, size: 100}]}'
    expect_status 0 inside 'stat -c "%u %g" /mnt/file'
    expect_output '5000 6000'
    [ "$(stat -c '%u %g' "$WORK/owned/file")" = '0 0' ]
}

@test "a read-only root refuses writes, a writable one takes them" {
    expect_status 1 inside 'touch /new'
    expect_match 'Read-only file system'
    config_edit '.root.readonly = false'
    expect_status 0 inside 'touch /new'
    [ -e "$BUNDLE/rootfs/new" ]
}

@test "mount points are made, directories for directories and files for files" {
    : >"$WORK/file"
    mkdir "$WORK/dir"
    mount_add '{destination: "/made/a/b/dir", type: "bind", source: ($work + "/dir"), options: ["bind"]}'
    mount_add '{destination: "/made/a/file", type: "bind", source: ($work + "/file"), options: ["bind"]}'
    expect_status 0 inside 'test -d /made/a/b/dir && test -f /made/a/file && stat -c %a /made /made/a'
    expect_output $'755\n755'
}

@test "a relative destination is taken from the root" {
    mount_add '{destination: "tmp", type: "tmpfs", source: "tmpfs"}'
    expect_status 0 inside 'grep -c " /tmp " /proc/self/mountinfo'
    expect_output 1
}

@test "mount order is that of the config: a later one covers an earlier one" {
    mkdir "$WORK/a" "$WORK/b"
    echo a >"$WORK/a/f"
    echo b >"$WORK/b/f"
    mount_add '{destination: "/mnt", type: "bind", source: ($work + "/a"), options: ["bind"]}'
    mount_add '{destination: "/mnt", type: "bind", source: ($work + "/b"), options: ["bind"]}'
    expect_status 0 inside 'cat /mnt/f'
    expect_output b
}

@test "sources and types that do not exist are refused, with the place" {
    mount_add '{destination: "/mnt", type: "bind", source: ($work + "/none"), options: ["bind"]}'
    refused "mount on /mnt: .*$WORK/none.*No such file" inside true
    config_edit '.mounts[7] = {destination: "/mnt", type: "nosuchfs", source: "x"}'
    refused 'mount on /mnt: .*nosuchfs' inside true
    config_edit '.mounts[7] = {destination: "/mnt", type: "tmpfs", source: "x", options: ["size=banana"]}'
    refused 'mount on /mnt: .*size' inside true
    config_edit '.mounts[7] = {destination: "/mnt", type: "tmpfs", source: "x", options: ["nosuchoption"]}'
    refused 'mount on /mnt: .*nosuchoption' inside true
    config_edit --arg work "$WORK" '.mounts[7] = {destination: "/etc/passwd", type: "bind", source: $work, options: ["bind"]}'
    refused 'mount on /etc/passwd: ' inside true
}

@test "a remount changes the flags of an earlier mount" {
    mount_add '{destination: "/tmp", type: "tmpfs", source: "tmpfs"}'
    mount_add '{destination: "/tmp", type: "tmpfs", source: "tmpfs", options: ["remount", "ro"]}'
    expect_status 1 inside 'touch /tmp/x'
    expect_match 'Read-only file system'
}

@test "--no-pivot gives the same root and leaves no way to the old one" {
    config_args sh -c 'ls -1 / | head -3; grep -c . /proc/self/mountinfo; ls /../../.. | head -1'
    expect_status 0 runa run --bundle "$BUNDLE" pivot
    local pivoted=$output
    expect_status 0 runa run --no-pivot --bundle "$BUNDLE" moved
    expect_output "$pivoted"
}

@test "cgroup is mounted as the container's own part" {
    expect_status 0 inside 'awk "\$5 == \"/sys/fs/cgroup\" { print \$4, \$(NF - 2) }" /proc/self/mountinfo; grep ^0:: /proc/self/cgroup'
    expect_output $'/ cgroup2\n0::/'
}
