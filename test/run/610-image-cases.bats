#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Group c of the public reports, end to end: what a layer may hold and what becomes of it. The unpacker's go further.
load ../lib/run
load ../lib/launch

cased() { # the image "case" of busybox and the layers in $WORK/1.tar, $WORK/2.tar, …
    busybox_image case '{}' "$WORK"/[1-9].tar
}

inside() { # SCRIPT [OPTION... --]
    IMAGE=case sandbox "${@:2}" /bin/sh -c "$1"
}

@test "image-spec-1301: whiteouts of nothing remove nothing: the layer is refused" {
    printf '%s\n' 'file etc/keep 0644 0:0 keep' 'file top 0644 0:0 top' | layer_make "$WORK/1.tar"
    for bad in .wh. etc/.wh.. etc/.wh...; do
        printf '%s\n' "file $bad 0644 0:0" 'file etc/added 0644 0:0 added' | layer_make "$WORK/2.tar"
        refused '\.wh\.' cased
        refused 'case' image inspect case
    done
}

@test "stereoscope-694: an opaque directory over a link replaces the link, not what it leads to" {
    printf '%s\n' 'file target/keep.txt 0644 0:0 keep' 'link link /target' | layer_make "$WORK/1.tar"
    printf '%s\n' 'dir link 0755 0:0' 'file link/.wh..wh..opq 0644 0:0' 'file link/new.txt 0644 0:0 new' | layer_make "$WORK/2.tar"
    cased
    expect_status 0 inside 'ls -A /link; [ ! -L /link ]; cat /target/keep.txt'
    expect_output $'new.txt\nkeep'
}

@test "image-503: a layer that is listed twice counts twice" {
    echo 'file e 0644 0:0 here' | layer_make "$WORK/1.tar"
    echo 'file .wh.e 0644 0:0' | layer_make "$WORK/2.tar"
    cased
    expect_status 1 inside 'cat /e'
    cp "$WORK/1.tar" "$WORK/3.tar"
    cased
    expect_status 0 inside 'cat /e'
    expect_output here
}

@test "umoci-171: device nodes of a layer are not made, FIFOs are, what follows is there" {
    printf '%s\n' 'dir d 0755 0:0' 'char d/null 1:3' 'block d/sda 8:0' 'fifo d/pipe' 'file d/last 0644 0:0 last' | layer_make "$WORK/1.tar"
    busybox_image case '{}' "$WORK/1.tar" 2>"$WORK/warning"
    grep -q '2 device nodes' "$WORK/warning"
    image rm case >/dev/null
    IMAGE=docker-archive:$WORK/case.tar sandbox /bin/true 2>"$WORK/warning" # launch unpacks anew, and tells it too
    grep -q '2 device nodes' "$WORK/warning"
    expect_status 0 inside '[ -p /d/pipe ] && [ ! -b /d/sda ] && [ ! -c /d/null ] && cat /d/last'
    expect_output last
}

@test "storage-217: set-id bits, groups and file capabilities are on disk and give nothing at exec" {
    local hex=0100000200200000000000000000000000000000 # cap_net_raw=ep
    {
        echo "file bin/p 4755 0:0 <$(command -v busybox)"
        echo "file bin/g 2755 0:50 <$(command -v busybox)"
        echo "xattr cap 0755 0:0 security.capability=$hex"
    } | layer_make "$WORK/1.tar"
    cased
    expect_status 0 inside 'stat -c "%a %u:%g" /bin/p /bin/g'
    expect_output $'4755 0:0\n2755 0:50'
    layer=$DATA/layers/$(image inspect case | jq -r '.layers[1]')/fs
    [ "$(python3 -c 'import os, sys; print(os.getxattr(sys.argv[1], "security.capability").hex())' "$layer/cap")" = "$hex" ]
    expect_status 0 inside 'ln -s /bin/p /tmp/id; /tmp/id -u; grep -E "CapPrm|NoNewPrivs" /proc/self/status' -u 1000 --
    expect_output $'1000\nCapPrm:\t0000000000000000\nNoNewPrivs:\t1'
}

@test "rir-405: compression is told by its magic, not by the media type" {
    local name
    for name in 1 2 3; do echo "file f$name 0644 0:0 $name" | layer_make "$WORK/$name.tar"; done
    gzip -k "$WORK/1.tar"
    zstd -q "$WORK/2.tar"
    # Two gzip members back to back are one stream.
    { head -c 1000 "$WORK/3.tar" | gzip; tail -c +1001 "$WORK/3.tar" | gzip; } >"$WORK/3.tar.gz"
    busybox_layer "$WORK/0.tar"
    layout_make "$WORK/layout" 0.tar 1.tar.gz 2.tar.zst 3.tar.gz
    image load -q -n case "oci:$WORK/layout" >/dev/null
    expect_status 0 inside 'cat /f1 /f2 /f3'
    expect_output $'1\n2\n3'
}

blob_add() { # LAYOUT FILE: prints digest and size
    local digest
    digest=$(sha256sum <"$2" | cut -d' ' -f1)
    cp "$2" "$1/blobs/sha256/$digest"
    echo "$digest $(stat -c %s "$2")"
}

# layout_make LAYOUT FILE...: layers in $WORK, all of which call themselves gzip
layout_make() {
    local layout=$1 file digest size layers='[]' diffs='[]'
    shift
    mkdir -p "$layout/blobs/sha256"
    for file; do
        read -r digest size < <(blob_add "$layout" "$WORK/$file")
        layers=$(jq -c --arg d "sha256:$digest" --argjson s "$size" \
            '. + [{mediaType: "application/vnd.oci.image.layer.v1.tar+gzip", digest: $d, size: $s}]' <<<"$layers")
        digest=$(sha256sum <"$WORK/${file%%.*}.tar" | cut -d' ' -f1)
        diffs=$(jq -c --arg d "sha256:$digest" '. + [$d]' <<<"$diffs")
    done
    jq -n --argjson diffs "$diffs" '{architecture: "amd64", os: "linux", config: {}, rootfs: {type: "layers", diff_ids: $diffs}}' \
        >"$WORK/config.json"
    read -r digest size < <(blob_add "$layout" "$WORK/config.json")
    jq -n --argjson layers "$layers" --arg d "sha256:$digest" --argjson s "$size" '{schemaVersion: 2,
        mediaType: "application/vnd.oci.image.manifest.v1+json",
        config: {mediaType: "application/vnd.oci.image.config.v1+json", digest: $d, size: $s}, layers: $layers}' >"$WORK/manifest.json"
    read -r digest size < <(blob_add "$layout" "$WORK/manifest.json")
    jq -n --arg d "sha256:$digest" --argjson s "$size" '{schemaVersion: 2, manifests: [{digest: $d, size: $s,
        mediaType: "application/vnd.oci.image.manifest.v1+json"}]}' >"$layout/index.json"
    echo '{"imageLayoutVersion": "1.0.0"}' >"$layout/oci-layout"
}

@test "libarchive-2125: sparse files of GNU tar come whole, in both forms" {
    local long form at
    long=$(printf 'd%.0s' {1..90})/$(printf 'ñ%.0s' {1..45})
    mkdir -p "$WORK/tree/${long%/*}"
    truncate -s 64M "$WORK/tree/sparse"
    for at in 0 5120 16383; do
        head -c 4096 /dev/urandom | dd of="$WORK/tree/sparse" bs=4096 seek="$at" conv=notrunc status=none
    done
    echo deep >"$WORK/tree/$long"
    for form in gnu posix; do
        tar cf "$WORK/1.tar" --sparse --format="$form" --owner=0 --group=0 -C "$WORK/tree" .
        [ "$(stat -c %s "$WORK/1.tar")" -lt 1000000 ]
        cased
        expect_status 0 inside "sha256sum /sparse | cut -d' ' -f1; stat -c %s /sparse; cat '/$long'"
        expect_output "$(sha256sum <"$WORK/tree/sparse" | cut -d' ' -f1)"$'\n67108864\ndeep'
        image rm case
    done
}

@test "containerization-278: a numeric user without a passwd entry, in an image without /etc" {
    local user
    for user in 1000=1000:0 1000:1000=1000:1000 =0:0; do
        busybox_image case "{\"User\": \"${user%%=*}\"}"
        expect_status 0 inside '[ ! -e /etc/passwd ]; echo "$(id -u):$(id -g) $HOME"'
        expect_output "${user#*=} /"
    done
}

@test "image-864: of an index the entry for this machine is taken, also of a nested one" {
    local amd other digest size
    echo 'file which 0644 0:0 amd64' | layer_make "$WORK/1.tar"
    busybox_layer "$WORK/0.tar"
    layout_make "$WORK/layout" 0.tar 1.tar
    amd=$(jq -c '.manifests[0] + {platform: {os: "linux", architecture: "amd64"}}' "$WORK/layout/index.json")
    echo 'file which 0644 0:0 other' | layer_make "$WORK/1.tar"
    layout_make "$WORK/layout" 0.tar 1.tar
    other=$(jq -c '.manifests[0]' "$WORK/layout/index.json")
    index_make() { # FILTER
        jq -n --argjson amd "$amd" --argjson other "$other" "{schemaVersion: 2, mediaType: \"application/vnd.oci.image.index.v1+json\",
            manifests: [\$other + {platform: {os: \"unknown\", architecture: \"unknown\"}},
                \$other + {platform: {os: \"linux\", architecture: \"arm64\"}},
                \$other + {platform: {os: \"linux\", architecture: \"arm\", variant: \"v7\"}} $1]}"
    }
    index_make ', $amd' >"$WORK/layout/index.json"
    image load -q -n case "oci:$WORK/layout" >/dev/null
    expect_status 0 inside 'cat /which'
    expect_output amd64
    image rm case
    index_make ', $amd' >"$WORK/nested.json"
    read -r digest size < <(blob_add "$WORK/layout" "$WORK/nested.json")
    jq -n --arg d "sha256:$digest" --argjson s "$size" '{schemaVersion: 2, manifests: [{digest: $d, size: $s,
        mediaType: "application/vnd.oci.image.index.v1+json"}]}' >"$WORK/layout/index.json"
    image load -q -n case "oci:$WORK/layout" >/dev/null
    expect_status 0 inside 'cat /which'
    expect_output amd64
    index_make '' >"$WORK/layout/index.json"
    refused 'arm64' image load -q -n none "oci:$WORK/layout"
}
