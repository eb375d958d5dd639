# SPDX-License-Identifier: Apache-2.0
# Sourced by the bats files of test/run and test/escape (`load ../lib/run`), which are started through
# test/lib/bats. Each test gets a state root and a bundle of its own:
#
#   ROOT     state root (what --root gets)            BUNDLE   folder with config.json and rootfs/
#   RUNA     the binary under test                    WORK     scratch folder of the test
#
# and after each test everything that it left is looked for: processes, mounts, cgroups, state. A file that has a
# setup or teardown of its own calls run_setup and run_teardown in them.
# Tags: `# bats test_tags=controllers` for tests that need cpu, memory, io or pids in cgroup v2; test/all runs
# them in test/guest when the host's v2 hierarchy lacks these.

bats_require_minimum_version 1.5.0
export LC_ALL=C
: "${BATS_TEST_TIMEOUT:=120}"
export BATS_TEST_TIMEOUT

run_setup() {
    if [ "$(id -u)" != 0 ] || [ ! -e /sys/fs/cgroup/cgroup.procs ] || [ ! -x "${RUNA:-}" ]; then
        echo "start this through test/lib/bats" >&2
        return 1
    fi
    WORK=$BATS_TEST_TMPDIR
    ROOT=$WORK/state
    BUNDLE=$WORK/bundle
    mkdir -p "$ROOT" "$BUNDLE"
    # A user of a mapped id range must be able to walk down to the rootfs.
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$WORK" "$BUNDLE" "${BATS_RUN_TMPDIR%/*}" 2>/dev/null || :
    bundle_make "$BUNDLE"
    leaks_snapshot "$WORK/before"
}

run_teardown() {
    local id
    for id in $(container_ids); do
        runa delete --force "$id" >/dev/null 2>&1 || echo "teardown: cannot delete $id"
    done
    leaks_check "$WORK/before" || { mounts_drop "$WORK"; return 1; }
}

# bats removes the test's folder as a tree: nothing may be mounted in it then.
mounts_drop() { # FOLDER
    awk -v under="$1/" 'index($5, under) == 1 { print $5 }' /proc/self/mountinfo | tac |
        while read -r point; do umount -l "$point"; done
}

setup() { run_setup; }
teardown() { run_teardown; }

# --- the runtime -------------------------------------------------------------------------------------------------

runa() {
    "$RUNA" --root "$ROOT" "$@"
}

container_ids() {
    find "$ROOT" -mindepth 1 -maxdepth 1 -type d ! -name '.*' -printf '%f\n'
}

container_pid() { # ID
    runa state "$1" | jq -r .pid
}

container_status() { # ID; "none" when there is no such container
    local state
    if state=$(runa state "$1" 2>/dev/null); then jq -r .status <<<"$state"; else echo none; fi
}

# wait_until SECONDS CMD...: succeeds as soon as CMD does.
wait_until() {
    local end=$((${EPOCHREALTIME/./} + $1 * 1000000))
    shift
    until "$@"; do
        if [ "${EPOCHREALTIME/./}" -gt "$end" ]; then
            echo "still not so: $*"
            return 1
        fi
        sleep 0.02
    done
}

container_is() { # ID STATUS
    [ "$(container_status "$1")" = "$2" ]
}

# --- bundles -----------------------------------------------------------------------------------------------------

# A busybox root, made once a run and copied for each bundle.
rootfs_make() { # DEST
    local template=$BATS_RUN_TMPDIR/busybox-rootfs
    if [ ! -d "$template" ]; then
        mkdir -p "$template.new"/{bin,dev,etc,home,proc,root,run,sys,tmp,usr/bin,var/tmp}
        chmod 1777 "$template.new"/{tmp,var/tmp}
        cp "$(command -v busybox)" "$template.new/bin/busybox"
        chroot "$template.new" /bin/busybox --install -s /bin
        printf '%s\n' root:x:0:0:root:/root:/bin/sh nobody:x:65534:65534:nobody:/:/bin/false >"$template.new/etc/passwd"
        printf '%s\n' root:x:0: tty:x:5: nogroup:x:65534: >"$template.new/etc/group"
        mv "$template.new" "$template"
    fi
    cp -a --reflink=auto "$template" "$1"
}

bundle_make() { # FOLDER: a bundle as `runa spec` writes it, without a terminal
    mkdir -p "$1"
    rootfs_make "$1/rootfs"
    (cd "$1" && "$RUNA" spec)
    BUNDLE=$1 config_edit '.process.terminal = false'
}

# config_edit [JQ OPTION...] FILTER: change the bundle's config.json, for example
#   config_edit --arg path "$WORK" '.mounts += [{destination: "/data", source: $path, options: ["bind"]}]'
config_edit() {
    jq "$@" <"$BUNDLE/config.json" >"$BUNDLE/config.json.new" && mv "$BUNDLE/config.json.new" "$BUNDLE/config.json"
}

config_args() { # ARG...: the process to start
    config_edit '.process.args = $ARGS.positional' --args -- "$@"
}

# in_container SCRIPT: run a shell line in a fresh container of the bundle; output and status are the line's.
in_container() {
    config_args sh -c "$1"
    runa run --bundle "$BUNDLE" "c$BATS_TEST_NUMBER-$RANDOM" </dev/null
}

# --- judging -----------------------------------------------------------------------------------------------------

# expect_status N CMD...: CMD ends with N. Its output is in $output, as with bats' run.
expect_status() {
    local wanted=$1 flag=()
    shift
    [ "$wanted" != 127 ] || flag=(-127) # else bats takes it for a fault of the test
    run "${flag[@]}" "$@"
    if [ "$status" != "$wanted" ]; then
        printf 'status %s, not %s: %s\n%s\n' "$status" "$wanted" "$*" "$output"
        return 1
    fi
}

expect_wait() { # N PID: the background process ends with N
    local status=0
    wait "$2" || status=$?
    [ "$status" = "$1" ] || { echo "status $status, not $1"; return 1; }
}

expect_output() { # TEXT: the whole of the last output
    [ "$output" = "$1" ] || { printf 'wanted: %s\nis:     %s\n' "$1" "$output"; return 1; }
}

expect_match() { # REGEX: found in the last output
    [[ $output =~ $1 ]] || { printf 'no match for: %s\nin: %s\n' "$1" "$output"; return 1; }
}

# refused REGEX CMD...: CMD says no as a whole: status 1, one line, which matches; no container is left.
refused() {
    local pattern=$1
    shift
    expect_status 1 "$@"
    expect_match "$pattern"
    [ "${#lines[@]}" = 1 ] || { printf 'more than one line:\n%s\n' "$output"; return 1; }
    [ -z "$(container_ids)" ] || { echo "left in the state root: $(container_ids)"; return 1; }
}

# --- what this machine can ---------------------------------------------------------------------------------------

require_controller() { # NAME
    grep -qw "$1" /sys/fs/cgroup/cgroup.controllers || skip "no $1 controller in this cgroup v2 hierarchy (see test/guest)"
}

require_program() { # NAME
    command -v "$1" >/dev/null || skip "$1 is not installed"
}

# --- leaks -------------------------------------------------------------------------------------------------------

# Processes of the runtime's making: its own executable, or in another mount or PID namespace, or outside init's
# cgroup. "PID:STARTTIME NAME". Forks are dear in the guest, hence one find and builtins.
leaks_processes() {
    local path target pid cgroup stat own_mnt='' own_pid=''
    local -A of=() seen=()
    while read -r path target; do
        path=${path#/proc/}
        of[$path]=$target
        seen[${path%%/*}]=1
    done < <(find /proc/self/ns/mnt /proc/self/ns/pid /proc/[0-9]*/exe /proc/[0-9]*/ns/mnt /proc/[0-9]*/ns/pid \
        -maxdepth 0 -printf '%p %l\n' 2>/dev/null)
    own_mnt=${of[self/ns/mnt]} own_pid=${of[self/ns/pid]}
    unset 'seen[self]'
    for pid in "${!seen[@]}"; do
        cgroup='' stat=''
        { while read -r cgroup; do [ "${cgroup#0::}" = "$cgroup" ] || break; done </proc/"$pid"/cgroup; } 2>/dev/null || :
        { read -r stat </proc/"$pid"/stat; } 2>/dev/null || continue # gone meanwhile
        [ "${of[$pid/exe]:-}" = "$RUNA" ] || [ "${of[$pid/ns/mnt]:-$own_mnt}" != "$own_mnt" ] ||
            [ "${of[$pid/ns/pid]:-$own_pid}" != "$own_pid" ] || [ "$cgroup" != 0::/init ] || continue
        local name=${stat#*(}
        name=${name%)*}
        # shellcheck disable=SC2086
        set -- ${stat##*) }
        [ "$1" = Z ] || echo "$pid:${20} $name"
    done
    return 0
}

leaks_snapshot() { # FOLDER
    mkdir -p "$1"
    leaks_processes | sort >"$1/processes"
    awk '{ print $5, $(NF - 2), $(NF - 1) }' /proc/self/mountinfo | sort >"$1/mounts"
    find /sys/fs/cgroup -mindepth 1 -type d | sort >"$1/cgroups"
    container_ids | sort >"$1/state"
    ls -A /dev/shm /dev/mqueue 2>/dev/null | sort >"$1/ipc"
}

# A killed process and its cgroup need a moment to go: a second is allowed.
leaks_check() { # FOLDER
    local before=$1 after=$1.after what try
    for try in 1 2 3 4 5; do
        leaks_snapshot "$after"
        diff -rq "$before" "$after" >/dev/null && return 0
        sleep 0.2
    done
    for what in processes mounts cgroups state ipc; do
        diff "$before/$what" "$after/$what" | sed -n "s/^> /left behind, $what: /p; s/^< /gone, $what: /p"
    done
    return 1
}
