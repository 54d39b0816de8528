"""A Debian in a directory, with a user."""

import os
import pathlib
import re

from built_packages import run
from ordinary_user import ORDINARY_USER


class Root:
    """A Debian with a user, in a directory. Only root can enter it."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home/dev"

    def add_user(self):
        with (self.folder / "etc/passwd").open("a") as passwd:
            passwd.write(f"dev:x:{ORDINARY_USER}:{ORDINARY_USER}::/home/dev:/bin/sh\n")
        self.home.mkdir(parents=True)
        os.chown(self.home, ORDINARY_USER, ORDINARY_USER)

    def run(self, *words):
        """Runs a command of root's in it."""
        return run("chroot", self.folder, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
                   "DEBIAN_FRONTEND=noninteractive", *words)

    def files(self):
        """Every file and link outside of the homes and of what package managers note."""
        left_out = ("home", "proc", "sys", "dev", "tmp", "var/lib/dpkg", "var/lib/apt", "var/log", "var/cache", "usr/lib/sysimage",
                    "var/lib/rpm")
        found = set()
        for folder, folders, names in os.walk(self.folder):
            here = pathlib.Path(folder).relative_to(self.folder)
            folders[:] = [name for name in folders if str(here / name) not in left_out]
            found.update(str(here / name) for name in names)
        return found


def mirror():
    """The address that this machine takes its Debian packages from, and the name of the release; None if
    apt has no such source."""
    release = re.search(r"^VERSION_CODENAME=(\S+)", pathlib.Path("/etc/os-release").read_text(), re.MULTILINE)
    folder = pathlib.Path("/etc/apt")
    for file in (folder / "sources.list", *folder.glob("sources.list.d/*.list"), *folder.glob("sources.list.d/*.sources")):
        text = file.read_text() if release and file.exists() else ""
        if found := re.search(rf"^deb (?:\[[^]]*\] )?(\S+) {release and release[1]} ", text, re.MULTILINE):
            return found[1], release[1]
        for stanza in text.split("\n\n"):
            fields = dict(re.findall(r"^(URIs|Suites): (.+)", stanza, re.MULTILINE))
            if release and release[1] in fields.get("Suites", "").split():
                return fields["URIs"].split()[0], release[1]
    return None
