"""Ordinary work: test_ordinary_work.py runs it both without a sandbox and confined, and compares
the results.

`script` runs with `sh -e` in an empty project; `before` runs beforehand without a sandbox, in
both cases. The output, the status and the resulting files must be the same. `differs` gives a
reason why they must differ. `loose` are names of files whose content is different each time.
"""

import typing

PYTHON = "/usr/bin/python3"


class Row(typing.NamedTuple):
    name: str
    script: str
    needs: str = ""
    before: str = ""
    differs: str = ""
    loose: str = ""


GIT = "git init -q -b main .; echo one > a; git add a; git commit -qm one; "
SERVE = (PYTHON + " -u -m http.server --bind 127.0.0.1 0 > port 2>&1 & server=$!; "
         "until grep -q 'port [1-9]' port; do sleep 0.05; done; "
         "port=$(sed -n 's/.*port \\([0-9]*\\).*/\\1/p' port); rm port; ")
HELLO_C = r"""printf '#include <stdio.h>\nint main(void) { puts("hello"); return 3; }\n' > hello.c; """
NODE_PACKAGE = """
export npm_config_update_notifier=false; mkdir dep app; printf '{"name":"dep","version":"1.0.0","bin":"run.js"}' > dep/package.json
printf '#!/usr/bin/env node\\nconsole.log("from dep")\\n' > dep/run.js
(cd dep; npm pack --silent > /dev/null); npm cache add --silent ./dep/dep-1.0.0.tgz
sum=$(openssl dgst -sha512 -binary dep/dep-1.0.0.tgz | openssl base64 -A); rm -r dep
cat > app/package.json <<END
{"name":"app","version":"1.0.0","scripts":{"test":"dep"},"dependencies":{"dep":"1.0.0"}}
END
cat > app/package-lock.json <<END
{"name":"app","version":"1.0.0","lockfileVersion":3,"packages":{
"":{"name":"app","version":"1.0.0","dependencies":{"dep":"1.0.0"}},
"node_modules/dep":{"version":"1.0.0","integrity":"sha512-$sum","bin":{"dep":"run.js"},
"resolved":"https://registry.npmjs.org/dep/-/dep-1.0.0.tgz"}}}
END
"""
CARGO_CRATE = """
mkdir -p "$HOME/dep/src" src; cd "$HOME/dep"; git init -q -b main .
printf '[package]\\nname = "dep"\\nversion = "0.1.0"\\n' > Cargo.toml
echo 'pub fn word() -> &'"'static str { \\"from dep\\" }" > src/lib.rs
git add .; git commit -qm one; cd "$OLDPWD"
printf '[package]\\nname = "app"\\nversion = "0.1.0"\\n[dependencies]\\ndep = { git = "file://%s" }\\n' \\
  "$HOME/dep" > Cargo.toml
echo 'fn main() { println!("{}", dep::word()); }' > src/main.rs
cargo fetch -q; rm -rf "$HOME/dep"
"""
WHEEL = PYTHON + """ - <<'END'
import zipfile
info = "thing-1.0.dist-info/"
with zipfile.ZipFile("thing-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("thing.py", "number = 42\\n")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: thing\\nVersion: 1.0\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "RECORD", "")
END
"""
DEFAULT_LIST = PYTHON + """ - <<'END'
import os, struct
entries = (1, 7), (2, 7, 12), (4, 7), (16, 7), (32, 5)  # owner, user 12, group, mask, others
os.mkdir("d")
os.setxattr("d", "system.posix_acl_default", struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, rights, *(who or [0xFFFFFFFF])) for tag, rights, *who in entries))
END"""
OWN_REPOSITORY = "the project's own configuration of git is read-only"

ROWS = (
    # git
    Row("git: commits, branches, diffs", GIT + "git checkout -q -b side; echo two >> a; git diff; "
        "git commit -qam two; git checkout -q main; git merge -q side; git log --format=%H%s; git status"),
    Row("git: a conflict", GIT + "git checkout -q -b side; echo x > a; git commit -qam x; "
        "git checkout -q main; echo y > a; git commit -qam y; git merge -q side && exit 1; cat a; "
        "git merge --abort; git status --short"),
    Row("git: stash and rebase", GIT + "git checkout -q -b side; echo b > b; git add b; git stash -q; "
        "git stash pop -q; git commit -qm b; git checkout -q main; echo c > c; git add c; "
        "git commit -qm c; git checkout -q side; git rebase -q main; git log --format=%s"),
    Row("git: a clone, and its removal", "git clone -q . copy; git -C copy log --format=%s; ls -A copy; "
        "rm -rf copy; ls -A", before="mkdir -p .github/workflows .vscode; echo 1 > .vscode/x; echo 2 > "
        ".github/workflows/w; " + GIT + "git add .; git commit -qm two"),
    Row("git: a worktree, and its removal", "git worktree add -q tree -b side; ls -A tree; "
        "git worktree remove tree; git worktree add -q tree -b more; rm -rf tree; git worktree prune; "
        "git worktree list | wc -l; ls -A", before="mkdir .vscode .idea; echo 1 > .vscode/x; "
        "echo 1 > .idea/x; " + GIT + "git add .; git commit -qm two"),
    Row("git: patches", GIT + "echo two >> a; git commit -qam two; git format-patch -q -1; "
        "git reset -q --hard HEAD~1; git am -q 0001-two.patch; cat a; git log --format=%H"),
    Row("git: archive and bundle", GIT + "git archive HEAD | tar -tf -; git bundle create -q b HEAD main; "
        "git clone -q b copy; cat copy/a; rm -rf copy b"),
    Row("git: bisect", GIT + "for n in 1 2 3 4; do echo $n >> a; git commit -qam $n; done; git bisect "
        "start HEAD HEAD~4 > /dev/null; git bisect run sh -c '! grep -q 3 a' | grep 'first bad'; "
        "git bisect reset 2> /dev/null"),
    Row("git: pack and check", GIT + "git gc -q; git fsck --strict; git count-objects -v | grep in-pack"),
    Row("git: a new configuration", "git init -q -b main .; git config user.name me; git config user.name"),
    Row("git: the project's configuration", "git config user.name me; git config user.name",
        before=GIT, differs=OWN_REPOSITORY),
    Row("git: a remote", "git remote add up https://host.example/r; git remote", before=GIT,
        differs=OWN_REPOSITORY),
    # packages, from the caches at home
    Row("npm ci from the cache", "cd app; npm ci --offline --no-audit --no-fund --silent; "
        "npm test --silent", "npm node openssl", NODE_PACKAGE),
    Row("npm: a package of this machine", "mkdir d; echo '{\"name\":\"d\",\"version\":\"1.0.0\"}' > "
        "d/package.json; npm install --offline --no-audit --no-fund --silent ./d; ls node_modules", "npm"),
    Row("node: workers and a server", "cat > t.mjs <<'END'\nimport http from 'node:http'\n"
        "import { Worker } from 'node:worker_threads'\nconst s = http.createServer((q, r) => r.end('served'))\n"
        "s.listen(0, '127.0.0.1', async () => {\n"
        "console.log(await (await fetch(`http://127.0.0.1:${s.address().port}`)).text()); s.close() })\n"
        "new Worker('console.log(6 * 7)', { eval: true })\nEND\nnode t.mjs | sort", "node"),
    Row("cargo: a dependency from the cache", "cargo build -q --offline; target/debug/app; rm -r target",
        "/usr/bin/cargo git", CARGO_CRATE),
    Row("cargo: tests", "mkdir src; printf '[package]\\nname = \"t\"\\nversion = \"0.1.0\"\\n' > Cargo.toml; "
        "echo '#[test] fn adds() { assert_eq!(1 + 1, 2) }' > src/lib.rs; cargo test -q --offline --lib "
        "| sed 's/finished in.*//'; rm -r target", "/usr/bin/cargo"),
    Row("pip: a wheel", WHEEL + "PYTHONDONTWRITEBYTECODE=1 " + PYTHON + " -m pip install -q --no-index "
        "--no-compile --target lib *.whl; PYTHONPATH=lib " + PYTHON + " -Bc 'import thing; print(thing.number)'",
        "pip3", loose="*.whl RECORD direct_url.json"),
    Row("python: a virtual environment", PYTHON + " -m venv --without-pip env; env/bin/python -c "
        "'import sys; print(sys.prefix != sys.base_prefix)'"),
    Row("a cache that is written", "mkdir -p ~/.cache/tool; echo new > ~/.cache/tool/b; cat "
        "~/.cache/tool/*; mv ~/.cache/tool/a ~/.cache/tool/c; rm ~/.cache/tool/b; ls ~/.cache/tool",
        before="mkdir -p ~/.cache/tool; echo old > ~/.cache/tool/a"),
    # compilers and builds
    Row("cc: objects, libraries, a status", HELLO_C + "cc -c hello.c; ar rc libh.a hello.o; nm libh.a | "
        "grep -c main; cc -shared -fPIC -o libh.so hello.c; cc -o hello hello.o; strip hello; set +e; "
        "./hello; exit $?", "cc"),
    Row("c++", "printf '#include <iostream>\\nint main() { std::cout << 42; }' > t.cc; c++ t.cc -o t; ./t",
        "c++"),
    Row("clang", HELLO_C + "clang hello.c -o hello; ./hello || echo $?", "clang"),
    Row("cmake and ctest", "printf 'cmake_minimum_required(VERSION 3.20)\\nproject(t C)\\nadd_executable(t "
        "t.c)\\nenable_testing()\\nadd_test(NAME t COMMAND t)\\n' > CMakeLists.txt; echo 'int main(void) "
        "{ return 0; }' > t.c; cmake -S . -B b > /dev/null; cmake --build b -j 2 > /dev/null; ctest "
        "--test-dir b | grep 'tests passed'; rm -r b", "cmake cc"),
    Row("ninja", "printf 'rule up\\n  command = tr a-z A-Z < $in > $out\\nbuild out: up in\\n' > build.ninja; "
        "echo text > in; ninja --quiet; cat out", "ninja", loose=".ninja_log .ninja_deps"),
    Row("make with jobs", "printf 'all: a b\\n\\t@cat a b\\na b:\\n\\t@$(MAKE) -s -f in.mk $@.in\\n\\t@cp "
        "$@.in $@\\n' > Makefile; printf '%%.in:\\n\\t@echo $@ > $@\\n' > in.mk; make -s -j 3", "make"),
    Row("ccache", HELLO_C + "for n in 1 2; do ccache cc -c hello.c -o $n.o; done; cmp 1.o 2.o; ccache "
        "--print-stats | grep direct_cache_hit", "ccache cc", before="mkdir -p ~/.cache"),
    Row("pkg-config", "printf 'Name: t\\nDescription: t\\nVersion: 1.2\\nLibs: -lt\\n' > t.pc; "
        "PKG_CONFIG_PATH=. pkg-config --modversion --libs t", "pkg-config"),
    # archives
    Row("tar", "mkdir d; echo x > d/f; ln -s f d/l; ln d/f d/h; chmod 751 d; mkfifo d/p; touch -d @9 d/f; "
        "tar -czf a.tgz d; mkdir o; tar -xpf a.tgz -C o; stat -c '%n %A %h %Y' o/d/f o/d/h; rm a.tgz"),
    Row("tar of another owner", "echo x > f; tar --owner=0 --group=0 -cf a.tar f; rm f; tar "
        "--same-owner -xf a.tar 2> /dev/null || echo $?; ls", loose="a.tar"),
    Row("fakeroot", "echo x > f; fakeroot sh -c 'chown 12:34 f; tar -cf a.tar f; stat -c %u:%g f'; "
        "tar -tvf a.tar | cut -c-20", "fakeroot", loose="a.tar"),
    Row("zip", "mkdir d; echo x > d/f; zip -qr a.zip d; rm -r d; unzip -q a.zip; cat d/f", "zip unzip",
        loose="a.zip"),
    Row("cpio", "mkdir d o; echo x > d/f; find d | cpio -o --quiet > a; cd o; cpio -idm --quiet < ../a; "
        "cat d/f", "cpio", loose="a"),
    Row("compressors", "for n in gzip bzip2 xz; do echo text | $n | $n -dc; done; seq 9999 | xz -T2 | "
        "xz -dc | md5sum", "gzip bzip2 xz"),
    Row("dpkg-deb", "mkdir -p p/DEBIAN p/usr; echo x > p/usr/f; printf 'Package: p\\nVersion: 1\\n"
        "Architecture: all\\nMaintainer: m <m@e>\\nDescription: d\\n' > p/DEBIAN/control; dpkg-deb "
        "--root-owner-group -b p p.deb > /dev/null; dpkg-deb -c p.deb | wc -l; dpkg-deb -x p.deb o; cat "
        "o/usr/f", "dpkg-deb"),
    Row("python: archives", "echo x > f; " + PYTHON + " -m zipfile -c a.zip f; " + PYTHON +
        " -m tarfile -c a.tar f; " + PYTHON + " -m tarfile -l a.tar", loose="a.zip a.tar"),
    # editors and text
    Row("vi", "printf 'one\\ntwo\\n' > f; vi -u NONE -i NONE -es -c '%s/two/three/' -c wq f; cat f", "vi"),
    Row("sed and perl in place", "printf 'one\\ntwo\\n' > f; sed -i.old s/one/1/ f; perl -pi -e s/two/2/ f; "
        "cat f f.old", "perl"),
    Row("diff and patch", "echo one > a; echo two > b; diff -u --label a --label b a b > p || :; patch -s "
        "a p; cat a", "patch"),
    Row("find, xargs, sort, awk", "mkdir -p d/e; for n in 3 1 2; do echo $n > d/e/$n; done; find d -type f "
        "-print0 | xargs -0 -P 2 -n 1 cat | sort | awk '{ n += $1 } END { print n }'"),
    Row("jq", "echo '{\"a\":[1,2]}' | jq -c '.a|add'", "jq"),
    # debuggers
    Row("gdb", HELLO_C + "cc -g -o hello hello.c; gdb -nx -batch -ex 'break main' -ex run -ex 'info line' "
        "-ex continue ./hello 2> /dev/null | grep -c -e 'Breakpoint 1, main' -e 'exited with code 03'",
        "gdb cc"),
    Row("strace", "strace -f -o log sh -c 'echo traced; true'; grep -c exit_group log; rm log", "strace"),
    Row("python: profile and trace", "echo 'print(sum(range(9)))' > t.py; " + PYTHON +
        " -m trace --count -C counts t.py > /dev/null; " + PYTHON + " -m cProfile t.py | head -1",
        loose="*.cover"),
    # databases and servers on loopback
    Row("sqlite3", "sqlite3 f.db 'pragma journal_mode=wal; create table t(a); insert into t values(1),(2); "
        "select sum(a) from t'", "sqlite3", loose="f.db"),
    Row("python: sqlite", PYTHON + " -c \"import sqlite3; b = sqlite3.connect('f.db'); b.execute('create "
        "table t(a)'); b.commit(); print(b.execute('select count(*) from t').fetchone())\"", loose="f.db"),
    Row("a database on loopback", PYTHON + """ - <<'END'
import sqlite3, threading, xmlrpc.client, xmlrpc.server
server = xmlrpc.server.SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False)
base = sqlite3.connect("f.db", check_same_thread=False)
server.register_function(lambda text: base.execute(text).fetchall(), "ask")
threading.Thread(target=server.serve_forever, daemon=True).start()
with xmlrpc.client.ServerProxy(f"http://127.0.0.1:{server.server_address[1]}") as client:
    client.ask("create table t(a)"); client.ask("insert into t values(1),(2)")
    print(client.ask("select sum(a) from t"))
base.commit()
END""", loose="f.db"),
    Row("an HTTP server and curl", "echo page > p; " + SERVE + "curl -s http://127.0.0.1:$port/p; kill "
        "$server", "curl"),
    Row("socat", "socat UNIX-LISTEN:s EXEC:cat & until [ -S s ]; do sleep 0.05; done; echo x | socat - "
        "UNIX-CONNECT:s,retry=100,interval=0.05; wait", "socat"),  # it may be bound and not listen yet
    Row("python: processes, sockets, asyncio", PYTHON + """ - <<'END'
import asyncio, multiprocessing, socket, tempfile
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(abs, [-1, 2]))
a, b = socket.socketpair(); a.send(b"x"); print(b.recv(9))
async def main():
    child = await asyncio.create_subprocess_exec("echo", "async", stdout=-1)
    print((await child.communicate())[0])
asyncio.run(main())
with tempfile.TemporaryDirectory() as d, tempfile.NamedTemporaryFile(dir=d) as f: print(f.write(b"x"))
END"""),
    # shells, terminals and jobs
    Row("bash", "bash -ec 'cat <(echo sub) <<< here; coproc cat; echo co >&${COPROC[1]}; read -r line "
        "<&${COPROC[0]}; echo $line; kill $COPROC_PID; trap \"echo bye\" EXIT; shopt -s globstar; "
        "echo **'", "bash"),
    Row("zsh", "touch b a; zsh -fc 'print -l *(.on); [[ -o interactive ]] || print batch'", "zsh"),
    Row("tmux", "tmux -S s -f /dev/null new-session -d 'echo within > out'; until [ -s out ]; do sleep "
        "0.05; done; cat out; rm -f s", "tmux"),
    Row("a terminal", "script -qec 'test -t 1 && tty > /dev/null && stty size' /dev/null < /dev/null",
        "script"),
    Row("jobs in the background", "sleep 30 & kill $!; wait $! || echo $?; nohup sh -c 'echo on' > o 2> "
        "/dev/null; cat o; setsid -w sh -c 'echo session'"),
    Row("parallel", "seq 3 | parallel --will-cite -k -j 2 echo n{}", "parallel"),
    Row("locks and FIFOs", "flock l echo locked; mkfifo p; cat p & echo through > p; wait", "flock"),
    # files
    Row("modes, owners, links", "umask 027; mkdir d; echo x > f; ln f g; ln -s f l; chmod u+x f; install -m "
        "640 f i; chown $(id -u):$(id -g) f; chown 12345 f 2>&1 | sed 's/.*: //'; cp -a f c; mv g d; stat "
        "-c '%A %h %n' *"),
    Row("default access control lists", "umask 077; echo x > d/f; mkdir d/e; mkfifo d/p; cp /dev/null "
        "d/c; stat -c '%A %s' d/*", before=DEFAULT_LIST),
    Row("flags of a descriptor", PYTHON + " -c \"import fcntl, os\nfor flags in (os.O_RDWR | os.O_CREAT, "
        "os.O_WRONLY | os.O_APPEND, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK): "
        "print(oct(fcntl.fcntl(os.open('f', flags), fcntl.F_GETFL)))\""),
    Row("temporary files", "f=$(mktemp); echo x > $f; cat $f; rm $f; d=$(mktemp -d); rmdir $d; test -w "
        "/dev/shm; " + PYTHON + " -c 'import os; os.memfd_create(\"m\")'"),
    Row("sparse and large files", "truncate -s 3G f; dd if=/dev/zero of=f bs=4k count=1 seek=700000 "
        "conv=notrunc status=none; stat -c %s f; fallocate -p -l 4096 f 2> /dev/null; rm f"),
    # keys
    Row("openssl", "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=t -keyout k -out c 2> /dev/null; "
        "openssl x509 -in c -noout -subject; ls", "openssl", loose="k c"),
    # purposes of a sandbox
    Row("a file in the home", "echo x > ~/note; cat ~/note", differs="the home is read-only"),
    Row("namespaces", "unshare -r id -u", "unshare", differs="none inside a sandbox"),
)
