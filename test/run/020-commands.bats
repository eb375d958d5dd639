#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Commands and options as engines use them: spec, features, list, state, global options, log.
load ../lib/run

@test "spec writes the document once and never over another one" {
    mkdir "$WORK/fresh"
    (cd "$WORK/fresh" && "$RUNA" spec)
    jq -e '.process.terminal == true and .root.path == "rootfs" and (.linux.namespaces | length) == 6' "$WORK/fresh/config.json"
    cd "$WORK/fresh"
    refused 'config\.json' "$RUNA" spec
}

@test "spec takes a bundle" {
    mkdir "$WORK/fresh"
    expect_status 0 "$RUNA" spec --bundle "$WORK/fresh"
    jq -e .ociVersion "$WORK/fresh/config.json"
}

@test "spec --rootless writes a config with a user namespace" {
    mkdir "$WORK/fresh"
    (cd "$WORK/fresh" && "$RUNA" spec --rootless)
    jq -e '[.linux.namespaces[].type] | index("user")' "$WORK/fresh/config.json"
    jq -e '.linux.uidMappings[0].size == 1' "$WORK/fresh/config.json"
}

@test "features is the document of the specification" {
    "$RUNA" features >"$WORK/features.json"
    jq -e '.ociVersionMin == "1.0.0" and .ociVersionMax == "1.3.0"' "$WORK/features.json"
    jq -e '.hooks == ["prestart","createRuntime","createContainer","startContainer","poststart","poststop"]' "$WORK/features.json"
    jq -e '.mountOptions | index("rro") and index("tmpcopyup") and index("idmap")' "$WORK/features.json"
    jq -e '.linux.cgroup | .v2 == true and .v1 == false' "$WORK/features.json"
    jq -e '.linux.seccomp | .enabled and (.actions | index("SCMP_ACT_NOTIFY"))' "$WORK/features.json"
    jq -e '.linux.mountExtensions.idmap.enabled == true' "$WORK/features.json"
    jq -e '.linux.namespaces | index("time")' "$WORK/features.json"
}

@test "--version names version, specification and libseccomp" {
    expect_status 0 "$RUNA" --version
    expect_match '^runa version [0-9]+\.[0-9]+\.[0-9]+'
    expect_match 'spec: 1\.3\.0'
    expect_match 'libseccomp'
}

@test "--help lists the commands, each command explains itself" {
    expect_status 0 "$RUNA" --help
    expect_match 'create'
    local verb
    for verb in create start run state kill delete list spec features; do
        expect_status 0 "$RUNA" "$verb" --help
        expect_match "usage: runa $verb"
    done
}

@test "list in its three forms" {
    config_args sleep 60
    runa run --detach --bundle "$BUNDLE" one
    runa create --bundle "$BUNDLE" two
    expect_status 0 runa list
    expect_match "^ID +PID +STATUS +BUNDLE +CREATED +OWNER"
    expect_match "one +$(container_pid one) +running +$BUNDLE +20[0-9T:.-]+Z +root"
    expect_match "two +$(container_pid two) +created"
    expect_status 0 runa list -q
    expect_output $'one\ntwo'
    [ "$(runa list --format json | jq -c '[.[] | [.id, .status, .bundle, .owner]]')" = \
        "[[\"one\",\"running\",\"$BUNDLE\",\"root\"],[\"two\",\"created\",\"$BUNDLE\",\"root\"]]" ]
}

@test "list of nothing is empty" {
    expect_status 0 "$RUNA" --root "$WORK/nowhere" list -q
    expect_output ''
    [ ! -e "$WORK/nowhere" ]
    [ "$("$RUNA" --root "$WORK/nowhere" list --format json | jq -c .)" = '[]' ] ||
        [ "$("$RUNA" --root "$WORK/nowhere" list --format json)" = null ]
}

@test "state has what the specification and engines want" {
    config_args sleep 60
    config_edit '.annotations = {"org.example.key": "value"}'
    runa create --bundle "$BUNDLE" one
    runa state one >"$WORK/state.json"
    jq -e --arg bundle "$BUNDLE" '.ociVersion and .id == "one" and .status == "created" and .pid > 0 and
        .bundle == $bundle and .rootfs == $bundle + "/rootfs" and .annotations == {"org.example.key": "value"} and
        .owner == "root" and (.created | test("^20..-..-..T..:..:..\\.[0-9]+Z$"))' "$WORK/state.json"
    [ -d "/proc/$(container_pid one)" ]
    kill -9 "$(container_pid one)"
    wait_until 5 container_is one stopped
    [ "$(container_pid one)" = 0 ]
}

@test "the relative bundle and the default bundle are absolute in the state" {
    config_args sleep 60
    cd "$WORK"
    runa run --detach --bundle ./bundle rel
    cd "$BUNDLE"
    runa run --detach here
    [ "$(runa state rel | jq -r .bundle)" = "$BUNDLE" ]
    [ "$(runa state here | jq -r .bundle)" = "$BUNDLE" ]
}

@test "errors go to standard error and, as JSON lines, to --log" {
    run --separate-stderr "$RUNA" --root "$ROOT" --log "$WORK/log" --log-format json state nosuch
    [ "$status" = 1 ]
    [ -z "$output" ]
    [[ $stderr == *'does not exist'* ]]
    [ "$(wc -l <"$WORK/log")" = 1 ]
    jq -e '.level == "error" and (.msg | test("does not exist")) and (.time | test("^20"))' "$WORK/log"
}

@test "the text log has level and message, and log files are appended to" {
    run "$RUNA" --root "$ROOT" --log "$WORK/log" --log-format text state nosuch
    run "$RUNA" --root "$ROOT" --log="$WORK/log" state nosuch
    [ "$(wc -l <"$WORK/log")" = 2 ]
    [ "$(grep -c 'level=error.*does not exist' "$WORK/log")" = 2 ]
}

@test "hostile text in a message does not break the log line" {
    run "$RUNA" --root "$ROOT" --log "$WORK/log" --log-format json state $'a\n"b\e[31m'
    [ "$status" = 1 ]
    [ "$(wc -l <"$WORK/log")" = 1 ]
    jq -e .msg "$WORK/log"
    ! grep -q $'\e' "$WORK/log" || false
    [[ $output != *$'\e'* ]]
}

@test "--debug traces and changes nothing else" {
    config_args echo hello
    run --separate-stderr "$RUNA" --root "$ROOT" --debug run --bundle "$BUNDLE" traced
    [ "$status" = 0 ]
    expect_output hello
}

@test "--systemd-cgroup is refused while there is no such driver" {
    refused 'systemd' "$RUNA" --root "$ROOT" --systemd-cgroup run --bundle "$BUNDLE" x
}

@test "--cgroup-manager disabled runs without a cgroup of its own" {
    config_args sh -c 'cat /proc/self/cgroup'
    config_edit '.linux.namespaces |= map(select(.type != "cgroup"))'
    expect_status 0 "$RUNA" --root "$ROOT" --cgroup-manager disabled run --bundle "$BUNDLE" x
    [ "$output" = "$(cat /proc/self/cgroup)" ] || expect_match '0::/init'
}

@test "--config names another file of the bundle" {
    config_args echo other
    mv "$BUNDLE/config.json" "$BUNDLE/other.json"
    expect_status 0 runa run --config "$BUNDLE/other.json" --bundle "$BUNDLE" x
    expect_output other
}
