# SPDX-License-Identifier: Apache-2.0
# Sourced by the suites of peers. Environment:
#   RUNA_TEST_CACHE   sources, builds and results (default /var/tmp/runa-test)
#   SUITE_TIMEOUT     seconds for one test program (default 240)
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
. "$here/../lib/debian.sh"
set -u
WORK=$CACHE/conformance
LIMIT=${SUITE_TIMEOUT:-240}

runtime_arg() { # RUNTIME, by default the release build
    RUNTIME=${1:-$here/../../build/release/runa}
    RUNTIME=$(command -v "$RUNTIME") || die "no such runtime: ${1:-build/release/runa}"
    RUNTIME=$(realpath "$RUNTIME")
    [ "$(id -u)" = 0 ] || die "needs root"
}

# confined CMD...: in a mount, PID and cgroup namespace of its own, with cgroup v2 at /sys/fs/cgroup, an empty
# /run and a TMPDIR; what is left running ends with it.
confined() {
    mkdir -p "$WORK/tmp"
    "$here/../lib/cg2ns" -p bash -c '
        mount -t tmpfs -o mode=755 tmpfs /run && mkdir -m 1777 /run/lock || exit 2
        work=$1
        shift
        TMPDIR=$(mktemp -d "$work/tmp/XXXXXX")
        export TMPDIR
        chmod 755 "$TMPDIR"
        "$@"
        status=$?
        rm -rf --one-file-system "$TMPDIR" 2>/dev/null
        exit $status' confined "$WORK" "$@"
}

# tap_lines NAME FILE STATUS: a line for each test, "pass|fail|skip NAME: TEST".
tap_lines() {
    awk -v name="$1" -v status="$3" '
    /^1\.\.[0-9]+/ && plan == "" { plan = substr($1, 4) + 0 }
    /^(not )?ok / {
        seen++
        kind = /# *(SKIP|skip|Skip)/ ? "skip" : /^ok |# TODO/ ? "pass" : "fail"
        test = $0
        sub(/^(not )?ok [0-9]+ *(- )?/, "", test)
        sub(/ *# *[0-9.]+s.*/, "", test)
        sub(/ *# in [0-9]+ m?s(ec)?.*/, "", test)
        print kind " " name ": " test
    }
    END {
        if (plan > seen)
            print "fail " name ": " plan - seen " of " plan " tests did not report (exit " status ")"
        else if (!seen && (status != 0 || plan == ""))
            print "fail " name ": no result (exit " status ")"
    }' "$2"
}

# report RESULTS EXPECTED: the names that fail though EXPECTED says that they can pass, then the two counts.
report() {
    local lost
    lost=$(grep '^pass ' "$1" | sed 's/^pass //' | LC_ALL=C sort | LC_ALL=C comm -13 - <(LC_ALL=C sort "$2"))
    grep '^fail ' "$1" | sed 's/^fail /other failure: /' | grep -vxF -f <(sed 's/^/other failure: /' "$2")
    [ -z "$lost" ] || sed 's/^/EXPECTED TO PASS: /' <<<"$lost"
    echo "$(grep -c . "$2") expected, of these $(grep -c . <<<"$lost") not passed"
    awk '{ count[$1]++ }
        END { printf "%d passed, %d failed, %d skipped\n", count["pass"], count["fail"], count["skip"] }' "$1"
    [ -z "$lost" ]
}
