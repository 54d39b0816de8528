"""The egress proxy on this kernel: with a link between two namespaces, and without one."""

import pathlib
import subprocess
import sys
import time

GOOD = "203.0.113.5"
ASKS = ("import sys, urllib.request as r\n"
        "for url in sys.argv[1:]:\n"
        "    try: print(r.urlopen(url, timeout=60).status)\n"
        "    except r.HTTPError as error: print(error.code)\n"
        "    except OSError as error: print(type(error).__name__)\n")


class Host:
    """A host of this machine's own network, as long as `with` lasts."""

    def __enter__(self):
        # Routed here, without an interface that has it: those are not for sandboxes.
        subprocess.run(["busybox", "ip", "route", "add", "local", f"{GOOD}/32", "dev", "lo"],
                       check=False, capture_output=True)
        pathlib.Path("/etc/hosts").write_text(f"127.0.0.1 localhost\n{GOOD} good.example bad.example\n")
        self.server = subprocess.Popen([sys.executable, "-m", "http.server", "80", "--bind", GOOD, "-d", "/srv"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        while subprocess.run([sys.executable, "-c", ASKS, "http://good.example/"], check=False,
                             capture_output=True).stdout != b"200\n":
            assert self.server.poll() is None
            time.sleep(0.1)

    def __exit__(self, *_):
        self.server.kill()
        self.server.communicate()


def reaches_only_the_listed_host(home):
    home.policy(network={"allow": ["good.example"]})
    done = home.run("python3", "-c", ASKS, "http://good.example/", "http://bad.example/",
                    f"http://{GOOD}/")
    assert done.stdout == "200\n403\n403\n", done
    assert 'the host "bad.example" is not listed' in done.stderr, done
    return done


def says_that_ports_are_taken(home):
    """In both reports, or in none."""
    planned = home.plan()
    notes = [said for _, said in home.doctor() if "veth" in said]
    assert ("veth" in planned) == bool(notes), (planned, notes)
    return bool(notes)


def a_listed_host_is_reached_through_the_gateway(home):
    assert pathlib.Path("/sys/module/veth").exists()
    resolver = pathlib.Path("/etc/resolv.conf")
    with Host():
        home.policy(network={"allow": ["good.example"]})
        done = home.run("python3", "-c", ASKS, "http://good.example/")
        assert done.stdout == "URLError\n" and "/etc/resolv.conf does not exist" in done.stderr, done
        resolver.touch()  # as the message says
        reaches_only_the_listed_host(home)
        assert not says_that_ports_are_taken(home)
        done = home.run("python3", "-c", "import socket; socket.create_server(('', 80)); print('bound')")
        assert done.returncode != 0 and "Permission" in done.stderr, done  # a low port, but free
        done = home.run("python3", "-c", "import socket; socket.create_server(('', 3128)); print('bound')")
        assert "Address already in use" in done.stderr, done


def without_a_link_the_listeners_are_in_the_sandbox(home):
    subprocess.run(["busybox", "rmmod", "veth"], check=True)
    with Host():
        reaches_only_the_listed_host(home)
        assert says_that_ports_are_taken(home)


def landlock_without_ports_has_no_network(home):
    """Before ABI 4 a line at the start says so."""
    home.policy(network={"allow": ["good.example"]})
    done = home.run("python3", "-c", "import socket; socket.socket()", layers="landlock")
    assert "the listed hosts cannot be reached" in done.stderr, done
    assert "Landlock ABI 4 (Linux 6.7)" in done.stderr, done
    assert "Address family not supported" in done.stderr, done


CASES = (a_listed_host_is_reached_through_the_gateway, without_a_link_the_listeners_are_in_the_sandbox,
         landlock_without_ports_has_no_network)
