#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Images: brought from archives of the usual makers, listed, shown, removed; damage is refused.
load ../lib/run
load ../lib/launch

setup_file() {
    "$BATS_TEST_DIRNAME/../lib/image" debian-small >/dev/null
}

# Each test has a store of its own here.
setup() {
    DATA=$BATS_TEST_TMPDIR/data
    launch_setup
}

made() { # FORMAT: path of debian-small
    "$BATS_TEST_DIRNAME/../lib/image" debian-small "$1"
}

store_is_empty() {
    [ "$(image ls -q | wc -l)" = 0 ] && [ -z "$(ls -A "$DATA/layers" "$DATA/config" "$DATA/staging" 2>/dev/null | grep -v :)" ]
}

release_of() { # IMAGE
    launch --rm "$1" -- sh -c '. /etc/os-release; echo "$ID $VERSION_ID"'
}

own_release() {
    (. /etc/os-release && echo "$ID $VERSION_ID")
}

@test "docker-archive: loads under its own name and runs" {
    expect_status 0 image load "docker-archive:$(made docker-archive)"
    expect_match 'debian-small:latest'
    expect_status 0 release_of debian-small
    expect_output "$(own_release)"
    expect_status 0 release_of debian-small:latest
    expect_status 0 release_of docker.io/library/debian-small
}

@test "oci: and oci-archive: give the same image, with the same layers, as docker-archive:" {
    image load -q "docker-archive:$(made docker-archive)"
    image load -q -n by-layout "oci:$(made oci)"
    image load -q -n by-archive "oci-archive:$(made oci-archive)"
    [ "$(image inspect by-layout | jq -r '.id, .layers[]')" = "$(image inspect by-archive | jq -r '.id, .layers[]')" ]
    [ "$(image inspect by-layout | jq -r '.layers[]')" = "$(image inspect debian-small | jq -r '.layers[]')" ]
    [ "$(find "$DATA/layers" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ]
    expect_status 0 release_of by-layout
    expect_output "$(own_release)"
    expect_status 0 release_of by-archive
    expect_output "$(own_release)"
}

@test "an image that was never loaded runs by its archive" {
    expect_status 0 release_of "oci-archive:$(made oci-archive)"
    expect_match "$(own_release)"
}

@test "what umoci and skopeo made of an image with zstd layers loads" {
    skopeo --insecure-policy copy -q --dest-compress-format zstd --dest-compress "oci:$(made oci):latest" \
        "oci:$WORK/zstd:latest"
    jq -r '.layers[].mediaType' "$WORK/zstd/blobs/sha256/$(jq -r '.manifests[0].digest' "$WORK/zstd/index.json" | cut -d: -f2)" |
        grep -q zstd
    image load -q -n zstd "oci:$WORK/zstd:latest"
    expect_status 0 release_of zstd
    expect_output "$(own_release)"
}

@test "inspect says what the image says of itself" {
    busybox_image told '{"Env": ["A=1"], "Entrypoint": ["/bin/echo"], "Cmd": ["two words"], "User": "5:6", "WorkingDir": "/srv",
        "StopSignal": "SIGINT", "Labels": {"k": "v"}}'
    image inspect told >"$WORK/told"
    [ "$(jq -c '[.env, .entrypoint, .cmd, .user, .workingDir, .stopSignal, .labels, .architecture]' "$WORK/told")" = \
        '[["A=1"],["/bin/echo"],["two words"],"5:6","/srv","SIGINT",{"k":"v"},"amd64"]' ]
    expect_status 0 launch --rm told
    expect_output 'two words'
}

@test "ls lists each name, ls -q each id; by name and by digest it is the same image" {
    busybox_image first '{}'
    image load -q -n second "docker-archive:$WORK/first.tar"
    expect_status 0 image ls
    expect_match 'first:latest'
    expect_match 'second:latest'
    id=$(image inspect first | jq -r .id)
    expect_status 0 image ls -q
    expect_output "$id"
    [ "$(image inspect "$id")" = "$(image inspect second)" ]
    expect_status 0 launch --rm "$id" -- echo by-id
    expect_output by-id
}

@test "rm takes a name, then the last name takes the image and its layers" {
    busybox_image first '{}'
    image load -q -n second "docker-archive:$WORK/first.tar"
    image rm first
    refused 'first' image inspect first
    image inspect second >/dev/null
    image rm second
    store_is_empty
    refused 'second' image rm second
}

@test "rm of a digest takes all names; layers that others need stay" {
    busybox_image base '{}'
    echo 'file extra 0644 0:0 more' | layer_make "$WORK/extra.tar"
    busybox_image larger '{}' "$WORK/extra.tar"
    [ "$(find "$DATA/layers" -mindepth 1 -maxdepth 1 | wc -l)" = 2 ]
    image rm "$(image inspect larger | jq -r .id)"
    [ "$(find "$DATA/layers" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ]
    expect_status 0 launch --rm base -- echo alive
    image rm base
    store_is_empty
}

@test "an image that a sandbox runs on is not removed" {
    busybox_image held '{}'
    launch --name holder held -- true
    expect_status 1 image rm held
    expect_match 'sandbox holder runs on it'
    sandbox_delete holder
    image rm held
    store_is_empty
}

@test "loading again changes nothing; a new image of the same name takes it over" {
    busybox_image same '{"Cmd": ["echo", "old"]}'
    id=$(image inspect same | jq -r .id)
    image load -q "docker-archive:$WORK/same.tar"
    [ "$(image ls -q)" = "$id" ]
    busybox_image same '{"Cmd": ["echo", "new"]}'
    expect_status 0 launch --rm same
    expect_output new
}

# --- damage ------------------------------------------------------------------------------------------------------

flip() { # FILE OFFSET: one bit
    printf "\\x$(printf %02x $((0x$(od -An -tx1 -j "$2" -N 1 "$1" | tr -d ' ') ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# refused_load PATTERN REF: one line, and nothing comes into the store
refused_load() {
    refused "$1" image load "$2"
    store_is_empty
}

layout_copy() { # a copy of the layout in $WORK/layout that may be damaged; sets MANIFEST, CONFIG, LAYER
    local blobs=$WORK/layout/blobs/sha256
    cp -r "$(made oci)" "$WORK/layout"
    MANIFEST=$blobs/$(jq -r '.manifests[0].digest' "$WORK/layout/index.json" | cut -d: -f2)
    CONFIG=$blobs/$(jq -r .config.digest "$MANIFEST" | cut -d: -f2)
    LAYER=$blobs/$(jq -r '.layers[0].digest' "$MANIFEST" | cut -d: -f2)
}

@test "one flipped bit in manifest, config or layer of a layout is refused, with the digest" {
    for what in MANIFEST CONFIG; do
        layout_copy
        flip "${!what}" 200
        refused_load "$(basename "${!what}")" "oci:$WORK/layout"
        rm -r "$WORK/layout"
    done
    layout_copy
    flip "$LAYER" 200 # its name as the config has it, as it cannot even be decompressed
    refused_load "$(jq -r '.rootfs.diff_ids[0]' "$CONFIG")" "oci:$WORK/layout"
}

@test "one flipped bit at the end of a compressed layer is refused" {
    layout_copy
    flip "$LAYER" $(($(stat -c %s "$LAYER") - 5))
    refused_load '[Dd]igest|sha256|size|gzip' "oci:$WORK/layout"
}

@test "a plain layer that is not what its diff_id says is refused, with the digest" {
    echo 'file x 0644 0:0 one' | layer_make "$WORK/x.tar"
    archive_make "$WORK/good.tar" bad:latest '{}' "$WORK/x.tar"
    mkdir "$WORK/bad"
    tar xf "$WORK/good.tar" -C "$WORK/bad"
    digest=$(sha256sum <"$WORK/x.tar" | cut -d' ' -f1)
    echo 'file x 0644 0:0 two' | layer_make "$WORK/bad/$digest.tar"
    tar cf "$WORK/bad.tar" -C "$WORK/bad" .
    refused_load "$digest" "docker-archive:$WORK/bad.tar"
}

@test "truncated archives, missing files, wrong kinds and no image at all end in one line" {
    local archive
    archive=$(made oci-archive)
    head -c 1000000 "$archive" >"$WORK/short.tar"
    refused_load short.tar "oci-archive:$WORK/short.tar"
    head -c 0 "$archive" >"$WORK/empty.tar"
    refused_load empty.tar "oci-archive:$WORK/empty.tar"
    refused_load empty.tar "docker-archive:$WORK/empty.tar"
    head -c 100000 /dev/urandom >"$WORK/noise.tar"
    refused_load noise.tar "docker-archive:$WORK/noise.tar"
    refused_load 'none.tar' "docker-archive:$WORK/none.tar"
    refused_load "$WORK" "docker-archive:$WORK"
    refused_load nowhere "oci:$WORK/nowhere"
    refused_load 'state' "oci:$ROOT"
    refused_load 'oci.tar' "docker-archive:$archive"
}

@test "a layout that lacks a blob, or has a larger or smaller one, is refused with its digest" {
    layout_copy
    rm "$LAYER"
    refused_load "$(basename "$LAYER")" "oci:$WORK/layout"
    head -c 4096 /dev/zero >"$LAYER"
    refused_load "$(basename "$LAYER")" "oci:$WORK/layout"
    rm "$CONFIG"
    ln -s /etc/passwd "$CONFIG"
    refused_load "$(basename "$CONFIG")" "oci:$WORK/layout"
}

@test "an archive cannot write outside of its layer" {
    echo canary >"$WORK/canary"
    printf '%s\n' "file ../../../../../../../../../../..$WORK/canary 0644 0:0 attacked" "link out $WORK" \
        "file out/canary 0644 0:0 attacked" "file $WORK/canary 0644 0:0 attacked" | layer_make "$WORK/out.tar"
    archive_make "$WORK/out-image.tar" out:latest '{}' "$WORK/out.tar"
    run image load "docker-archive:$WORK/out-image.tar"
    [ "$(cat "$WORK/canary")" = canary ]
}

@test "a store that others may enter is not used" {
    chmod 755 "$DATA"
    refused 'mode 0700' image ls
    chmod 700 "$DATA"
}
