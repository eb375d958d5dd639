# SPDX-License-Identifier: Apache-2.0
# Sourced after run.bash by the bats files of test/escape: the attacker's tools and the canaries.
#
#   PROBE     test/support/escape_probe.c, built static; in the bundle's root it is /bin/probe
#   CANARY    a folder of the host, outside of every bundle, that must stay as it is

escape_setup() {
    run_setup
    PROBE=$(support_build escape_probe -static)
    cp "$PROBE" "$BUNDLE/rootfs/bin/probe"
    CANARY=$WORK/canary
    mkdir -p "$CANARY/sub"
    echo "host's own" >"$CANARY/file"
    cp "$CANARY/file" "$CANARY/sub/passwd"
    CANARY_SUM=$(tree_sum "$CANARY")
}

escape_teardown() {
    local failed=0
    [ "$(tree_sum "$CANARY")" = "$CANARY_SUM" ] || { echo "the host's canary was changed:"; ls -lR "$CANARY"; failed=1; }
    run_teardown || failed=1
    return "$failed"
}

setup() { escape_setup; }
teardown() { escape_teardown; }

# Built once a run; two test files at once may both do it.
support_build() { # NAME [CC OPTION...]
    local built=$BATS_RUN_TMPDIR/$1
    if [ ! -x "$built" ]; then
        ${CC:-cc} -O2 -o "$built.$$" "${@:2}" "$BATS_TEST_DIRNAME/../support/$1.c" >&2 && mv "$built.$$" "$built" || return 1
    fi
    echo "$built"
}

# Names, types, modes, owners, sizes, links and contents of all below.
tree_sum() { # FOLDER
    { find "$1" -printf '%P %y %m %U:%G %n %l\n' | sort; find "$1" -type f -exec sha256sum {} + | sort; } | sha256sum
}

# swapping A B SECONDS CMD...: CMD again and again for SECONDS while the two names are exchanged. CMD gets the number of
# the round as $ROUND and may fail; at least 20 rounds must have been.
swapping() {
    local first=$1 second=$2 seconds=$3 end=$((${EPOCHREALTIME/./} + $3 * 1000000)) swapper
    shift 3
    "$PROBE" swap "$first" "$second" "$((seconds + 1))" >"$WORK/swaps" 3>&- &
    swapper=$!
    ROUND=0
    while [ "${EPOCHREALTIME/./}" -lt "$end" ]; do
        ROUND=$((ROUND + 1))
        "$@" >>"$WORK/rounds" 2>&1 || :
    done
    wait "$swapper"
    if [ "$ROUND" -lt 20 ] || [ "$(cat "$WORK/swaps")" -lt 1000 ]; then
        echo "no race: $ROUND rounds, $(cat "$WORK/swaps") swaps"
        return 1
    fi
}

# lacks REGEX FILE: no line of it matches. (bats does not see a "!" fail.)
lacks() {
    if grep -E "$1" "$2" | head -n 20; then :; fi
    [ "$(grep -cE "$1" "$2")" = 0 ]
}

# A container of the bundle, with a name of its own; for swapping.
round() {
    runa run --bundle "$BUNDLE" "round$ROUND" </dev/null
}

# user_namespace: the bundle's container gets one, mapped to ids that the host uses for nothing.
user_namespace() {
    config_edit '.linux.namespaces += [{type: "user"}]
        | .linux.uidMappings = [{containerID: 0, hostID: 100000, size: 65536}]
        | .linux.gidMappings = [{containerID: 0, hostID: 100000, size: 65536}]'
    chown -R 100000:100000 "$BUNDLE/rootfs"
}

all_capabilities() {
    config_edit '(.process.capabilities | .bounding, .effective, .permitted) = ([
        "AUDIT_CONTROL", "AUDIT_READ", "AUDIT_WRITE", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "CHOWN", "DAC_OVERRIDE",
        "DAC_READ_SEARCH", "FOWNER", "FSETID", "IPC_LOCK", "IPC_OWNER", "KILL", "LEASE", "LINUX_IMMUTABLE", "MAC_ADMIN",
        "MAC_OVERRIDE", "MKNOD", "NET_ADMIN", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_RAW", "PERFMON", "SETFCAP", "SETGID",
        "SETPCAP", "SETUID", "SYS_ADMIN", "SYS_BOOT", "SYS_CHROOT", "SYS_MODULE", "SYS_NICE", "SYS_PACCT", "SYS_PTRACE",
        "SYS_RAWIO", "SYS_TIME", "SYS_TTY_CONFIG", "SYSLOG", "WAKE_ALARM"] | map("CAP_" + .))'
}
