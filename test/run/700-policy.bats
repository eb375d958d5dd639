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

# SCRIPT with an /etc of its own, where policies can be installed.
with_etc() {
    unshare -m sh -ec "mount -t tmpfs etc /etc; mkdir -p /etc/runa/policies; cd /etc/runa; $1"
}

@test "an installed policy is found by name, and only by name" {
    expect_status 0 with_etc 'echo "{ \"version\": 1, \"extends\": \"read-only\" }" >policies/mine.jsonc; "$RUNA" policy ls; "$RUNA" policy show mine'
    expect_match 'mine +/etc/runa/policies'
    expect_match '"workspace": "read", // read-only:'
}

@test "an installed policy that others can write is refused" {
    expect_status 1 with_etc 'echo "{ \"version\": 1 }" >policies/mine.jsonc; chmod 666 policies/mine.jsonc; "$RUNA" policy show mine'
    expect_match 'others than its owner can write it'
    expect_status 1 with_etc 'echo "{ \"version\": 1 }" >policies/mine.jsonc; chown 1234 policies/mine.jsonc; "$RUNA" policy show mine'
    expect_match 'belongs to neither root nor you'
}

@test "the floor of the machine narrows every policy" {
    expect_status 0 with_etc 'echo "{ \"version\": 1, \"resources\": { \"pids\": 7 } }" >floor.jsonc; "$RUNA" policy show workspace-write'
    expect_match '"pids": 7, // /etc/runa/floor.jsonc:1'
    expect_match 'resources\.pids: more than /etc/runa/floor\.jsonc allows'
    expect_match '"workspace": "write", // workspace-write:'
}

@test "a floor that is wrong or not enforced is never passed over" {
    expect_status 1 with_etc 'echo "{" >floor.jsonc; "$RUNA" policy show workspace-write'
    expect_match '/etc/runa/floor\.jsonc:'
    expect_status 1 with_etc 'echo "{ \"version\": 1, \"filesystem\": { \"hide\": [\"x\"] } }" >floor.jsonc; "$RUNA" policy show workspace-write'
    expect_match 'filesystem\.hide: not enforced yet'
    expect_status 1 with_etc 'mkdir floor.jsonc; "$RUNA" policy show workspace-write'
    expect_match 'not a regular file'
}
