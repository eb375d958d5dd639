# SPDX-License-Identifier: Apache-2.0
# Sourced. Gets packages and sources of other Debian suites from the mirror that this machine's apt already
# uses, with package lists of our own: the machine's apt state stays as it is and nothing is installed.
# Environment: RUNA_TEST_CACHE, kept between runs (default /var/tmp/runa-test).

CACHE=$(realpath -m "${RUNA_TEST_CACHE:-/var/tmp/runa-test}")

die() {
    echo "${0##*/}: $*" >&2
    exit 2
}

debian_mirror() {
    local uri
    uri=$(apt-get indextargets --format '$(REPO_URI)|$(ORIGIN)|$(CODENAME)|$(COMPONENT)' 'Created-By: Packages' |
        awk -F'|' '$2 == "Debian" && $4 == "main" && $3 !~ /-/ { print $1; exit }')
    [ -n "$uri" ] || die "no Debian mirror in this machine's apt configuration"
    echo "$uri"
}

debian_codename() {
    (. /etc/os-release && echo "$VERSION_CODENAME")
}

debian_apt() { # SUITE COMMAND ARG...
    local state=$CACHE/apt/$1
    shift
    apt-get -q -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::Lists="$state/lists" -o Dir::Cache="$state/cache" -o APT::Sandbox::User=root \
        -o Acquire::Check-Valid-Until=false "$@"
}

# debian_lists SUITE: fetch its package lists, once a cache.
debian_lists() {
    local suite=$1 state=$CACHE/apt/$1 mirror
    [ ! -e "$state/ready" ] || return 0
    mirror=$(debian_mirror) || exit 2
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
    printf '%s %s %s main\n' deb "$mirror" "$suite" deb-src "$mirror" "$suite" >"$state/sources.list"
    debian_apt "$suite" -o Acquire::Languages=none update >"$state/update.log" 2>&1 ||
        die "apt update of $suite failed: $state/update.log"
    touch "$state/ready"
}

# debian_source PACKAGE DEST SUITE...: the upstream tarball, from the first suite that has the package. apt
# checks its hash against the signed lists.
debian_source() {
    local package=$1 dest=$2 suite folder tarball
    shift 2
    [ ! -e "$dest/.complete" ] || return 0
    for suite; do
        debian_lists "$suite"
        folder=$CACHE/source/$package-$suite
        mkdir -p "$folder"
        (cd "$folder" && debian_apt "$suite" source --download-only "$package/$suite") >"$folder/log" 2>&1 || :
        tarball=$(find "$folder" -name '*.orig.tar.*' ! -name '*.asc' | head -n 1)
        [ -n "$tarball" ] || continue
        rm -rf --one-file-system "$dest"
        mkdir -p "$dest"
        tar xf "$tarball" -C "$dest" --strip-components=1 || die "cannot unpack $tarball"
        basename "$tarball" >"$dest/.complete"
        return 0
    done
    die "no source of $package (logs in $CACHE/source)"
}

# debian_libraries SUITE PACKAGE: the library packages that it needs to run, one a line.
debian_libraries() {
    local state=$CACHE/apt/$1
    debian_lists "$1"
    apt-cache -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::Lists="$state/lists" -o Dir::Cache="$state/cache" depends --recurse --no-recommends \
        --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$2" | grep '^lib' | sort -u
}

# debian_unpack DEST SUITE PACKAGE...: binary packages, unpacked under DEST.
debian_unpack() {
    local dest=$1 suite=$2 file
    shift 2
    [ ! -e "$dest/.complete" ] || return 0
    debian_lists "$suite"
    mkdir -p "$dest" "$dest.deb"
    (cd "$dest.deb" && debian_apt "$suite" download "$@") >"$dest.deb/log" 2>&1 ||
        die "download failed: $dest.deb/log"
    for file in "$dest.deb"/*.deb; do
        dpkg -x "$file" "$dest" || die "cannot unpack $file"
    done
    touch "$dest/.complete"
}
