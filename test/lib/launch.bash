# SPDX-License-Identifier: Apache-2.0
# Sourced after run.bash by the bats files of images and launch.
#
#   DATA     data root (what --data-root gets), the same for all tests of a file; images_load fills it in setup_file
#   POLICY   policy of `launch` and `sandbox`: one without limits, as the shipped ones need controllers
#
# After each test the data root is looked through as well: sandboxes, holds, ids and staging must be as before.

DATA=$BATS_FILE_TMPDIR/data
POLICY=$BATS_TEST_DIRNAME/../support/no-limits.jsonc
IMAGE=debian-small

images_load() { # NAME...: of test/lib/image
    local name archive
    mkdir -p -m 700 "$DATA"
    for name; do
        archive=$("$BATS_TEST_DIRNAME/../lib/image" "$name") && image load -q "docker-archive:$archive" >/dev/null || return 1
    done
}

# --- the runtime -------------------------------------------------------------------------------------------------

image() { # VERB ARG...
    "$RUNA" image --data-root "$DATA" "$@"
}

launch() { # OPTION... IMAGE [COMMAND...]
    "$RUNA" --root "$ROOT" launch --data-root "$DATA" --policy "$POLICY" "$@"
}

# sandbox [OPTION... --] COMMAND...: in a fresh one of $IMAGE, without standard input; nothing is kept. Options need the
# "--".
sandbox() {
    local options=()
    if [[ $1 == -* ]]; then
        while [ "$1" != -- ]; do
            options+=("$1")
            shift
        done
        shift
    fi
    launch --rm "${options[@]}" "$IMAGE" -- "$@" </dev/null
}

sandbox_delete() { # ID
    runa delete --force --data-root "$DATA" "$1"
}

# --- images of our own -------------------------------------------------------------------------------------------

# layer_make TAR: from lines on standard input; see layer_make.py
layer_make() {
    python3 "$BATS_TEST_DIRNAME/../support/layer_make.py" "$1"
}

# busybox_layer TAR: bin/busybox, its links in bin, nothing else
busybox_layer() {
    {
        echo "file bin/busybox 0755 0:0 <$(command -v busybox)"
        busybox --list | sed '/^busybox$/d; s|.*|link bin/& busybox|'
        echo 'dir tmp 1777 0:0'
    } | layer_make "$1"
}

# archive_make ARCHIVE NAME CONFIG LAYER...: a docker-archive of plain layers; CONFIG is the JSON of the image's
# "config". A layer that is named twice is stored once.
archive_make() {
    local archive=$1 name=$2 config=$3 folder=$1.d layer digest digests=() files=()
    shift 3
    mkdir -p "$folder"
    for layer; do
        digest=$(sha256sum <"$layer")
        digest=${digest%% *}
        cp "$layer" "$folder/$digest.tar"
        digests+=("sha256:$digest")
        files+=("$digest.tar")
    done
    jq -n --argjson config "$config" '{architecture: "amd64", os: "linux", config: $config,
        rootfs: {type: "layers", diff_ids: $ARGS.positional}}' --args "${digests[@]}" >"$folder/config.json"
    digest=$(sha256sum <"$folder/config.json")
    digest=${digest%% *}
    mv "$folder/config.json" "$folder/$digest.json"
    jq -n --arg config "$digest.json" --arg name "$name" '[{Config: $config, RepoTags: [$name],
        Layers: $ARGS.positional}]' --args "${files[@]}" >"$folder/manifest.json"
    tar cf "$archive" -C "$folder" .
    rm -r "$folder"
}

# busybox_image NAME CONFIG [LAYER...]: made of busybox and these layers, and loaded
busybox_image() {
    local name=$1 config=$2
    shift 2
    [ -e "$BATS_FILE_TMPDIR/busybox.tar" ] || busybox_layer "$BATS_FILE_TMPDIR/busybox.tar"
    archive_make "$WORK/$name.tar" "$name:latest" "$config" "$BATS_FILE_TMPDIR/busybox.tar" "$@"
    image load -q "docker-archive:$WORK/$name.tar" >/dev/null
}

# --- leaks -------------------------------------------------------------------------------------------------------

data_snapshot() {
    (cd "$DATA" && { find sandboxes holds staging -mindepth 1 -maxdepth 1; sed 1d ids; } 2>/dev/null | sort)
}

launch_setup() {
    run_setup
    mkdir -p -m 700 "$DATA"
    data_snapshot >"$WORK/data-before"
}

launch_teardown() {
    local id failed=0
    for id in $(container_ids); do
        sandbox_delete "$id" >/dev/null 2>&1 || echo "teardown: cannot delete $id"
    done
    run_teardown || failed=1
    data_snapshot | diff "$WORK/data-before" - | sed -n 's/^> /left behind, data: /p; s/^< /gone, data: /p' >"$WORK/data-diff"
    [ ! -s "$WORK/data-diff" ] || { cat "$WORK/data-diff"; failed=1; }
    return "$failed"
}

setup() { launch_setup; }
teardown() { launch_teardown; }
