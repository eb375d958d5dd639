#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Documents and arguments that are wrong: one clear line, status 1, nothing left behind.
load ../lib/run

run_it() {
    timeout 20 "$RUNA" --root "$ROOT" run --bundle "$BUNDLE" bad </dev/null
}

# with_config FILTER REGEX: the default config changed by FILTER is refused with a line that matches.
with_config() {
    cp "$BUNDLE/config.json" "$WORK/good.json"
    config_edit "$1"
    refused "$2" run_it
    cp "$WORK/good.json" "$BUNDLE/config.json"
}

@test "crun-2234: a null among mount options is skipped" {
    config_edit '.mounts += [{destination: "/tmp", type: "tmpfs", source: "tmpfs", options: ["nosuid", null, "nodev"]}]'
    expect_status 0 in_container 'grep " /tmp " /proc/self/mountinfo'
    expect_match 'nosuid,nodev'
}

@test "crun-2234: a null in env, seccomp or sysctl is refused by its name" {
    with_config '.process.env = ["A=1", null]' 'process\.env\[1\]'
    with_config '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", architectures: [null]}' 'linux\.seccomp\.architectures\[0\]'
    with_config '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", flags: [null]}' 'linux\.seccomp\.flags\[0\]'
    with_config '.linux.sysctl = {"net.ipv4.ip_forward": null}' 'linux\.sysctl.*net\.ipv4\.ip_forward'
}

@test "crun-2234: a null annotation is as if it were not there" {
    config_edit '.annotations = {"note": null, "other": "kept"}'
    config_args sleep 60
    runa run --detach --bundle "$BUNDLE" noted
    [ "$(runa state noted | jq -c .annotations)" = '{"other":"kept"}' ]
}

@test "a config.json that is missing, empty or no file is refused" {
    rm "$BUNDLE/config.json"
    refused 'config\.json.*[Nn]o such file' run_it
    : >"$BUNDLE/config.json"
    refused 'config\.json' run_it
    rm "$BUNDLE/config.json"
    mkdir "$BUNDLE/config.json"
    refused 'config\.json' run_it
    rmdir "$BUNDLE/config.json"
    mkfifo "$BUNDLE/config.json"
    refused 'config\.json' run_it
}

@test "a malformed config.json is refused with line and column" {
    printf '{\n  "ociVersion": "1.0.2",\n  "process" 5\n}\n' >"$BUNDLE/config.json"
    refused 'config\.json:3:' run_it
}

@test "a config.json cut off anywhere is refused" {
    local size cut
    cp "$BUNDLE/config.json" "$WORK/whole.json"
    size=$(stat -c %s "$WORK/whole.json")
    for cut in 1 2 17 300 1000 $((size / 2)) $((size - 200)) $((size - 3)); do
        head -c "$cut" "$WORK/whole.json" >"$BUNDLE/config.json"
        refused 'config\.json:[0-9]+:[0-9]+' run_it
    done
}

@test "a config.json above 8 MiB is refused" {
    jq --arg pad "$(head -c 100000 /dev/zero | tr '\0' x)" '.annotations = ([range(100)] | map({("k\(.)"): $pad}) | add)' \
        "$BUNDLE/config.json" >"$BUNDLE/config.json.new"
    mv "$BUNDLE/config.json.new" "$BUNDLE/config.json"
    [ "$(stat -c %s "$BUNDLE/config.json")" -gt 8388608 ]
    refused 'config\.json' run_it
}

@test "a deeply nested, a repeated and a non-UTF-8 member are refused" {
    { printf '{"annotations":'; head -c 5000 /dev/zero | tr '\0' '['; } >"$BUNDLE/config.json"
    refused 'config\.json:1:.*(deep|nest)' run_it
    printf '{"ociVersion":"1.0.2","ociVersion":"1.0.2"}' >"$BUNDLE/config.json"
    refused 'config\.json:1:.*ociVersion' run_it
    printf '{"ociVersion":"1.0.\xff"}' >"$BUNDLE/config.json"
    refused 'config\.json:1:' run_it
    printf '{"ociVersion":"1.0.2","hostname":"a\\u0000b"}' >"$BUNDLE/config.json"
    refused 'config\.json:1:' run_it
}

@test "members of the wrong type or value are refused by their name" {
    with_config '.process.args = "sh"' 'process\.args'
    with_config '.process.args = []' 'process\.args'
    with_config 'del(.process.args)' 'process\.args'
    with_config 'del(.process)' 'process'
    with_config '.process.cwd = "relative"' 'process\.cwd'
    with_config '.process.user.uid = -1' 'process\.user\.uid'
    with_config '.process.user.uid = 4294967296' 'process\.user\.uid'
    with_config '.process.rlimits = [{type: "RLIMIT_WHAT", soft: 1, hard: 1}]' 'process\.rlimits\[0\]'
    with_config '.process.rlimits = [{type: "RLIMIT_CORE", soft: 2, hard: 1}]' 'process\.rlimits\[0\]'
    with_config '.ociVersion = "2.0.0"' 'ociVersion'
    with_config 'del(.ociVersion)' 'ociVersion'
    with_config 'del(.root)' 'root'
    with_config '.root.path = "not-there"' 'not-there'
    with_config '.mounts[0].destination = null' 'mounts\[0\]'
    with_config '.linux.namespaces += [{type: "galaxy"}]' 'linux\.namespaces'
    with_config '.linux.namespaces += [{type: "pid"}]' 'linux\.namespaces'
    with_config '.linux.namespaces = [{type: "pid"}]' 'linux\.namespaces'
    with_config '.hooks = {poststop: [{path: "relative"}]}' 'hooks\.poststop\[0\]\.path'
    with_config '.linux.rootfsPropagation = "sideways"' 'linux\.rootfsPropagation'
    with_config '.linux.seccomp = {defaultAction: "SCMP_ACT_PRAY"}' 'linux\.seccomp\.defaultAction'
    with_config '.linux.devices = [{path: "/dev/x", type: "q", major: 1, minor: 3}]' 'linux\.devices\[0\]'
    with_config '.linux.uidMappings = [{containerID: 0, hostID: 0, size: 0}] | .linux.gidMappings = .linux.uidMappings' \
        'linux\.uidMappings'
}

@test "what is parsed but not enforced is refused" {
    with_config '.linux.intelRdt = {closID: "x"}' 'linux\.intelRdt'
    with_config '.linux.memoryPolicy = {mode: "MPOL_BIND", nodes: "0"}' 'linux\.memoryPolicy'
    with_config '.linux.netDevices = {"eth7": {}}' 'linux\.netDevices'
    with_config '.linux.resources.network = {classID: 5}' 'linux\.resources\.network'
    with_config '.linux.resources.rdma = {"mlx5": {hcaHandles: 3}}' 'linux\.resources\.rdma'
}

@test "what engines send for nothing asked counts as unset" {
    config_edit '.linux.resources.network = {} | .linux.intelRdt = null | .linux.resources.rdma = {} | .linux.sysctl = {}
        | .hooks = {} | .annotations = {} | .linux.seccomp = null | .process.selinuxLabel = "" | .process.apparmorProfile = ""
        | .linux.mountLabel = "" | .linux.devices = [] | .process.rlimits = [] | .linux.resources.hugepageLimits = []'
    expect_status 0 in_container 'echo runs'
    expect_output runs
}

@test "a damaged state file ends in one line and can be deleted by force" {
    local damage verb
    config_args sleep 60
    for damage in 'printf "{\"id\": " >F' 'head -c 9000000 /dev/zero | tr "\0" " " >F' 'printf "[]" >F' \
        'printf "{\"version\":1,\"id\":5}" >F' 'rm F; mkdir F'; do
        runa run --detach --bundle "$BUNDLE" hurt
        kill -9 "$(container_pid hurt)"
        local cgroup
        cgroup=$(jq -r .cgroup "$ROOT/hurt/state.json")
        eval "${damage//F/$ROOT/hurt/state.json}"
        for verb in state start "kill" delete; do
            expect_status 1 timeout 10 "$RUNA" --root "$ROOT" "$verb" hurt
            [ "${#lines[@]}" = 1 ] || { echo "$damage, $verb: $output"; false; }
            expect_match 'hurt'
        done
        expect_status 0 timeout 10 "$RUNA" --root "$ROOT" list
        expect_status 0 timeout 10 "$RUNA" --root "$ROOT" delete --force hurt
        [ -z "$(container_ids)" ] || { echo "left after: $damage"; false; }
        rmdir "$cgroup" 2>/dev/null || : # its place was known to the state file alone
    done
}

@test "a create that was cut off before its state file can only be deleted" {
    mkdir "$ROOT/cut"
    [ "$(container_status cut)" = stopped ]
    expect_status 1 runa start cut
    expect_status 1 runa kill cut
    expect_status 0 runa delete cut
    [ ! -e "$ROOT/cut" ]
}

@test "a damaged file init keeps nothing from deletion by force" {
    config_args sleep 60
    runa run --detach --bundle "$BUNDLE" hurt
    echo nonsense >"$ROOT/hurt/init"
    expect_status 1 runa state hurt
    expect_status 1 runa delete hurt
    expect_status 0 runa delete --force hurt # the process dies by its cgroup
    [ "$(grep -c 'file init .* is damaged' <<<"$output")" = 1 ] # read twice, told once
}

@test "wrong command lines end in one line with status 1" {
    refused 'no command' runa explode
    refused 'did you mean "start"' runa strat
    refused 'bogus' runa --bogus list
    refused 'bogus' runa run --bogus x
    refused 'too few' runa run
    refused 'too many' runa state a b
    refused 'too few' runa kill
    refused 'log-format' runa --log-format=yaml list
    refused 'no signal' runa kill x SIGWHAT
    refused 'no signal' runa kill x 65
    refused 'format' runa list --format yaml
    refused 'does not exist' runa state nosuch
    refused 'does not exist' runa start nosuch
    refused 'does not exist' runa kill nosuch
    refused 'does not exist' runa delete nosuch
    refused 'not-there' runa run --bundle "$WORK/not-there" x
    refused 'preserve-fds' runa run --preserve-fds many --bundle "$BUNDLE" x
    refused 'preserve-fds' runa run --preserve-fds 1025 --bundle "$BUNDLE" x
    refused 'no-such-dir' runa run --pid-file "$WORK/no-such-dir/pid" --bundle "$BUNDLE" x
    config_edit '.process.terminal = true'
    refused 'console' runa run --detach --console-socket "$WORK/no.sock" --bundle "$BUNDLE" x
}
