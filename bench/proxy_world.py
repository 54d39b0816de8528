"""The network of bench/proxy.py: namespaces in which one host answers, other proxies, and clients.

The host has an address of 203.0.113.0/24, which is not routed anywhere, so that the egress proxy
needs no exception from its rules for private addresses.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
NAME, ADDRESS = "good.example", "203.0.113.5"
# nginx answers at 80 and 443, net_host at the other two.
PLAIN_PORT, TLS_PORT = 9000, 8443
TINYPROXY_PORT, SQUID_PORT, SRT_PORT, BARE_PORT = 3201, 3202, 3203, 3204
START_SECONDS = 30
CLIENT, HOST = 0, -1  # of the processors

NGINX = """
daemon off; worker_processes 1; pid {base}/nginx.pid; error_log {base}/nginx.log;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 100000000; keepalive_timeout 600s; default_type text/plain;
  client_body_temp_path {base}/body; proxy_temp_path {base}/temporary;
  fastcgi_temp_path {base}/temporary; uwsgi_temp_path {base}/temporary; scgi_temp_path {base}/temporary;
  server {{
    listen {address}:80 backlog=1024; listen {address}:443 ssl backlog=1024;
    ssl_certificate {base}/host.pem; ssl_certificate_key {base}/host.key;
    location / {{ return 200 "{body}"; }}
  }}
}}
"""
TINYPROXY = """
Port {port}
Listen 127.0.0.1
Timeout 600
MaxClients 2000
LogFile "{base}/tinyproxy.log"
PidFile "{base}/tinyproxy.pid"
"""
SQUID = """
http_port 127.0.0.1:{port}
pid_filename {base}/squid.pid
cache_log {base}/squid.cache
access_log stdio:{base}/squid.log
coredump_dir {base}
hosts_file /etc/hosts
cache deny all
acl CONNECT method CONNECT
http_access allow all
max_filedescriptors 8192
shutdown_lifetime 0 seconds
"""


class World:
    """`base`: a new directory. To be made in namespaces of its own, as their root."""

    def __init__(self, base, ringfence, user, pins=False):
        self.base = pathlib.Path(base)
        self.processors = sorted(os.sched_getaffinity(0)) if pins else []
        self.ringfence = ringfence
        # Not as the root of a namespace: root has more to hide.
        self.as_user = ["unshare", "--user", f"--map-user={user}", f"--map-group={user}"]
        self.project, self.home = self.base / "project", self.base / "home"
        for folder in (self.project, self.home):
            folder.mkdir()
        self.environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                            "HOME": str(self.home), "LANG": "C.UTF-8"}
        self.processes = []
        self.build_network()
        self.build_programs()
        self.make_certificate()

    # -- what there is ----------------------------------------------------------------------------

    def build_network(self):
        def ip(*words):
            subprocess.run(["ip", *words], check=True)

        ip("link", "set", "lo", "up")
        ip("route", "add", "local", "203.0.113.0/24", "dev", "lo")
        # The servers have no capability here. And thousands of closed connections that wait for the end
        # of their time would make connect() search for a free port for up to milliseconds.
        for name, value in (("ip_unprivileged_port_start", 0), ("tcp_max_tw_buckets", 100)):
            pathlib.Path(f"/proc/sys/net/ipv4/{name}").write_text(str(value), encoding="ascii")
        files = {"/etc/hosts": f"127.0.0.1 localhost\n{ADDRESS} {NAME}\n",
                 "/etc/resolv.conf": "nameserver 203.0.113.53\n",
                 "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n"}
        for place, text in files.items():
            file = self.base / pathlib.Path(place).name
            file.write_text(text, encoding="utf-8")
            subprocess.run(["mount", "--bind", file, os.path.realpath(place)], check=True)

    def build_programs(self):
        def build(name, source, *options):
            subprocess.run(["cc", "-O2", "-o", self.project / name, ROOT / "bench" / source, *options], check=True)

        for name in ("net_client", "net_host"):
            build(name, f"{name}.c", "-lssl", "-lcrypto", "-pthread")
        build("bare_relay", "peers/bare_relay.c")
        true = self.base / "true.c"
        true.write_text("int main(void) { return 0; }\n", encoding="ascii")
        build("true", true, "-static")

    def make_certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                        "-nodes", "-keyout", "host.key", "-out", "host.pem", "-days", "30",
                        "-subj", f"/CN={NAME}"], cwd=self.base, check=True, capture_output=True)

    # -- what runs --------------------------------------------------------------------------------

    def start(self, command, name, **options):
        """Starts a process of the user, whose messages are in NAME.err."""
        with open(self.base / f"{name}.err", "ab") as errors:
            process = subprocess.Popen([*self.as_user, *map(str, command)], cwd=self.project,
                                       stderr=errors, **{"stdin": subprocess.DEVNULL, "stdout": errors,
                                                         "env": self.environment, **options})
        self.processes.append(process)
        return process

    def await_listener(self, name, process, place):
        late = time.monotonic() + START_SECONDS
        while process.poll() is None and time.monotonic() < late:
            try:
                socket.create_connection(place, 1).close()
                return True
            except OSError:
                time.sleep(0.05)
        errors = (self.base / f"{name}.err").read_text(errors="replace")
        print(f"proxy.py: {name} does not work here: {errors[-300:]}", flush=True)
        return False

    def pinned(self, place):
        """The words that keep a command on one processor."""
        return ["taskset", "-c", str(self.processors[place])] if self.processors else []

    def start_hosts(self):
        config = self.base / "nginx.conf"
        body = "x" * 1000
        config.write_text(NGINX.format(base=self.base, address=ADDRESS, body=body), encoding="ascii")
        nginx = self.start([*self.pinned(HOST), "nginx", "-e", self.base / "nginx.log", "-c", config], "nginx")
        host = self.start([*self.pinned(HOST), self.project / "net_host", ADDRESS, PLAIN_PORT, TLS_PORT,
                           self.base / "host.pem", self.base / "host.key"], "net_host")
        return (self.await_listener("nginx", nginx, (ADDRESS, 443)) and
                self.await_listener("net_host", host, (ADDRESS, TLS_PORT)))

    def start_peers(self, srt):
        """Those that run, as {name: (port, process)}; and why the others do not."""
        peers, absent = {}, {}

        def add(name, port, words, program=None):
            path = shutil.which(program or name, path=self.environment["PATH"])
            if not path:
                absent[name] = f"{program or name} is not installed"
                return
            process = self.start([os.path.realpath(path), *words], name)
            if self.await_listener(name, process, ("127.0.0.1", port)):
                peers[name] = (port, process)
            else:
                absent[name] = "it does not work here"

        add("bare", BARE_PORT, [BARE_PORT], self.project / "bare_relay")
        config = self.base / "tinyproxy.conf"
        config.write_text(TINYPROXY.format(base=self.base, port=TINYPROXY_PORT), encoding="ascii")
        add("tinyproxy", TINYPROXY_PORT, ["-d", "-c", config])
        config = self.base / "squid.conf"
        config.write_text(SQUID.format(base=self.base, port=SQUID_PORT), encoding="ascii")
        add("squid", SQUID_PORT, ["-N", "-f", config])
        if srt:
            add("srt", SRT_PORT, [ROOT / "bench/peers/srt_proxy.mjs", srt, SRT_PORT], "node")
        else:
            absent["srt"] = "--srt does not name its package"
        return peers, absent

    def client(self, name, host=NAME, policy=None, ringfence=None):
        """A client in a sandbox with that policy; outside, without one. `ringfence`: another program
        than the usual one."""
        command = [*self.pinned(CLIENT), self.project / "net_client", host]
        if not policy:
            return Client(self, name, command)
        environment = dict(self.environment)
        if ringfence:  # a home of its own, and so a proxy of its own
            environment["HOME"] = str(self.base / f"home-{name}")
            os.mkdir(environment["HOME"])
        # Only the client is pinned, not the egress proxy.
        return Client(self, name, [ringfence or self.ringfence, "run", "--policy", policy, "--", *command],
                      environment)

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait()


class Client:
    """A running net_client, which measures when it is told to."""

    def __init__(self, world, name, command, environment=None):
        self.world, self.name = world, name
        self.process = world.start(command, name, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   env=environment or world.environment)

    def ask(self, *words):
        """The numbers of the answer; None if the client has failed."""
        try:
            self.process.stdin.write(" ".join(map(str, words)) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        line = self.process.stdout.readline()
        return [float(word) for word in line.split()] if line else None

    def errors(self):
        return (self.world.base / f"{self.name}.err").read_text(errors="replace")[-500:]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
