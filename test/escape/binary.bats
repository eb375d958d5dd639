#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The runtime's own binary, and what its processes hold while the container can see them.
load ../lib/run
load ../lib/escape

setup() {
    escape_setup
    BINARY_SUM=$(sha256sum <"$RUNA")
}

teardown() {
    escape_teardown
    [ "$(sha256sum <"$RUNA")" = "$BINARY_SUM" ] || { echo "the host's binary was changed"; return 1; }
}

# peer_start CMD...: a container "peer" that runs CMD; its output goes to $WORK/peer.
peer_start() {
    config_args "$@"
    runa run --bundle "$BUNDLE" peer </dev/null >"$WORK/peer" 2>&1 3>&- &
    PEER=$!
    wait_until 10 grep -q ing "$WORK/peer"
}

# The bundle's next containers are in the peer's namespaces of these types.
peer_join() { # TYPE...
    local type pid
    pid=$(container_pid peer)
    for type in "$@"; do
        config_edit --arg type "$type" --arg path "/proc/$pid/ns/${type/network/net}" \
            '(.linux.namespaces[] | select(.type == $type)).path = $path'
    done
}

# The payload is the runtime itself, waiting to open a FIFO, which the peer takes hold of.
steal_binary() { # ARG...
    ! head -c 4096 "$RUNA" | grep -q ld-linux || skip "a dynamically linked runa cannot be a payload: the release kind runs this"
    chmod 666 "$BUNDLE/rootfs/fifo"
    peer_start probe steal 10
    peer_join pid
    if [ "${1:-}" = user ]; then
        peer_join user
        config_edit 'del(.linux.uidMappings, .linux.gidMappings)'
    fi
    config_args "$STEAL_PAYLOAD" --log /fifo list
    run runa run --bundle "$BUNDLE" thief </dev/null
    wait "$PEER" || :
    cat "$WORK/peer"
    [ "$(grep -c -e stolen -e alone "$WORK/peer")" = 2 ]
    grep -q '^write: ' "$WORK/peer"
    lacks ': ok' "$WORK/peer"
}

@test "CVE-2019-5736: the binary cannot be written through /proc/PID/exe" {
    mkfifo "$BUNDLE/rootfs/fifo"
    STEAL_PAYLOAD=/proc/self/exe
    steal_binary
}

@test "CVE-2019-5736: nor with all capabilities" {
    mkfifo "$BUNDLE/rootfs/fifo"
    all_capabilities
    STEAL_PAYLOAD=/proc/self/exe
    steal_binary
}

@test "CVE-2019-5736: nor from a user namespace with all capabilities" {
    mkfifo "$BUNDLE/rootfs/fifo"
    all_capabilities
    user_namespace
    STEAL_PAYLOAD=/proc/self/exe
    steal_binary user
}

@test "CVE-2019-5736: an entrypoint #!/proc/self/exe runs a copy that nobody can write to" {
    mkfifo "$BUNDLE/rootfs/fifo"
    # The interpreter gets one word and the path: the log is the script's own FIFO behind a link.
    printf '#!/proc/self/exe --log=/fifo\n' >"$BUNDLE/rootfs/entry"
    chmod 755 "$BUNDLE/rootfs/entry"
    STEAL_PAYLOAD=/entry
    steal_binary
}

@test "CVE-2016-9962: a peer in the PID and user namespace never gets hold of init in 200 starts" {
    user_namespace
    all_capabilities
    peer_start probe spy 100
    peer_join pid user
    config_edit 'del(.linux.uidMappings, .linux.gidMappings)'
    config_args true
    for ROUND in $(seq 200); do
        round || { echo "round $ROUND"; cat "$WORK/peer"; return 1; }
    done
    kill -0 "$PEER"
    runa kill peer TERM
    runa kill peer KILL
    wait "$PEER" || :
    cat "$WORK/peer"
    lacks 'seen|opened|traced' "$WORK/peer"
}

# Not with CAP_SYS_PTRACE: over the host's own user namespace it is the right to see everything.
@test "CVE-2016-9962: nor in the PID namespace alone, as the same user" {
    peer_start probe spy 100
    peer_join pid
    config_args true
    for ROUND in $(seq 200); do
        round || { echo "round $ROUND"; cat "$WORK/peer"; return 1; }
    done
    runa kill peer KILL
    wait "$PEER" || :
    cat "$WORK/peer"
    lacks 'seen|opened|traced' "$WORK/peer"
}
