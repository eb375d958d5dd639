#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Everyday tools of a Debian image under the policy of an agent, as root of the image and as another user.
load ../lib/run
load ../lib/launch

setup_file() {
    images_load debian-dev
}

setup() {
    IMAGE=debian-dev
    launch_setup
    mkdir "$WORK/ws"
    chown 1000:1000 "$WORK/ws"
}

# as_both SCRIPT: in a workspace, as root and as user 1000
as_both() {
    local user
    for user in 0:0 1000:1000; do
        expect_status 0 sandbox -u "$user" -v "$WORK/ws:/ws" -w /ws -e HOME=/tmp -- bash -euo pipefail -c "$1"
        [ -z "${2:-}" ] || expect_match "$2"
    done
    [ -z "$(find "$WORK/ws" ! -uid 1000)" ]
}

@test "a shell with pipelines, jobs, here-documents and process substitution" {
    as_both 'printf "%s\n" c a b | sort | tr "\n" " " | cat >sorted; read -r first rest <sorted || :
        cat <<END | wc -l
line 1
line 2
END
        diff <(echo same) <(echo same); sleep 0.1 & wait; (exit 0); echo "$first $rest"' 'a b c'
}

@test "python3: code, subprocesses, threads, temporary files, multiprocessing" {
    as_both 'python3 -c "
import concurrent.futures as f, multiprocessing, os, socket, sqlite3, ssl, subprocess, tempfile, threading
assert subprocess.run([\"true\"]).returncode == 0
assert subprocess.check_output([\"sh\", \"-c\", \"echo sub\"]) == b\"sub\n\"
with tempfile.NamedTemporaryFile() as t: t.write(b\"x\")
with f.ThreadPoolExecutor(8) as pool: assert sum(pool.map(lambda n: n * n, range(10))) == 285
with multiprocessing.Pool(2) as pool: assert pool.map(abs, [-1, -2]) == [1, 2]
a, b = socket.socketpair(); a.send(b\"1\"); assert b.recv(1) == b\"1\"
sqlite3.connect(\"db\").execute(\"create table if not exists t(x)\")
print(\"python\", 6 * 7)"' 'python 42'
}

@test "pip: its version, a virtual environment, and a package of our own without network" {
    mkdir -p "$WORK/ws/pkg"
    printf '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "own"\nversion = "1"\n' \
        >"$WORK/ws/pkg/pyproject.toml"
    echo 'answer = 42' >"$WORK/ws/pkg/own.py"
    chown -R 1000:1000 "$WORK/ws"
    as_both 'pip --version | cut -d" " -f1,2
        rm -rf /tmp/venv; python3 -m venv --without-pip --system-site-packages /tmp/venv
        [ "$(/tmp/venv/bin/python3 -c "import sys; print(sys.prefix)")" = /tmp/venv ]
        cp -r pkg /tmp/pkg; /tmp/venv/bin/python3 -m pip install -q --no-index --no-build-isolation --no-deps /tmp/pkg
        /tmp/venv/bin/python3 -c "import own; print(\"own\", own.answer)"' 'own 42'
}

@test "node: code, child processes, workers" {
    as_both 'node -e "
        const { execSync } = require(\"child_process\"), { Worker } = require(\"worker_threads\"), fs = require(\"fs\");
        fs.writeFileSync(\"made.txt\", \"x\");
        if (execSync(\"echo sub\").toString() !== \"sub\n\") process.exit(1);
        new Worker(\"require(\\\"worker_threads\\\").parentPort.postMessage(6 * 7)\", { eval: true }).on(\"message\", m => console.log(\"node\", m));"' 'node 42'
}

@test "npm: a package of our own without network, its script and its use" {
    mkdir "$WORK/ws/own"
    echo '{"name": "own", "version": "1.0.0", "main": "own.js"}' >"$WORK/ws/own/package.json"
    echo 'module.exports = 42' >"$WORK/ws/own/own.js"
    chown -R 1000:1000 "$WORK/ws"
    as_both 'rm -rf /tmp/app; mkdir /tmp/app; cd /tmp/app
        echo "{\"name\": \"app\", \"scripts\": {\"own\": \"node -p \\\"0, require(\\\\\\\"own\\\\\\\")\\\"\"}}" >package.json
        npm install --offline --no-audit --no-fund --install-links /ws/own >/dev/null
        npm run -s own' '^42$'
}

@test "node: a server and a client over the loopback" {
    as_both 'node -e "
        const http = require(\"http\");
        const s = http.createServer((q, r) => r.end(\"served\")).listen(0, \"127.0.0.1\", () =>
            http.get({ host: \"127.0.0.1\", port: s.address().port }, r => r.on(\"data\", d => { console.log(String(d)); s.close(); process.exit(0) })));"' served
}

@test "gcc compiles and links, and the program runs" {
    as_both 'printf "%s\n" "#include <stdio.h>" "#include <math.h>" "int main(int c, char **v) { (void)v; printf(\"gcc %.0f\\n\", sqrt(1763.9 + c)); return 0; }" >p.c
        gcc -O2 -Wall -o p p.c -lm; ./p; gcc -static -g -o p-static p.c -lm; ./p-static' 'gcc 42'
}

@test "apt-get and dpkg answer, and a local package is installed, configured, used and removed" {
    mkdir -p "$WORK/deb/DEBIAN" "$WORK/deb/usr/bin" "$WORK/deb/var/lib/own"
    printf '%s\n' 'Package: own-tool' 'Version: 1.0' 'Architecture: all' 'Maintainer: Test <test@test>' 'Description: made by a test' \
        'Depends: bash' >"$WORK/deb/DEBIAN/control"
    printf '#!/bin/sh\nset -e\nchown www-data:games /var/lib/own\nchmod 2750 /var/lib/own\nid -u >/var/lib/own/who\n' >"$WORK/deb/DEBIAN/postinst"
    printf '#!/bin/sh\necho own 42\n' >"$WORK/deb/usr/bin/own-tool"
    chmod 755 "$WORK/deb/DEBIAN/postinst" "$WORK/deb/usr/bin/own-tool"
    dpkg-deb -b --root-owner-group "$WORK/deb" "$WORK/ws/own-tool.deb" >/dev/null
    expect_status 0 sandbox -v "$WORK/ws:/ws" -w /ws -- bash -euo pipefail -c 'apt-get --version
        apt-get install -y ./own-tool.deb; own-tool
        stat -c "%U:%G %a" /var/lib/own; dpkg -s own-tool | grep Status
        apt-get remove -y own-tool; ! command -v own-tool; dpkg -i own-tool.deb; own-tool'
    expect_match '^apt [0-9]'
    expect_match $'\nown 42\n'
    expect_match 'www-data:games 2750'
    expect_match 'Status: install ok installed'
    expect_status 0 sandbox -u 1000 -- bash -c 'apt-get --version >/dev/null && ! dpkg -i /nothing.deb 2>/dev/null'
}

@test "tools that become another user inside the sandbox work for its root" {
    expect_status 0 sandbox bash -c 'su -s /bin/sh www-data -c "id -u"; setpriv --reuid=1000 --regid=1000 --clear-groups id -u
        useradd -m dev && su dev -c "cd; touch x; stat -c %U x"'
    expect_output $'33\n1000\ndev'
    expect_status 1 sandbox -u 1000 -- su -c true
}

@test "tar, find, xargs and rsync-like copies keep owners and times" {
    expect_status 0 sandbox bash -euo pipefail -c 'mkdir /a; touch -d 2020-01-01 /a/x; chown 33:44 /a/x; ln /a/x /a/y; ln -s x /a/z; mkfifo /a/p
        tar cpf - -C /a . | (mkdir /b; tar xpf - -C /b); find /b -mindepth 1 -printf "%f %U:%G %n %TY\n" | sort; find /usr/bin | head -n 50 | xargs -P4 -n1 stat >/dev/null'
    expect_match 'x 33:44 2 2020'
}

@test "git takes a workspace of another owner for the user's own" {
    as_both 'git init -q . ; git config user.email a@b; git config user.name n; echo x >f; git add f; git commit -q -m m --allow-empty; git status --short; git log --oneline | head -n 1'
}
