#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# policy: ls, show, check.
load ../lib/run

@test "policy ls names the shipped policies" {
    expect_status 0 "$RUNA" policy ls
    expect_match 'read-only +[^ ]'
    expect_match 'workspace-write +[^ ]'
}

@test "policy show writes what is in force, with origins, as a policy that can be checked" {
    "$RUNA" policy show read-only >"$WORK/shown.jsonc"
    grep -q '"workspace": "read", // read-only:' "$WORK/shown.jsonc"
    grep -q '"seccomp": "agent", // workspace-write:' "$WORK/shown.jsonc"
    expect_status 0 "$RUNA" policy check "$WORK/shown.jsonc"
    expect_match ': ok$'
}

@test "policy check tells every fault of a file in one run, with its place" {
    printf '{ "version": 1, "netwrk": {},\n"process": { "env": null },\n"network": { "mode": "host" } }' >"$WORK/bad.jsonc"
    cd "$WORK"
    expect_status 1 "$RUNA" policy check bad.jsonc
    expect_match 'bad\.jsonc:1:[0-9]+: "netwrk" is not a key; did you mean "network"\?'
    expect_match 'bad\.jsonc:2:[0-9]+: process\.env: null where a list belongs'
    expect_match 'bad\.jsonc:3:[0-9]+: network\.mode: not enforced yet by this version'
    expect_match '1 of 1 files refused'
}

@test "policy check says what a base does not give" {
    echo '{ "version": 1, "extends": "read-only", "resources": { "pids": 999999 } }' >"$WORK/more.jsonc"
    expect_status 0 "$RUNA" policy check "$WORK/more.jsonc"
    expect_match 'note: .*resources\.pids: more than read-only allows'
}

@test "a policy that is none is refused in one line" {
    refused 'neither installed nor shipped' "$RUNA" policy show nosuch
    refused 'a name is of a to z' "$RUNA" policy show 'No Such'
    refused 'cannot open' "$RUNA" policy show ./nosuch.jsonc
    refused 'not a regular file' "$RUNA" policy show /dev/null
    refused 'not one of ls, show, check' "$RUNA" policy frobnicate
}
